//! Subscriptions: a client is told when a document that it follows has another text, or its file has changed.
//!
//! Revisions until 2025-11-25 have `resources/subscribe`, the one of 2026-07-28 has `subscriptions/listen`; both come to the same rounds of
//! looking. There is no watch of the system behind it: a round asks for a few documents once a second, which finds also what a sync
//! of another process has changed, and no watch can run out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{RequestContext, SubscriptionContext};

use crate::outcome::Failure;
use crate::server::{Opened, Server};
use crate::tools::{DocumentState, document_state};

/// So many documents a client may follow.
const MOST: usize = 64;
const EVERY: Duration = Duration::from_secs(1);

/// What a client of an earlier revision follows, as it was when it was last told.
#[derive(Clone, Default)]
pub(crate) struct Followed(Arc<Mutex<BTreeMap<String, Option<DocumentState>>>>);

impl Followed {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Option<DocumentState>>> {
        // Every change of it is one call, so there is no half of one to be met.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn forget(&self, uri: &str) {
        self.all().remove(uri);
    }
}

/// Follows a document from now on. The first one starts the rounds, which end when nothing is followed or nobody listens.
pub(crate) async fn follow(
    server: &Server,
    followed: &Followed,
    uri: String,
    context: RequestContext<RoleServer>,
) -> Result<(), ErrorData> {
    let state = states(server, vec![uri.clone()], &context).await.and_then(|mut states| states.pop().flatten());
    let Some(state) = state else {
        return Err(ErrorData::resource_not_found("no such document", Some(serde_json::json!({ "uri": uri }))));
    };
    let is_first = {
        let mut all = followed.all();
        if all.len() >= MOST && !all.contains_key(&uri) {
            return Err(ErrorData::invalid_params(format!("no more than {MOST} documents can be followed"), None));
        }
        let is_first = all.is_empty();
        all.insert(uri, Some(state));
        is_first
    };
    if is_first {
        let (server, followed) = (server.clone(), followed.clone());
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(EVERY).await;
                let uris: Vec<String> = followed.all().keys().cloned().collect();
                if uris.is_empty() || context.peer.is_transport_closed() {
                    followed.all().clear();
                    return;
                }
                let Some(states) = states(&server, uris.clone(), &context).await else { continue };
                for (uri, state) in uris.into_iter().zip(states) {
                    let is_new = followed.all().get_mut(&uri).is_some_and(|known| changed(known, state));
                    if is_new {
                        let _ = context.peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await;
                    }
                }
            }
        });
    }
    Ok(())
}

/// Of what a client wants to listen to, what there is: changes of documents, not of lists, which are asked for anew at every use.
pub(crate) fn accepted(requested: &SubscriptionFilter) -> SubscriptionFilter {
    let uris = requested.resource_subscriptions.iter().flatten().take(MOST);
    SubscriptionFilter::builder().resource_subscriptions(uris).build()
}

/// Tells of changes until the client has heard enough.
pub(crate) async fn listen(server: &Server, context: &SubscriptionContext) {
    let uris: Vec<String> = context.accepted().resource_subscriptions.clone().unwrap_or_default();
    let request = context.request_context();
    let mut known = states(server, uris.clone(), request).await.unwrap_or_else(|| vec![None; uris.len()]);
    // A client may change a file as soon as it is told that somebody listens, which is before the first look.
    for (uri, _) in uris.iter().zip(&known).filter(|(_, state)| state.as_ref().is_some_and(|state| !state.is_current)) {
        if context.sink().notify_resource_updated(uri.clone()).await.is_err() {
            return;
        }
    }
    loop {
        tokio::select! {
            () = context.cancelled() => return,
            () = tokio::time::sleep(EVERY) => {}
        }
        let Some(now) = states(server, uris.clone(), request).await else { continue };
        for ((uri, known), now) in uris.iter().zip(&mut known).zip(now) {
            if changed(known, now) && context.sink().notify_resource_updated(uri.clone()).await.is_err() {
                return;
            }
        }
    }
}

fn changed(known: &mut Option<DocumentState>, now: Option<DocumentState>) -> bool {
    let is_new = *known != now;
    *known = now;
    is_new
}

/// How documents are now; none for one that is not there, and none at all where the project can't be opened.
async fn states(
    server: &Server,
    uris: Vec<String>,
    context: &RequestContext<RoleServer>,
) -> Option<Vec<Option<DocumentState>>> {
    let Ok(Opened::Subject(subject)) = server.open(None, None, context).await else { return None };
    let all = move |call: &crate::call::Call<'_>| -> Result<Vec<Option<DocumentState>>, Failure> {
        Ok(uris.iter().map(|uri| document_state(call, uri).ok()).collect())
    };
    server.work(subject, false, context, all).await.ok()
}
