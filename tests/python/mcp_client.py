"""Tests the Environment of examples/mcp-conformance with the official MCP client.

Usage: mcp_client.py MODE URL
       mcp_client.py MODE COMMAND [ARGUMENT...]   (a server on stdin and stdout)

MODE is the client's option: `auto` detects that the server supports 2026-07-28, `legacy` uses the older handshake.
"""

import asyncio
import sys
from contextlib import AsyncExitStack

import anyio
import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters

from checking import expect, require, run

MODE, *TARGET = sys.argv[1:]
SERVER = TARGET[0] if TARGET[0].startswith("http") else StdioServerParameters(command=TARGET[0], args=TARGET[1:])
MODERN = MODE == "auto"


def connected(**options):
    return Client(SERVER, mode=MODE, **options)


def text_of(result):
    return [block.text for block in result.content]


async def everything_is_listed():
    async with connected() as client:
        expect("the protocol", client.protocol_version, "2026-07-28" if MODERN else "2025-11-25")
        tools = [tool.name for tool in (await client.list_tools()).tools]
        expect("the order of tools", tools, sorted(tools))
        require("tools of the server with unchanged names", {"test_simple_text", "test_sampling"} <= set(tools))
        prompts = {prompt.name for prompt in (await client.list_prompts()).prompts}
        require("the agent's prompt and those of its server", {"system_prompt", "test_simple_prompt"} <= prompts)
        resources = {resource.name for resource in (await client.list_resources()).resources}
        require("the agent's references and its server's resources", {"suite", "static-text"} <= resources)
        templates = [one.uri_template for one in (await client.list_resource_templates()).resource_templates]
        expect("templates", templates, ["test://template/{id}/data"])


async def tools_return_all_kinds_of_content():
    async with connected() as client:
        await client.list_tools()
        text = "This is a simple text response for testing."
        expect("text", text_of(await client.call_tool("test_simple_text")), [text])
        several = (await client.call_tool("test_multiple_content_types")).content
        expect("kinds", [block.type for block in several], ["text", "image", "resource"])
        expect("the image", several[1].mime_type, "image/png")
        audio = (await client.call_tool("test_audio_content")).content[0]
        expect("the audio", (audio.type, audio.mime_type), ("audio", "audio/wav"))
        # The client checks this against the tool's output schema.
        added = await client.call_tool("test_structured_content", {"a": 40, "b": 2})
        expect("data", added.structured_content, {"sum": 42, "words": "The sum is 42."})
        expect("the same as text", text_of(added), ["The sum is 42."])


async def prompts_are_returned():
    async with connected() as client:
        system = await client.get_prompt("system_prompt")
        require("the agent's own prompt", "conformance suite" in system.messages[0].content.text)
        filled = await client.get_prompt("test_prompt_with_arguments", {"arg1": "one", "arg2": "two"})
        words = "Prompt with arguments: arg1='one', arg2='two'"
        expect("a prompt of the server", filled.messages[0].content.text, words)
        reference = types.PromptReference(type="ref/prompt", name="test_prompt_with_arguments")
        completed = await client.complete(reference, {"name": "arg1", "value": "par"})
        expect("values with this prefix", completed.completion.values, ["paris", "park", "party"])


async def resources_are_read():
    async with connected() as client:
        listed = (await client.list_resources()).resources
        reference = next(resource for resource in listed if resource.name == "suite")
        read = (await client.read_resource(reference.uri)).contents[0]
        require("a reference of the agent", "conformance" in read.text)
        read = (await client.read_resource("test://template/7/data")).contents[0]
        require("a resource from a template", '"id":"7"' in read.text)
        try:
            await client.read_resource("test://nothing")
        except MCPError as error:
            expect("the code", error.code, -32602 if MODERN else -32002)
        else:
            require("an unknown resource cannot be read", False)


async def progress_is_reported():
    received = []

    async def on_progress(done, total, _message):
        received.append((done, total))

    async with connected() as client:
        await client.call_tool("test_tool_with_progress", progress_callback=on_progress)
    expect("progress", received, [(0, 100), (50, 100), (100, 100)])


