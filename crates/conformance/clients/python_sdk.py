"""Speaks to the MCP server through the official Python SDK.

Usage: python_sdk.py REVISION URL TOKEN
       python_sdk.py REVISION COMMAND ARGUMENT...

URL is a server that runs over HTTP and wants TOKEN, COMMAND starts one over standard input and output. It serves a project with a synced
collection `docs`, which has a document about apples, and an indexed repository, which has a function `pick_apple`.
Exits with 1 and says what is wrong if something is.
"""

import json
import logging
import sys

import anyio
from jsonschema import Draft202012Validator
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

# What the SDK calls the ways to begin: with a handshake, or with every request on its own.
MODES = {"2025-11-25": "legacy", "2026-07-28": "auto"}
PATIENCE = 60

# Calls of every tool, in an order in which they leave nothing behind, each with a text that its answer must have.
DOCUMENT = "assist://collection/docs/orchard.md"
CALLS = [
    ("search", {"query": "when do apples ripen"}, "Apples ripen in autumn"),
    ("search", {"query": "pick_apple", "scope": "repo"}, "src/lib.rs"),
    ("read", {"place": DOCUMENT + ":3-3"}, "Apples ripen in autumn"),
    ("get_document", {"document": DOCUMENT, "lines": "3-3"}, "Apples ripen in autumn"),
    ("outline", {"document": DOCUMENT}, "Pears"),
    ("symbol", {"name": "pick_apple"}, "src/lib.rs"),
    ("grep", {"pattern": "pick_\\w+"}, "src/lib.rs:2: pub fn pick_apple"),
    ("map", {}, "pick_apple"),
    ("context", {"query": "how is an apple picked"}, "pick_apple"),
    ("changes", {}, "files"),
    ("tools", {"name": "symbol", "arguments": {"name": "pick_apple"}}, "src/lib.rs"),
    ("list_documents", {"collection": "docs"}, DOCUMENT),
    ("find_related", {"document": "src/lib.rs"}, ""),
    ("context_pack", {"include": ["src/**"], "max_tokens": 2000}, "pick_apple"),
    ("explain_path", {"path": "src/lib.rs"}, "src/lib.rs"),
    ("collection_list", {}, "docs"),
    ("collection_sync", {"collections": ["docs"]}, "docs"),
    ("index_build", {}, ""),
    ("category_add", {"name": "fruit", "dir": "docs", "patterns": ["*.md"]}, "fruit"),
    ("category_update", {"name": "fruit", "add_patterns": ["*.txt"]}, "fruit"),
    ("category_change", {"name": "fruit", "description": "What grows."}, "fruit"),
    ("category_list", {}, "fruit"),
    ("collection_add", {"name": "garden", "categories": ["fruit"]}, "garden"),
    ("collection_update", {"name": "garden", "remove_categories": ["fruit"]}, "garden"),
    ("collection_change", {"name": "garden", "categories": ["fruit"]}, "garden"),
    ("collection_sync", {"collections": ["garden"], "force": True}, "fruit"),
    ("get_content", {"expression": "garden"}, "Apples ripen in autumn"),
    ("collection_remove", {"name": "garden"}, "garden"),
    ("category_remove", {"name": "fruit"}, "fruit"),
    ("source_add", {"source": "./docs"}, "docs"),
    ("registry_search", {"query": "fruit"}, "fruit"),
    ("suggest", {}, "suggestions"),
    ("session_open", {"session": "sdk", "system_prompt": "Tend the orchard."}, "sdk"),
    ("session_read", {"session": "sdk", "paths": ["src/lib.rs"]}, "src/lib.rs"),
    ("session_record", {"session": "sdk", "turn": {"role": "user", "text": "Pick apples."}, "request": "sdk-1"}, "turn"),
    (
        "session_record",
        {"session": "sdk", "toolcall": {"tool": "ls", "args": {"deep": False}, "output": "src"}, "request": "sdk-2"},
        "id",
    ),
    ("session_hold", {"session": "sdk", "pin": ["src/lib.rs"]}, "changed"),
    ("session_list", {"session": "sdk", "set": "pinned"}, "file src/lib.rs"),
    ("session_list", {"set": "sessions"}, "sdk"),
    ("session_show", {"session": "sdk", "object": "src/lib.rs"}, "pick_apple"),
    ("session_show", {"session": "sdk", "object": "src/lib.rs", "view": "history"}, "valid_from"),
    ("session_search", {"session": "sdk", "query": "pick_apple"}, "src/lib.rs"),
    ("session_render", {"session": "sdk"}, "Tend the orchard."),
    ("session_hold", {"session": "sdk", "unpin": ["src/lib.rs"]}, "changed"),
    ("memory", {"query": "Pick apples"}, "Pick apples."),
    ("memory", {}, ""),
]


