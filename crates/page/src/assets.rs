//! The files of the page itself, embedded.

use std::sync::LazyLock;

use ai_assist_identity::Sha256;
use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};

struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
    tag: LazyLock<String>,
}

macro_rules! asset {
    ($name:literal, $kind:literal) => {
        Asset {
            name: $name,
            kind: $kind,
            bytes: include_bytes!(concat!("../assets/", $name)),
            tag: LazyLock::new(|| tag(include_bytes!(concat!("../assets/", $name)))),
        }
    };
}

static ASSETS: [Asset; 3] = [
    asset!("page.css", "text/css; charset=utf-8"),
    asset!("page.js", "text/javascript; charset=utf-8"),
    asset!("icon.svg", "image/svg+xml"),
];

/// A strong tag: the hash of the very bytes.
fn tag(bytes: &[u8]) -> String {
    format!("\"{}\"", &Sha256::of(bytes).hex()[..32])
}

pub(crate) async fn serve(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == name) else {
        return (StatusCode::NOT_FOUND, "there is no such file\n").into_response();
    };
    let tag = asset.tag.as_str();
    let is_known = headers.get(IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
    // The binary may be another one tomorrow, so a browser asks each time, and is told that it has the file.
    let about = [(ETAG, tag), (CACHE_CONTROL, "no-cache"), (CONTENT_TYPE, asset.kind)];
    if is_known.is_some_and(|tags| tags.split(',').any(|known| known.trim() == tag)) {
        return (StatusCode::NOT_MODIFIED, about).into_response();
    }
    (about, asset.bytes).into_response()
}
