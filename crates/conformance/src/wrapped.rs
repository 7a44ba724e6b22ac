//! Our server with the fixtures of the suite.
#![expect(deprecated)] // Logging leaves the protocol with 2026-07-28; the revisions before are tested too.

use std::sync::Arc;

use ai_assist_mcp::Server;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, ErrorData, GetPromptRequestParams,
    GetPromptResponse, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use tokio::sync::broadcast;

use crate::fixtures::{Change, Does, Fixtures};
use crate::live::{self, Level};
use crate::rounds::{self, Said, States};

/// The server as one client sees it.
pub(crate) struct Wrapped {
    server: Server,
    level: Level,
    shared: Arc<Shared>,
}

struct Shared {
    fixtures: Fixtures,
    states: States,
    changes: broadcast::Sender<Change>,
}

impl Wrapped {
    pub(crate) fn new(server: Server, fixtures: Fixtures) -> Self {
        let shared = Shared { fixtures, states: States::default(), changes: broadcast::channel(64).0 };
        Wrapped { server, level: Level::default(), shared: Arc::new(shared) }
    }

    /// The same server for another client.
    pub(crate) fn for_client(&self) -> Self {
        Wrapped { server: self.server.for_client(), level: Level::default(), shared: Arc::clone(&self.shared) }
    }

    async fn call(
        &self,
        name: &str,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Option<Result<CallToolResponse, ErrorData>> {
        let tool = self.shared.fixtures.tool(name)?;
        let result = match &tool.does {
            Does::Answer(answer) => answer.clone(),
            Does::Logs(messages) => live::log(messages, &self.level, context).await,
            Does::Progress(steps) => live::progress(steps, context).await,
            Does::Asks(question) => live::ask(question, &request.arguments.unwrap_or_default(), context).await,
            Does::Changes(change) => {
                // Nobody need be listening.
                let _ = self.shared.changes.send(*change);
                live::text("The list acts as if it had changed.")
            }
            Does::Rounds(questions) => {
                let said = Said {
                    answers: request.input_responses.as_ref(),
                    state: request.request_state.as_deref(),
                    capabilities: context.client_capabilities(),
                };
                match rounds::next(questions, tool.state.then_some(&self.shared.states), &said) {
                    Ok(Some(next)) => return Some(Ok(next.into())),
                    Ok(None) => live::text(format!("state-ok: {:?}", request.input_responses.unwrap_or_default())),
                    Err(error) => return Some(Err(error)),
                }
            }
        };
        Some(Ok(result.into()))
    }

    fn prompt(
        &self,
        request: &GetPromptRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Option<Result<GetPromptResponse, ErrorData>> {
        let prompt = self.shared.fixtures.prompt(&request.name)?;
        let said = Said {
            answers: request.input_responses.as_ref(),
            state: request.request_state.as_deref(),
            capabilities: context.client_capabilities(),
        };
        match rounds::next(&prompt.rounds, None, &said) {
            Ok(Some(next)) => return Some(Ok(next.into())),
            Ok(None) => {}
            Err(error) => return Some(Err(error)),
        }
        let result = prompt.result(&request.arguments.clone().unwrap_or_default());
        Some(result.map(Into::into).map_err(|error| ErrorData::internal_error(error.to_string(), None)))
    }
}

impl ServerHandler for Wrapped {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.server.get_info();
        let has = &mut info.capabilities;
        has.tools.get_or_insert_default().list_changed = Some(true);
        has.prompts.get_or_insert_default().list_changed = Some(true);
        has.resources.get_or_insert_default().subscribe = Some(true);
        info
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut listed = self.server.list_tools(request, context).await?;
        listed.tools.extend(self.shared.fixtures.shown_tools());
        Ok(listed)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.fixtures.shown_tool(name).or_else(|| self.server.get_tool(name))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.clone();
        match self.call(&name, request.clone(), &context).await {
            Some(answered) => answered,
            None => self.server.call_tool(request, context).await,
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut listed = self.server.list_resources(request, context).await?;
        if listed.next_cursor.is_none() {
            listed.resources.extend(self.shared.fixtures.shown_resources());
        }
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut listed = self.server.list_resource_templates(request, context).await?;
        listed.resource_templates.push(self.shared.fixtures.shown_template());
        Ok(listed)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match self.shared.fixtures.contents(&request.uri) {
            Some(contents) => Ok(ReadResourceResult::new(vec![contents]).into()),
            None => self.server.read_resource(request, context).await,
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut listed = self.server.list_prompts(request, context).await?;
        listed.prompts.extend(self.shared.fixtures.shown_prompts());
        Ok(listed)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        match self.prompt(&request, &context) {
            Some(answered) => answered,
            None => self.server.get_prompt(request, context).await,
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.server.complete(request, context).await
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.server.on_roots_list_changed(context).await;
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.level.set(request.level);
        self.server.set_level(request, context).await
    }

    async fn subscribe(
        &self,
        _request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.shared.changes.subscribe();
        loop {
            let change = tokio::select! {
                change = changes.recv() => change,
                () = context.cancelled() => return Ok(()),
            };
            // What the client did not ask for is held back by the sink, which is as it should be.
            let _ = match change {
                Ok(Change::Tools) => context.sink().notify_tool_list_changed().await,
                Ok(Change::Prompts) => context.sink().notify_prompt_list_changed().await,
                Err(broadcast::error::RecvError::Lagged(_)) => Ok(()),
                Err(broadcast::error::RecvError::Closed) => return Ok(()),
            };
        }
    }
}
