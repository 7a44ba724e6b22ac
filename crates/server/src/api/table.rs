//! Every route.

use ai_assist_client::requests;

use super::own::{self, Nothing};
use super::route::{Does, Route, Verbs, get, of_service, post, tool};

use Verbs::{Delete, Get, Post};

pub(super) static TABLE: [Route; 50] = [
    of_service::<own::service::ServiceOf>(Get, "/service", "How the service is"),
    of_service::<own::service::Stop>(Post, "/service/stop", "End the service").local(),
    of_service::<own::service::NewLink>(Post, "/service/link", "A link that lets one browser in, once").local(),
    of_service::<own::service::ProjectsOf>(Get, "/projects", "The projects of the service"),
    get::<requests::Search>("/search", "Search everything by words and meaning"),
    get::<requests::Grep>("/grep", "Find lines by a pattern"),
    get::<requests::Symbols>("/symbols", "Find definitions by name"),
    get::<requests::Map>("/map", "The most central definitions of a repository"),
    get::<requests::Place>("/place", "Read what a place names, as the user").local(),
    post::<ai_assist_mcp::RelayedCall>("/tool", "Answer a call of a tool that reads").local(),
    get::<own::state::EntriesOf>("/entries", "Everything that can be searched"),
    get::<own::state::StatusOf>("/status", "What is up to date, and the room it takes"),
    get::<own::state::Examine>("/doctor", "Look for damage"),
    post::<own::state::Repair>("/doctor/repair", "Repair what is damaged").long(),
    get::<Nothing>("/repositories", "The repositories in reach"),
    get::<own::state::OneRepository>("/repositories/{repo}", "How the index of a repository is"),
    tool(Post, "/repositories/{repo}/build", "Index what has changed in a repository", "index_build").long(),
    get::<own::state::WorkspaceOf>("/workspace", "The workspace around the project"),
    tool(Get, "/documents", "List documents", "list_documents"),
    tool(Get, "/document", "Read a document", "get_document"),
    tool(Get, "/read", "Read any place that an answer shows", "read"),
    tool(Get, "/outline", "The headings or definitions of a document", "outline"),
    tool(Get, "/context", "What a question needs: passages, definitions, outlines", "context"),
    tool(Get, "/changed", "What has changed since a commit or a time", "changes"),
    tool(Get, "/content", "Read the documents of an expression", "get_content"),
    tool(Get, "/related", "Find documents that are related to one", "find_related"),
    tool(Get, "/explain", "Whether a path would be packed, and which rule decides", "explain_path"),
    tool(Get, "/collections", "List collections", "collection_list"),
    tool(Post, "/collections", "Add a collection", "collection_add"),
    tool(Post, "/collections/sync", "Sync collections", "collection_sync").long(),
    get::<own::state::OneCollection>("/collections/{name}", "How a collection is"),
    tool(Delete, "/collections/{name}", "Remove a collection", "collection_remove"),
    tool(Post, "/collections/{name}/change", "Replace parts of a collection", "collection_change"),
    tool(Post, "/collections/{name}/update", "Add to a collection, or take from it", "collection_update"),
    tool(Get, "/categories", "List categories", "category_list"),
    tool(Post, "/categories", "Add a category", "category_add"),
    tool(Delete, "/categories/{name}", "Remove a category", "category_remove"),
    tool(Post, "/categories/{name}/change", "Replace parts of a category", "category_change"),
    tool(Post, "/categories/{name}/update", "Add to a category, or take from it", "category_update"),
    tool(Post, "/sources", "Add a source, as far as the user lets agents do so", "source_add").long(),
    tool(Get, "/registry", "Search registries", "registry_search"),
    tool(Get, "/suggestions", "Documentation for what the project depends on", "suggest"),
    post::<own::packs::MakePack>("/packs", "Pack the project, or see what would be packed").long(),
    get::<own::packs::ListReceipts>("/receipts", "The records of what left"),
    get::<own::packs::OneReceipt>("/receipts/{number}", "One record of what left"),
    get::<own::sessions::SessionsOf>("/sessions", "The sessions about the project"),
    tool(Get, "/sessions/{session}/objects", "What a session knows or holds", "session_list"),
    tool(Get, "/sessions/{session}/object", "One object of a session, with its history", "session_show"),
    tool(Get, "/sessions/{session}/search", "Search what a session has seen", "session_search"),
    tool(Get, "/sessions/{session}/render", "What a model would see of a session", "session_render"),
];

/// The tools that have a route.
pub(super) fn tools() -> impl Iterator<Item = (&'static str, &'static Route)> {
    TABLE.iter().filter_map(|route| match route.does {
        Does::Tool(name) => Some((name, route)),
        Does::Own { .. } => None,
    })
}

/// The route of a tool. Some tools have a route of ours in their place.
pub(super) fn route_of_tool(name: &str) -> Option<&'static Route> {
    let instead = match name {
        "search" => Some("/search"),
        "grep" => Some("/grep"),
        "symbol" => Some("/symbols"),
        "map" => Some("/map"),
        "context_pack" => Some("/packs"),
        _ => None,
    };
    match instead {
        Some(path) => TABLE.iter().find(|route| route.path == path),
        None => tools().find(|(known, _)| *known == name).map(|(_, route)| route),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ai_assist_mcp::Verb;

    #[test]
    fn every_row_is_in_order() {
        for route in &TABLE {
            let (verb, path) = (route.verb.name(), route.path);
            if let Does::Tool(name) = route.does {
                let tool = Verb::named(name).unwrap_or_else(|| panic!("there is no tool {name}"));
                assert_eq!(tool.only_reads(), route.verb == Get, "{verb} {path}");
                assert!(route.long || !tool.is_long(), "{verb} {path}");
            }
            let input = route.input();
            let properties = input.get("properties").and_then(|all| all.as_object()).cloned().unwrap_or_default();
            for name in route.in_path() {
                assert!(properties.contains_key(name), "{verb} {path} has no argument {name}: {properties:?}");
            }
            assert!(!properties.contains_key("project"), "{verb} {path}");
            assert_eq!(TABLE.iter().filter(|it| it.path == path && it.verb == route.verb).count(), 1, "{verb} {path}");
        }
    }
}