# Names that tools had before, and that still answer.
OLD = {"get_document"}


class Wrong(Exception):
    """Something that a client may rely on does not hold."""


class Complaints(logging.Handler):
    """What the SDK warns of."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


def check(holds: object, what: str) -> None:
    if not holds:
        raise Wrong(what)


def follows(schema: dict, value: object, what: str) -> None:
    """Checks a value against a schema that the server gave for it."""
    Draft202012Validator.check_schema(schema)
    wrong = [f"{error.json_path}: {error.message}" for error in Draft202012Validator(schema).iter_errors(value)]
    check(not wrong, f"{what} breaks its output schema: {'; '.join(wrong)}")


async def called(client: Client, schemas: dict, name: str, arguments: dict) -> dict:
    """Calls a tool. Its answer must be there as text, for models, and as structure that follows the schema."""
    result = await client.call_tool(name, arguments)
    answer = result.structured_content
    check(isinstance(answer, dict), f"{name} gives no structured content")
    # A tool that goes by the name that it had before is not in the list, and `tools` promises no shape.
    if schemas.get(name):
        follows(schemas[name], answer, f"the answer of {name}")
    check(result.content[0].text.strip(), f"{name} gives no text")
    check(result.is_error == (not answer["success"]), f"{name} does not say in both ways whether it failed")
    return answer


async def talk(client: Client, revision: str) -> None:
    check(client.protocol_version == revision, f"speaks {client.protocol_version}, not {revision}")
    check(client.server_info and client.server_info.name == "ai-assist", f"calls itself {client.server_info}")
    check(client.instructions, "gives no instructions")

    tools = (await client.list_tools()).tools
    apart = {tool.name for tool in tools} ^ ({name for name, _, _ in CALLS} - OLD)
    check(not apart, f"lists other tools than are called here: {', '.join(sorted(apart))}")
    for tool in tools:
        Draft202012Validator.check_schema(tool.input_schema)
        # What is called through `tools` answers as it does by itself.
        shaped = tool.output_schema or tool.name == "tools"
        check(tool.description and shaped and tool.annotations, f"says too little about {tool.name}")
    schemas = {tool.name: tool.output_schema for tool in tools}

    for name, arguments, wanted in CALLS:
        answer = await called(client, schemas, name, arguments)
        check(answer["success"] and wanted in json.dumps(answer), f"{name} {arguments} answers {answer}")
    refused = await called(client, schemas, "search", {"query": 3})
    check(not refused["success"] and refused["instruction"], f"search takes a number as its query: {refused}")

    resources = (await client.list_resources()).resources
    check(len(resources) == 1, f"lists {len(resources)} resources, not 1")
    read = await client.read_resource(str(resources[0].uri))
    check("Apples" in read.contents[0].text, f"reads something else as {resources[0].uri}")
    templates = (await client.list_resource_templates()).resource_templates
    check(templates, "lists no resource template")

    prompts = (await client.list_prompts()).prompts
    check("orient" in {prompt.name for prompt in prompts}, "does not list the prompt `orient`")
    prompt = await client.get_prompt("orient", {"focus": "apples"})
    check("apples" in prompt.messages[0].content.text, "leaves the argument out of the prompt")


def reason(error: BaseException) -> str:
    """What an error says, out of the groups that the SDK puts around it."""
    while getattr(error, "exceptions", None):
        error = error.exceptions[0]
    return str(error) if isinstance(error, Wrong) else f"{type(error).__name__}: {error}"


async def main(revision: str, target: list[str]) -> None:
    over_http = target[0].startswith("http://")
    if over_http:
        http_client = create_mcp_http_client(headers={"Authorization": f"Bearer {target[1]}"})
        server = streamable_http_client(target[0], http_client=http_client)
    else:
        server = stdio_client(StdioServerParameters(command=target[0], args=target[1:]))
    complaints = Complaints()
    logging.getLogger().addHandler(complaints)
    with anyio.fail_after(PATIENCE):
        async with Client(server, mode=MODES[revision]) as client:
            await talk(client, revision)
    # Names that tools had before answer and are not listed, which the SDK is right to say.
    known = tuple(f"Tool {name} not listed by server" for name in OLD)
    said = [line for line in complaints.said if not line.startswith(known)]
    check(not said, f"the SDK complains: {'; '.join(said)}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        anyio.run(main, sys.argv[1], sys.argv[2:])
    except Exception as error:
        sys.exit(reason(error))
