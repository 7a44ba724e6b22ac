//! What goes on, as events (SSE).

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, StreamExt};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;

use super::route::Prepared;
use super::{Reporter, told, work};
use crate::failures;
use crate::service::{Asker, Service};

/// How far work is, is told no more often than this.
const REPORT_EVERY: Duration = Duration::from_millis(100);
/// A connection on which nothing happens is kept by a word every so often.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

fn event(kind: &str, data: &Value) -> Event {
    Event::default().event(kind).data(data.to_string())
}

/// Does the work of a call, and tells how far it is: `progress` at times, and `done` or `problem` at the end. Whoever hangs up
/// cancels it.
pub(super) fn progress(service: Arc<Service>, asker: Asker, prepared: Prepared) -> Response {
    let (to, from) = mpsc::unbounded_channel::<Event>();
    let reports = to.clone();
    let last: Mutex<Option<Instant>> = Mutex::new(None);
    let report: Reporter = Box::new(move |done, total, message| {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_none_or(|last| last.elapsed() >= REPORT_EVERY) {
            *last = Some(Instant::now());
            let _ = reports.send(event("progress", &json!({ "done": done, "total": total, "message": message })));
        }
    });
    let working = async move {
        let last = match work(service, true, asker, prepared, report).await {
            Ok(value) => event("done", &value),
            Err(failure) => {
                let (_, mut problem) = failures::problem(&failure);
                problem["instruction"] = told(&failure.instruction).into();
                event("problem", &problem)
            }
        };
        let _ = to.send(last);
    };
    // The work is a part of the stream: dropped with it, it is cancelled.
    let working = stream::once(working).filter_map(async |()| None);
    let events =
        stream::unfold(from, async |mut from| from.recv().await.map(|event| (Ok::<_, Infallible>(event), from)));
    let all = stream::select(events, working);
    Sse::new(all).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
}

/// Every change, until the client hangs up or the service ends. The first event says that from here on nothing is missed.
pub(super) async fn changes(service: Arc<Service>) -> Response {
    let changes = service.changes.subscribe();
    let ready = stream::once(async { Ok::<_, Infallible>(event("ready", &json!({}))) });
    let events = stream::unfold((changes, service), async |(mut changes, service)| {
        let told = tokio::select! {
            told = changes.recv() => told,
            () = service.stop.cancelled() => return None,
        };
        let event = match told {
            Ok(change) => event("change", &json!(change)),
            // What was missed is told in one.
            Err(RecvError::Lagged(missed)) => event("missed", &json!({ "changes": missed })),
            Err(RecvError::Closed) => return None,
        };
        Some((Ok(event), (changes, service)))
    });
    Sse::new(ready.chain(events)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
}
