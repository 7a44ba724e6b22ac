//! Documents as resources: listed, read, and their names completed.

use rmcp::RoleServer;
use rmcp::model::{
    CacheScope, CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, ListResourcesResult,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Reference, Resource, ResourceContents,
    ResourceTemplate,
};
use rmcp::service::RequestContext;

use crate::outcome::{ErrorType, Failure};
use crate::server::{Opened, Server};
use crate::tools::{Listed, documents, read_document};

const PAGE: usize = 200;
const TEMPLATE: &str = "assist://collection/{collection}/{+path}";

pub fn templates() -> Vec<ResourceTemplate> {
    let about = "A document of a collection. `collection_list` shows which there are.";
    vec![ResourceTemplate::new(TEMPLATE, "document").with_title("Document of a collection").with_description(about)]
}

/// One page of the documents of the project. Without a project there are none.
pub(crate) async fn list(
    server: &Server,
    cursor: Option<String>,
    context: &RequestContext<RoleServer>,
) -> Result<ListResourcesResult, ErrorData> {
    let after = match &cursor {
        None => 0,
        Some(cursor) => cursor
            .parse::<usize>()
            .map_err(|_| ErrorData::invalid_params("the cursor is none that this server gave", None))?,
    };
    let all = all(server, context).await?;
    let mut page = ListResourcesResult::with_all_items(all.iter().skip(after).take(PAGE).map(resource).collect());
    let next = after.saturating_add(page.resources.len());
    page.next_cursor = (next < all.len()).then(|| next.to_string());
    // Any sync may change it.
    Ok(page.with_ttl_ms(0).with_cache_scope(CacheScope::Private))
}

fn resource(document: &Listed) -> Resource {
    let name = format!("{}/{}", document.collection, document.path);
    let mut resource = Resource::new(document.document.clone(), name);
    resource.title = document.title.clone();
    resource.mime_type = Some(mime_type(&document.language).to_owned());
    resource
}

fn mime_type(language: &str) -> &'static str {
    match language {
        "markdown" => "text/markdown",
        "html" => "text/html",
        "json" => "application/json",
        "xml" => "application/xml",
        _ => "text/plain",
    }
}

async fn all(server: &Server, context: &RequestContext<RoleServer>) -> Result<Vec<Listed>, ErrorData> {
    let subject = match server.open(None, None, context).await {
        Ok(Opened::Subject(subject)) => subject,
        // A list is no place to ask back.
        Ok(Opened::Ask(_)) => return Ok(Vec::new()),
        Err(failure) if failure.error_type == ErrorType::NoSession => return Ok(Vec::new()),
        Err(failure) => return Err(internal(failure)),
    };
    server.work(subject, false, context, |call| documents(call, &[], None)).await.map_err(internal)
}

fn internal(failure: Failure) -> ErrorData {
    let Failure { error, instruction, .. } = failure;
    ErrorData::internal_error(format!("{error}. {instruction}"), None)
}

pub(crate) async fn read(
    server: &Server,
    request: ReadResourceRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<ReadResourceResponse, ErrorData> {
    let not_found = |failure: Failure| {
        let said = match failure.error_type {
            // What is said of arguments is about tools.
            ErrorType::ValidationError => failure.error,
            _ => format!("{}. {}", failure.error, failure.instruction),
        };
        ErrorData::resource_not_found(said, Some(serde_json::json!({ "uri": request.uri })))
    };
    let subject = match server.open(None, request.input_responses.as_ref(), context).await.map_err(not_found)? {
        Opened::Subject(subject) => subject,
        Opened::Ask(question) => return Ok(question.into()),
    };
    let uri = request.uri.clone();
    let read = server.work(subject, false, context, move |call| read_document(call, &uri)).await;
    let (text, language) = read.map_err(|failure| match failure.error_type {
        ErrorType::ReadError | ErrorType::InternalError | ErrorType::Cancelled => internal(failure),
        _ => not_found(failure),
    })?;
    let contents = ResourceContents::TextResourceContents {
        uri: request.uri.clone(),
        mime_type: Some(mime_type(&language).to_owned()),
        text,
        meta: None,
    };
    Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(0).with_cache_scope(CacheScope::Private).into())
}

/// Completes the name of a collection or the path of a document.
pub(crate) async fn complete(
    server: &Server,
    request: CompleteRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CompleteResult, ErrorData> {
    if request.r#ref.as_resource_uri() != Some(TEMPLATE) {
        // Arguments of prompts are free text.
        let is_prompt = matches!(request.r#ref, Reference::Prompt(_));
        return if is_prompt { Ok(CompleteResult::default()) } else { Err(unknown(&request)) };
    }
    let typed = request.argument.value.as_str();
    let collection = request.context.as_ref().and_then(|context| context.get_argument("collection")).cloned();
    let listed = all(server, context).await?;
    let mut values: Vec<String> = match request.argument.name.as_str() {
        "collection" => listed.into_iter().map(|document| document.collection).collect(),
        "path" => {
            let fits = |document: &Listed| collection.as_ref().is_none_or(|name| *name == document.collection);
            listed.into_iter().filter(fits).map(|document| document.path).collect()
        }
        _ => return Err(unknown(&request)),
    };
    values.retain(|value| value.starts_with(typed));
    values.sort();
    values.dedup();
    let total = values.len();
    values.truncate(CompletionInfo::MAX_VALUES);
    let info = CompletionInfo::with_pagination(values, u32::try_from(total).ok(), total > CompletionInfo::MAX_VALUES)
        .map_err(|error| ErrorData::internal_error(error, None))?;
    Ok(CompleteResult::new(info))
}

fn unknown(request: &CompleteRequestParams) -> ErrorData {
    let name: String = request.argument.name.chars().take(60).collect();
    ErrorData::invalid_params(format!("nothing is known about the argument `{name}` of that reference"), None)
}
