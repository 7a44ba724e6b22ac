use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::entry::{Server, entry};

fn ours(client: Client) -> Value {
    let server = Server::Started { command: "/bin/ai-assist".into(), args: vec!["mcp".into()] };
    entry(client, &server).unwrap()
}

fn added(client: Client, text: &str) -> String {
    let change = put(client, text, "ai-assist", &ours(client)).unwrap();
    assert_eq!(change.kind, Kind::Added, "{text}");
    change.text
}

fn removed(client: Client, text: &str) -> String {
    let change = take_out(client, text, "ai-assist").unwrap();
    assert_eq!(change.kind, Kind::Removed, "{text}");
    change.text
}

/// Putting in twice is putting in once, and taking out gives what was there.
fn assert_laws(client: Client, text: &str) -> String {
    let once = added(client, text);
    let twice = put(client, &once, "ai-assist", &ours(client)).unwrap();
    assert_eq!((twice.kind, &twice.text), (Kind::Unchanged, &once));
    assert_eq!(removed(client, &once), text, "after\n{once}");
    once
}

#[test]
fn a_fresh_file_for_each_client() {
    let json = |list: &str, kind: &str| {
        format!(
            "{{\n  \"{list}\": {{\n    \"ai-assist\": {{\n{kind}      \"command\": \"/bin/ai-assist\",\n      \"args\": \
             [\n        \"mcp\"\n      ]\n    }}\n  }}\n}}\n"
        )
    };
    let stdio = "      \"type\": \"stdio\",\n";
    for (client, expected) in [
        (Client::ClaudeCode, json("mcpServers", stdio)),
        (Client::ClaudeDesktop, json("mcpServers", "")),
        (Client::Cursor, json("mcpServers", "")),
        (Client::VsCode, json("servers", stdio)),
        (Client::Codex, "[mcp_servers.ai-assist]\ncommand = \"/bin/ai-assist\"\nargs = [\"mcp\"]\n".to_owned()),
        (Client::Gemini, json("mcpServers", "")),
        (Client::Zed, json("context_servers", "")),
    ] {
        assert_eq!(snippet(client, "ai-assist", &ours(client)).unwrap(), expected, "{client:?}");
        for empty in ["", "\n", " \n\n"] {
            assert_eq!(added(client, empty).trim_start(), expected, "{client:?}");
        }
    }
}

#[test]
fn comments_order_and_layout_stay() {
    let text = "// Zed settings\n{\n    // mine\n    \"theme\": \"One Dark\", // dark\n    \"context_servers\": {\n        \
                /* other */\n        \"other\": { \"command\": \"x\" }, // odd\n        \"last\": {} // here\n    },\n    \
                \"vim_mode\": true,\n}\n// end\n";
    let once = assert_laws(Client::Zed, text);
    let entry = [
        "        \"ai-assist\": {\n",
        "            \"command\": \"/bin/ai-assist\",\n",
        "            \"args\": [\n                \"mcp\"\n            ]\n        }\n",
    ]
    .concat();
    let expected = text.replace("\"last\": {} // here\n", &format!("\"last\": {{}}, // here\n{entry}"));
    assert_eq!(once, expected);
}

#[test]
fn odd_texts_keep_to_the_laws() {
    for text in [
        "{\"a\":1}",
        "{ \"a\": 1, }",
        "{\"mcpServers\":{\"o\":{\"command\":\"x\"}}}",
        "{\"mcpServers\": {\"o\": {} /* c */ , /* d */ } , \"z\": [1, 2]}",
        "\u{feff}{\r\n\t\"a\": 1,\r\n\t\"mcpServers\": {\r\n\t\t\"o\": {}\r\n\t}\r\n}\r\n",
        "{\n  \"a\": 1 // last, and no comma\n}",
        "{\n  \"a\": 1, // last, and a comma\n}",
        "{\n  \"a\": 1 /* over\n lines */\n}",
        "{\n  \"a\": 1 /* over\n lines */ , /* more\n lines */\n}\n",
        "{\n\n\n      \"a\": {\n      }\n\n\n}\n\n\n",
        "{\n  \"mcpServers\": {\n    // nothing but this\n    \"o\": {}\n    // and this\n  }\n}\n",
        "{\"a\": \"// no comment\", \"b\": \"/*\"\n}",
        "{\n  \"mcp\\u0053ervers\": { \"o\": {} }\n}\n",
        "{\n  \"näme\": \"日本語\",\n  \"mcpServers\": {\n    \"ö\": {}\n  }\n}\n",
    ] {
        assert_laws(Client::Cursor, text);
    }
    for text in [
        "model = \"o5\"\n\n[mcp_servers.other]\ncommand = \"x\" # why\n\n# about\n[tui]\ntheme = 1\n# end\n",
        "# only a comment\n",
        "mcp_servers = { other = { command = \"x\" } }\n",
        "\u{feff}a = 1\r\n\r\n[b]\r\nc = '''x\r\ny'''\r\n",
        "mcp_servers.other.command = \"x\"\n[z]\n",
        "[mcp_servers]\n# mine\nother = { command = \"x\" }\n\n[z]\n",
        "[[list]]\na = 1979-05-27T07:32:00Z\n[[list]]\nb = 0.1\n",
    ] {
        assert_laws(Client::Codex, text);
    }
}

