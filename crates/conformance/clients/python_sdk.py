"""Speaks to the MCP server through the official Python SDK.

Usage: python_sdk.py URL COMMAND [ARGUMENT]...

URL is a server that runs over HTTP, COMMAND starts one over standard input and output. Both serve a project with a
collection `docs` that has a document about apples, synced. Each is asked in the old way (a handshake first) and in the new
(every request on its own). Prints one line for each of the four; a line that begins with `fail` says what is wrong.
"""

import json
import sys

import anyio
from jsonschema import Draft202012Validator
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

# What the SDK calls the two ways, with the revision that each must come to.
WAYS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
PATIENCE = 60


class Wrong(Exception):
    """Something that a client may rely on does not hold."""


def check(holds: object, what: str) -> None:
    if not holds:
        raise Wrong(what)


def follows(schema: dict, value: object, what: str) -> None:
    """Checks a value against a schema that the server gave for it."""
    Draft202012Validator.check_schema(schema)
    wrong = [f"{error.json_path}: {error.message}" for error in Draft202012Validator(schema).iter_errors(value)]
    check(not wrong, f"{what} breaks its output schema: {'; '.join(wrong)}")


async def called(client: Client, schemas: dict, name: str, arguments: dict) -> dict:
    """Calls a tool. Its answer must be the same as structure and as text, and follow the schema."""
    result = await client.call_tool(name, arguments)
    answer = result.structured_content
    check(isinstance(answer, dict), f"{name} gives no structured content")
    follows(schemas[name], answer, f"the answer of {name}")
    check(json.loads(result.content[0].text) == answer, f"the text of {name} is not its structured content")
    check(result.is_error == (not answer["success"]), f"{name} does not say in both ways whether it failed")
    return answer


async def talk(client: Client, version: str) -> str:
    check(client.protocol_version == version, f"speaks {client.protocol_version}, not {version}")
    check(client.server_info and client.server_info.name == "ai-assist", f"calls itself {client.server_info}")
    check(client.instructions, "gives no instructions")

    tools = (await client.list_tools()).tools
    check({"search", "get_document"} <= {tool.name for tool in tools}, "does not list search and get_document")
    for tool in tools:
        Draft202012Validator.check_schema(tool.input_schema)
        check(tool.description and tool.output_schema and tool.annotations, f"says too little about {tool.name}")
    schemas = {tool.name: tool.output_schema for tool in tools}

    found = await called(client, schemas, "search", {"query": "when do apples ripen"})
    check("Apples ripen in autumn" in json.dumps(found), f"search does not find the apples: {found}")
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
    return f"{len(tools)} tools, {len(prompts)} prompts, 1 resource"


def reason(error: BaseException) -> str:
    """What an error says, out of the groups that the SDK puts around it."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return str(error) if isinstance(error, Wrong) else f"{type(error).__name__}: {error}"


async def main(url: str, command: list[str]) -> bool:
    right = True
    for carrier in ("http", "stdio"):
        for mode, version in WAYS.items():
            server = url if carrier == "http" else stdio_client(StdioServerParameters(command=command[0], args=command[1:]))
            try:
                with anyio.fail_after(PATIENCE):
                    async with Client(server, mode=mode) as client:
                        print(f"pass Python SDK, {carrier}, {version}: {await talk(client, version)}", flush=True)
            except Exception as error:  # Whatever it is, the others are tried as well.
                print(f"fail Python SDK, {carrier}, {version}: {reason(error)}", flush=True)
                right = False
    return right


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(0 if anyio.run(main, sys.argv[1], sys.argv[2:]) else 1)