async def requests_to_the_client_are_answered():
    asked = []

    async def fill_in(_context, params):
        asked.append(params.message)
        fields = params.requested_schema["properties"]
        return types.ElicitResult(action="accept", content={name: f"my {name}" for name in fields})

    async def write(_context, params):
        words = types.TextContent(type="text", text=f"You said: {params.messages[0].content.text}")
        return types.CreateMessageResult(role="assistant", content=words, model="a-model")

    async def roots(_context):
        return types.ListRootsResult(roots=[types.Root(uri="file:///work", name="work")])

    callbacks = dict(elicitation_callback=fill_in, sampling_callback=write, list_roots_callback=roots)
    async with connected(**callbacks) as client:
        answered = text_of(await client.call_tool("test_elicitation", {"message": "Who are you?"}))[0]
        require(f"a form: {answered}", "accept" in answered and "my username" in answered)
        rounds = text_of(await client.call_tool("test_input_required_result_multi_round"))
        expect("two rounds", rounds, ["my name likes my color."])
        expect(
            "the elicitation messages",
            asked,
            ["Who are you?", "Step 1: What is your name?", "Step 2: What is your favorite color?"],
        )
        written = text_of(await client.call_tool("test_sampling", {"prompt": "hello"}))
        expect("text of the client's model", written, ["LLM response: You said: hello"])
        several = text_of(await client.call_tool("test_input_required_result_multiple_inputs"))
        expect("three requests at once", several, ["You said: Generate a greeting my name, 1 roots"])
        prompt = await client.get_prompt("test_input_required_result_prompt")
        expect("a prompt that requests input", prompt.messages[0].content.text, "Prompt with context: my context")


async def elicitation_fails_without_client_support():
    async with connected() as client:
        try:
            refused = await client.call_tool("test_elicitation", {"message": "Who are you?"})
        except MCPError as error:
            require(f"only newer clients get an error: {error}", MODERN)
            expect("the code", error.code, -32021)
        else:
            require(f"older clients get a failed call: {refused}", not MODERN and refused.is_error)


async def log_messages_are_received():
    received = []

    async def on_log(params):
        received.append((params.level, params.data))

    async with connected(logging_callback=on_log, log_level="info" if MODERN else None) as client:
        if not MODERN:
            await client.set_logging_level("info")
        await client.call_tool("test_tool_with_logging")
    lines = ["Tool execution started", "Tool processing data", "Tool execution completed"]
    expect("lines", received, [("info", line) for line in lines])


async def calls_can_be_canceled():
    async with connected() as client:
        before = int(text_of(await client.call_tool("count_canceled", {"at_least": 0}))[0])
        with anyio.CancelScope() as scope:

            async def cancel(*_):
                scope.cancel()

            await client.call_tool("wait_until_canceled", progress_callback=cancel)
        require("the client canceled the call", scope.cancelled_caught)
        after = int(text_of(await client.call_tool("count_canceled", {"at_least": before + 1}))[0])
        expect("the tool received the cancellation", after, before + 1)


async def errors_have_codes():
    async with connected() as client:
        failed = await client.call_tool("test_error_handling")
        words = ["This tool intentionally returns an error for testing"]
        expect("a failed call", (failed.is_error, text_of(failed)), (True, words))
        for label, call in [
            ("tool", lambda: client.call_tool("no_such_tool")),
            ("prompt", lambda: client.get_prompt("no_such_prompt")),
        ]:
            try:
                await call()
            except MCPError as error:
                expect(f"the code for an unknown {label}", error.code, -32602)
            else:
                require(f"an unknown {label} is an error", False)


async def change_notifications_are_received():
    received = asyncio.Queue()

    async def on_message(message):
        await received.put((type(message).__name__, getattr(message.params, "uri", None)))

    async def listen(changes):
        async for change in changes:
            await received.put((type(change).__name__, getattr(change, "uri", None)))

    async def until(wanted):
        # Notifications about a server that just started may arrive in between.
        while await received.get() != wanted:
            pass

    watched = "test://watched-resource"
    async with connected(message_handler=on_message) as client, AsyncExitStack() as stack:
        if MODERN:
            filters = dict(tools_list_changed=True, resource_subscriptions=[watched])
            changes = await stack.enter_async_context(client.listen(**filters))
            listener = asyncio.create_task(listen(changes))
            stack.callback(listener.cancel)
        else:
            await client.subscribe_resource(watched)
        await client.call_tool("test_trigger_tool_change")
        await until(("ToolsListChanged", None) if MODERN else ("ToolListChangedNotification", None))
        await client.call_tool("touch_watched_resource")
        await until(("ResourceUpdated" if MODERN else "ResourceUpdatedNotification", watched))
        await client.call_tool("test_trigger_tool_change")


CHECKS = [
    everything_is_listed,
    tools_return_all_kinds_of_content,
    prompts_are_returned,
    resources_are_read,
    progress_is_reported,
    requests_to_the_client_are_answered,
    elicitation_fails_without_client_support,
    log_messages_are_received,
    calls_can_be_canceled,
    errors_have_codes,
    change_notifications_are_received,
]

if __name__ == "__main__":
    sys.exit(asyncio.run(run((check.__name__.replace("_", " "), check) for check in CHECKS)))