#[test]
fn an_empty_list_goes_with_its_last_entry() {
    let once = added(Client::Cursor, "{\n  \"mcpServers\": {},\n  \"z\": 1\n}\n");
    assert_eq!(removed(Client::Cursor, &once), "{\n  \"z\": 1\n}\n");
    // A comment is a reason to keep it.
    let text = "{\n  \"mcpServers\": {\n    // none yet\n  }\n}\n";
    let once = added(Client::Cursor, text);
    assert!(once.contains("// none yet\n    \"ai-assist\""), "{once}");
    assert_eq!(removed(Client::Cursor, &once), text);
}

#[test]
fn a_comment_never_swallows_what_follows() {
    let text = "{\"mcpServers\": {\"o\": 1, // odd\n \"ai-assist\": {}}}";
    assert_eq!(removed(Client::Cursor, text), "{\"mcpServers\": {\"o\": 1 // odd\n }}");
    let text = "{ // first\n \"mcpServers\": {\"ai-assist\": {}}, \"b\": 1}";
    assert_eq!(removed(Client::Cursor, text), "{ // first\n  \"b\": 1}");
    let text = "{ // nothing else\n}";
    assert_eq!(removed(Client::Cursor, &added(Client::Cursor, text)), text);
}

#[test]
fn another_entry_of_the_name_is_replaced_whole() {
    let text = "{\n  \"mcpServers\": {\n    // ours\n    \"ai-assist\": { \"command\": \"old\", \"env\": { \"A\": \"b\" } }, // x\n    \
                \"z\": {}\n  }\n}\n";
    let change = put(Client::Cursor, text, "ai-assist", &ours(Client::Cursor)).unwrap();
    assert_eq!(change.kind, Kind::Replaced);
    assert_eq!(
        change.text,
        "{\n  \"mcpServers\": {\n    // ours\n    \"ai-assist\": {\n      \"command\": \"/bin/ai-assist\",\n      \"args\": [\n        \
         \"mcp\"\n      ]\n    }, // x\n    \"z\": {}\n  }\n}\n"
    );
    let text = "a = 1\n\n# ours\n[mcp_servers.ai-assist]\ncommand = \"old\"\n[mcp_servers.ai-assist.env]\nA = \"b\"\n\n[z]\nb = 2\n";
    let change = put(Client::Codex, text, "ai-assist", &ours(Client::Codex)).unwrap();
    assert_eq!(change.kind, Kind::Replaced);
    assert_eq!(
        change.text,
        "a = 1\n\n# ours\n[mcp_servers.ai-assist]\ncommand = \"/bin/ai-assist\"\nargs = [\"mcp\"]\n\n[z]\nb = 2\n"
    );
    assert_eq!(put(Client::Codex, &change.text, "ai-assist", &ours(Client::Codex)).unwrap().kind, Kind::Unchanged);
}

#[test]
fn an_entry_is_the_same_in_any_order_and_layout() {
    let text =
        "{\"mcpServers\": {\"ai-assist\": {\"args\": [ \"mcp\" , ], /* . */ \"command\": \"\\u002fbin/ai-assist\"}}}";
    assert_eq!(put(Client::Cursor, text, "ai-assist", &ours(Client::Cursor)).unwrap().kind, Kind::Unchanged);
    let text = "mcp_servers.ai-assist = { args = ['mcp'], command = '/bin/ai-assist' }";
    assert_eq!(put(Client::Codex, text, "ai-assist", &ours(Client::Codex)).unwrap().kind, Kind::Unchanged);
    assert_eq!(take_out(Client::Codex, "a = 1", "ai-assist").unwrap().kind, Kind::Unchanged);
    assert_eq!(take_out(Client::Zed, "// nothing\n", "ai-assist").unwrap().kind, Kind::Unchanged);
}

#[test]
fn what_can_not_be_understood_is_named_with_its_place() {
    for (client, text, expected) in [
        (Client::Cursor, "{\n  \"mcpServers\": {", "2:17: unterminated object"),
        (Client::Cursor, "{\n  \"a\": hunter2\n}", "2:8: unexpected word"),
        (Client::Cursor, "{} {}", "1:4: text cannot contain more than one json value"),
        (Client::Cursor, "[]", "1:1: the file must be an object, and is a list"),
        (Client::Cursor, "{\n  \"mcpServers\": []\n}", "2:17: `mcpServers` must be an object, and is a list"),
        (Client::VsCode, "{\"servers\": null}", "1:13: `servers` must be an object, and is null"),
        (
            Client::Zed,
            "{\"ä\": 1, \"context_servers\": \"x\"}",
            "1:29: `context_servers` must be an object, and is a text",
        ),
        (Client::Gemini, "{\"mcpServers\": {}, \"mcpServers\": {}}", "1:20: `mcpServers` stands here a second time"),
        (Client::Codex, "a = 1\nmcp_servers = []\n", "2:15: `mcp_servers` must be a table"),
        (Client::Codex, "a = 1\na = 2\n", "2:1: duplicate key"),
        (Client::Codex, "[[mcp_servers]]\n", "1:1: `mcp_servers` must be a table"),
    ] {
        for fault in [
            put(client, text, "ai-assist", &ours(client)).unwrap_err(),
            take_out(client, text, "ai-assist").unwrap_err(),
        ] {
            assert_eq!(fault.to_string(), expected, "{text}");
        }
    }
    let fault = put(Client::Codex, "a = hunter2\n", "ai-assist", &ours(Client::Codex)).unwrap_err();
    assert_eq!(fault.line, 1);
    assert!(!fault.message.contains("hunter2"), "{fault}");
    let deep = "[".repeat(100_000);
    assert!(put(Client::Cursor, &deep, "ai-assist", &json!({})).is_err());
    assert!(put(Client::Codex, &format!("a = {deep}"), "ai-assist", &json!({})).is_err());
}

#[test]
fn names_are_plain() {
    for name in ["a", "ai-assist", "A_1", &"x".repeat(30)] {
        assert!(snippet(Client::Codex, name, &json!({})).is_ok(), "{name}");
    }
    for name in ["", "a b", "a.b", "a/b", "ä", "\"", &"x".repeat(31)] {
        assert!(matches!(snippet(Client::Codex, name, &json!({})), Err(Error::BadName(_))), "{name}");
    }
}

/// Space and comments as people and programs leave them.
fn gap() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", " ", "\n", "\n  ", "\r\n\t", " // x\n", "/* y */", "\n /* z\n z */ ", "\n\n"])
        .prop_map(str::to_owned)
}

/// Some object, with other servers in it or no list of servers at all.
fn settings() -> impl Strategy<Value = String> {
    let value =
        prop::sample::select(vec!["1", "\"// s\"", "{ \"command\": \"x\" }", "[1, /* c */ 2,]", "{\n}", "null"]);
    let properties = |first: &'static str| {
        (prop::collection::vec((gap(), value.clone(), gap(), gap()), 1..4), any::<bool>(), gap()).prop_map(
            move |(values, comma, end)| {
                let mut text = "{".to_owned();
                let count = values.len();
                for (at, (before, value, after, last)) in values.into_iter().enumerate() {
                    text.push_str(&format!("{before}\"{first}{at}\":{value}{after}"));
                    if at + 1 < count || comma {
                        text.push_str(&format!(",{last}"));
                    }
                }
                text + &end + "}"
            },
        )
    };
    let nested = (gap(), properties("s"), gap(), any::<bool>()).prop_map(|(before, servers, after, more)| {
        let more = if more { ",\n  \"z\": true" } else { "" };
        format!("{before}{{{before}\"mcpServers\":{servers}{after}{more}}}{after}")
    });
    prop_oneof![properties("k"), nested]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_put_in_can_be_taken_out(text in settings()) {
        assert_laws(Client::Cursor, &text);
    }

    #[test]
    fn no_text_is_too_odd(text in r#"[\[\]{},:"/*\n a1\\mcpServers]{0,40}"#) {
        for client in [Client::Cursor, Client::Codex] {
            let _ = take_out(client, &text, "ai-assist");
            if let Ok(change) = put(client, &text, "ai-assist", &ours(client)) {
                prop_assert_eq!(put(client, &change.text, "ai-assist", &ours(client)).unwrap().kind, Kind::Unchanged);
            }
        }
    }
}
