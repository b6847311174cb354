"""Tests OpenAI's client with the agents of tests/agents/openai and with the example agents.

Usage: openai_client.py URL
"""

import asyncio
import sys

import openai
from pydantic import BaseModel

from checking import expect, require, run
from openai_words import DOT, FORM, WEATHER, WEATHER_IN_CHAT

client = openai.AsyncOpenAI(base_url=f"{sys.argv[1]}/v1", api_key="none", max_retries=0)
responses = client.responses


def ask(input, **options):
    return responses.create(model="desk", input=input, **options)


async def expect_error(label, call, kind, code, param):
    try:
        answer = await call
    except kind as error:
        expect(label, (error.code, error.param), (code, param))
        require(f"{label}: the request id", error.request_id)
    else:
        require(f"{label}: wanted {kind.__name__}, got {answer!r}", False)


async def agents_are_models():
    listed = {model.id async for model in client.models.list()}
    expect("models", listed, {"desk", "gpt-5-desk", "personal", "weather"})
    expect("one of them", (await client.models.retrieve("desk")).id, "desk")


async def all_input_forms_are_accepted():
    parts = [{"type": "input_text", "text": "a part"}]
    for label, input, words in [
        ("a string", "a string", "a string"),
        ("a short message", [{"role": "user", "content": "a message"}], "a message"),
        ("parts", [{"type": "message", "role": "user", "content": parts}], "a part"),
    ]:
        answer = await ask(input)
        expect(label, (answer.status, answer.output_text), ("completed", f"You said: {words}"))
        expect(f"{label}: model and role", (answer.model, answer.output[0].role), ("desk", "assistant"))
        require(f"{label}: tokens", answer.usage.input_tokens > 0 and answer.usage.output_tokens > 0)
    set_up = [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "hello"}]
    expect("instructions", (await ask(set_up, instructions="Be kind.")).instructions, "Be kind.")


async def events_are_typed():
    seen, text = [], ""
    async for event in await ask("one two three", stream=True):
        expect("the number", event.sequence_number, len(seen))
        seen.append(type(event).__name__)
        text += event.delta if event.type == "response.output_text.delta" else ""
    expect("the text", text, "You said: one two three")
    deltas = seen.count("ResponseTextDeltaEvent")
    require("several chunks", deltas > 1)
    expect(
        "events",
        seen,
        ["ResponseCreatedEvent", "ResponseInProgressEvent", "ResponseOutputItemAddedEvent"]
        + ["ResponseContentPartAddedEvent"]
        + ["ResponseTextDeltaEvent"] * deltas
        + ["ResponseTextDoneEvent", "ResponseContentPartDoneEvent", "ResponseOutputItemDoneEvent"]
        + ["ResponseCompletedEvent"],
    )
    expect("the end", (event.response.status, event.response.output_text), ("completed", text))


async def the_stream_helper_accumulates_text():
    pieces = []
    async with responses.stream(model="desk", input="one two three") as stream:
        async for event in stream:
            if event.type == "response.output_text.delta":
                pieces.append(event.delta)
                expect("the snapshot", event.snapshot, "".join(pieces))
        final = await stream.get_final_response()
    expect("the answer", final.output_text, "You said: one two three")


async def caller_functions_are_called():
    for stream in (False, True):
        asked = ask("What is the weather in Paris?", tools=[WEATHER], stream=stream)
        calling = await asked
        if stream:
            events = [event async for event in calling]
            arguments = [event for event in events if event.type == "response.function_call_arguments.done"]
            expect("arguments", [event.arguments for event in arguments], ['{"location":"Paris"}'])
            pieces = [event.delta for event in events if event.type == "response.function_call_arguments.delta"]
            expect("the deltas", "".join(pieces), '{"location":"Paris"}')
            calling = events[-1].response
        [call] = calling.output
        made = (call.type, call.name, call.arguments)
        expect("the call", made, ("function_call", "get_weather", '{"location":"Paris"}'))
        expect("the tools", [tool.name for tool in calling.tools], ["get_weather"])
        result = {"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}
        answer = await ask([result], previous_response_id=calling.id, tools=[WEATHER])
        expect("the answer", answer.output_text, "It is sunny in Paris.")
        # The complete conversation is sent again, as by clients that store nothing on the server.
        question = {"role": "user", "content": "What is the weather in Paris?"}
        answer = await ask([question, call.model_dump(), result], tools=[WEATHER], store=False)
        expect("the same without stored responses", answer.output_text, "It is sunny in Paris.")
    forced = await ask("hello", tools=[WEATHER], tool_choice={"type": "function", "name": "get_weather"})
    expect("a forced call", [item.name for item in forced.output], ["get_weather"])
    silent = await ask("What is the weather in Paris?", tools=[WEATHER], tool_choice="none")
    expect("tool_choice none", silent.output_text, "You said: What is the weather in Paris?")


async def previous_responses_are_continued():
    first = await ask("My name is Alice.")
    expect("the first", first.output_text, "Hello Alice.")
    second = await ask("What is my name?", previous_response_id=first.id)
    expect("the second", second.output_text, "Your name is Alice.")
    expect("the previous response", second.previous_response_id, first.id)
    branch = await ask("My name is Bob.", previous_response_id=first.id)
    branch = await ask("What is my name?", previous_response_id=branch.id)
    expect("a branch", branch.output_text, "Your name is Bob.")
    third = await ask("Again: what is my name?", previous_response_id=second.id)
    expect("the first branch", third.output_text, "Your name is Alice.")
    history = [{"role": "user", "content": "My name is Carol."}, {"role": "assistant", "content": "Hello."}]
    whole = await ask([*history, {"role": "user", "content": "What is my name?"}])
    expect("history sent by the client", whole.output_text, "Your name is Carol.")


async def conversations_are_stored():
    made = await client.conversations.create(
        metadata={"topic": "names"}, items=[{"type": "message", "role": "user", "content": "My name is Dora."}]
    )
    expect("metadata", (await client.conversations.retrieve(made.id)).metadata, {"topic": "names"})
    answer = await ask("What is my name?", conversation=made.id)
    expect("the answer", (answer.output_text, answer.conversation.id), ("Your name is Dora.", made.id))
    items = [item async for item in client.conversations.items.list(made.id, order="asc")]
    texts = [(item.role, item.content[0].text) for item in items]
    wanted = [("user", "My name is Dora."), ("user", "What is my name?"), ("assistant", "Your name is Dora.")]
    expect("items", texts, wanted)
    require("deleted", (await client.conversations.delete(made.id)).deleted)
    gone = client.conversations.retrieve(made.id)
    await expect_error("a deleted conversation", gone, openai.NotFoundError, "conversation_not_found", "conversation")


async def images_are_received():
    for kind in ("auto", "low"):
        picture = {"type": "input_image", "image_url": DOT, "detail": kind}
        answer = await ask([{"role": "user", "content": [{"type": "input_text", "text": "What is it?"}, picture]}])
        expect("an image", answer.output_text, "I see a file (image/png).")


class Person(BaseModel):
    name: str
    age: int


async def answers_match_the_requested_schema():
    format = {"type": "json_schema", "name": "person", "schema": FORM, "strict": True}
    answer = await ask("Make somebody up.", text={"format": format})
    made = Person.model_validate_json(answer.output_text)
    expect("the format", (answer.text.format.type, answer.text.format.name), ("json_schema", "person"))
    parsed = await responses.parse(model="desk", input="Make somebody up.", text_format=Person)
    expect("the parsed answer", type(parsed.output_parsed), Person)
    require(f"the name: {made}", made.name)
    async with responses.stream(model="desk", input="Make somebody up.", text_format=Person) as stream:
        final = await stream.get_final_response()
    expect("streamed", final.output_parsed, parsed.output_parsed)


async def background_responses_are_followed_and_canceled():
    begun = await ask("hang on", background=True)
    expect("the initial status", (begun.status, begun.background), ("queued", True))
    require("in progress", (await responses.retrieve(begun.id)).status in ("queued", "in_progress"))
    expect("canceled", (await responses.cancel(begun.id)).status, "cancelled")
    expect("canceled again", (await responses.cancel(begun.id)).status, "cancelled")
    begun = await ask("take your time", background=True)
    async for event in await responses.retrieve(begun.id, stream=True):
        pass
    expect("followed", (event.type, event.response.output_text), ("response.completed", "You said: take your time"))
    later = await responses.retrieve(begun.id)
    expect("looked up", (later.status, later.output_text), ("completed", "You said: take your time"))
    rest = await responses.retrieve(begun.id, stream=True, starting_after=3)
    numbers = [event.sequence_number async for event in rest]
    expect("the rest of the stream", numbers, list(range(4, event.sequence_number + 1)))


async def responses_are_stored_and_deleted():
    answer = await ask("keep this", metadata={"a": "b"})
    kept = await responses.retrieve(answer.id)
    expect("kept", kept.model_dump(), answer.model_dump())
    items = [item async for item in responses.input_items.list(answer.id)]
    expect("the input items", [(item.role, item.content[0].text) for item in items], [("user", "keep this")])
    counted = await responses.input_tokens.count(model="desk", input="keep this")
    require("counted", counted.input_tokens > 0)
    await responses.delete(answer.id)
    missing, code, param = openai.NotFoundError, "response_not_found", "response_id"
    await expect_error("a deleted response", responses.retrieve(answer.id), missing, code, param)
    unkept = await ask("forget this", store=False)
    expect("answered", (unkept.output_text, unkept.store), ("You said: forget this", False))
    await expect_error("an unstored response", responses.retrieve(unkept.id), missing, code, param)


async def errors_have_codes():
    bad, missing = openai.BadRequestError, openai.NotFoundError
    unknown = responses.create(model="nobody", input="hi")
    await expect_error("an unknown agent", unknown, missing, "model_not_found", "model")
    before = "previous_response_id"
    lost = ask("hi", previous_response_id="resp_nothing")
    await expect_error("an unknown previous response", lost, bad, "previous_response_not_found", before)
    result = {"type": "function_call_output", "call_id": "call_nothing", "output": "?"}
    await expect_error("a result of an unknown call", ask([result]), bad, "tool_call_not_found", "input[0].call_id")
    search = ask("hi", tools=[{"type": "web_search"}])
    await expect_error("a hosted tool of OpenAI", search, bad, "unsupported_tool", "tools[0].type")
    try:
        await ask("fail, please")
    except openai.InternalServerError as error:
        require(f"the reason: {error}", "failed, as asked" in str(error))
    else:
        require("a failed run is an error", False)
    try:
        async for _ in await ask("break, please", stream=True):
            pass
    except openai.APIError as error:
        require(f"the reason: {error}", "connection lost" in str(error))
    else:
        require("a stream that breaks off is an error", False)
    declined = await ask("refuse, please")
    expect("a refusal", declined.output[0].content[0].refusal, "I would rather not.")


async def chat_completions():
    chat = client.chat.completions

    def create(*messages, **options):
        return chat.create(model="desk", messages=messages, **options)

    question = {"role": "user", "content": "What is the weather in Paris?"}
    calling = (await create(question, tools=[WEATHER_IN_CHAT])).choices[0]
    [call] = calling.message.tool_calls
    expect("the call", (calling.finish_reason, call.function.arguments), ("tool_calls", '{"location":"Paris"}'))
    result = {"role": "tool", "tool_call_id": call.id, "content": "sunny"}
    answer = await create(question, calling.message.model_dump(), result, tools=[WEATHER_IN_CHAT])
    expect("the answer", answer.choices[0].message.content, "It is sunny in Paris.")
    expect("the finish reason", answer.choices[0].finish_reason, "stop")
    options = dict(stream=True, stream_options={"include_usage": True})
    chunks = [chunk async for chunk in await create(question, tools=[WEATHER_IN_CHAT], **options)]
    calls = [call for chunk in chunks for choice in chunk.choices for call in choice.delta.tool_calls or []]
    expect("a streamed call", "".join(call.function.arguments for call in calls), '{"location":"Paris"}')
    chunks = [chunk async for chunk in await create({"role": "user", "content": "one two three"}, **options)]
    text = "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)
    expect("a streamed answer", text, "You said: one two three")
    require("tokens", chunks[-1].usage.total_tokens > 0)
    picture = {"type": "image_url", "image_url": {"url": DOT}}
    seen = await create({"role": "user", "content": [{"type": "text", "text": "What is it?"}, picture]})
    expect("an image", seen.choices[0].message.content, "I see a file (image/png).")
    parsed = await chat.parse(model="desk", messages=[{"role": "user", "content": "hi"}], response_format=Person)
    require("a parsed answer", parsed.choices[0].message.parsed.name)
    cut = await create({"role": "user", "content": "one two three"}, stop=" two")
    expect("a stop sequence", (cut.choices[0].message.content, cut.choices[0].finish_reason), ("You said: one", "stop"))
    unknown = chat.create(model="nobody", messages=[{"role": "user", "content": "hi"}])
    await expect_error("an unknown agent", unknown, openai.NotFoundError, "model_not_found", "model")


async def handoffs_are_streamed_as_mcp_calls():
    seen = []
    async for event in await responses.create(model="personal", input="What's the weather in Oakland?", stream=True):
        seen.append(event)
    kinds = [event.type for event in seen if "mcp_call" in event.type]
    expect(
        "the handoff",
        (kinds[0], [kind for kind in kinds if not kind.endswith(".delta")]),
        (
            "response.mcp_call.in_progress",
            ["response.mcp_call.in_progress", "response.mcp_call_arguments.done", "response.mcp_call.completed"],
        ),
    )
    added = next(event.item for event in seen if event.type == "response.output_item.added")
    expect("its item", (added.type, added.server_label), ("mcp_call", "weather"))
    final = seen[-1].response
    expect("the final items", [item.type for item in final.output], ["mcp_call", "message"])
    require(f"the result: {final.output[0].output}", "72°F" in final.output[0].output)
    words = "I asked the Weather Assistant. The weather in Oakland is 72°F, sunny, humidity 65%."
    expect("the answer", final.output_text, words)
    hidden = await responses.create(
        model="personal", input="What's the weather in Oakland?", extra_headers={"Baton-Tool-Items": "hidden"}
    )
    expect("hidden on request", ([item.type for item in hidden.output], hidden.output_text), (["message"], words))


async def mcp_servers_of_the_caller_are_used():
    forecast = {"type": "mcp", "server_label": "forecast", "server_url": f"{sys.argv[1]}/agents/weather/mcp"}
    free = {**forecast, "require_approval": "never", "allowed_tools": ["get_weather"]}
    question = "The forecast for Oakland, please"
    answer = await ask(question, tools=[free])
    listed, call, words = answer.output
    expect("the list", (listed.type, [tool.name for tool in listed.tools]), ("mcp_list_tools", ["get_weather"]))
    made = (call.type, call.server_label, call.name, call.arguments)
    expect("the call", made, ("mcp_call", "forecast", "get_weather", '{"location":"Oakland"}'))
    require(f"the answer: {answer.output_text}", "72°F" in answer.output_text and "72°F" in call.output)
    seen = [event async for event in await ask(question, tools=[free], stream=True)]
    kinds = [event.type for event in seen if "mcp_" in event.type and not event.type.endswith(".delta")]
    wanted = ["mcp_list_tools.in_progress", "mcp_list_tools.completed", "mcp_call.in_progress"]
    wanted += ["mcp_call_arguments.done", "mcp_call.completed"]
    expect("events", kinds, [f"response.{kind}" for kind in wanted])
    asked = await ask(question, tools=[forecast])
    [_, approval] = asked.output
    request = (approval.type, approval.server_label, approval.name)
    expect("the approval request", request, ("mcp_approval_request", "forecast", "get_weather"))
    yes = {"type": "mcp_approval_response", "approval_request_id": approval.id, "approve": True}
    allowed = await ask([yes], previous_response_id=asked.id, tools=[forecast])
    require(f"the answer: {allowed.output_text}", "72°F" in allowed.output_text)
    unreachable = {**free, "server_url": "http://127.0.0.1:9/mcp"}
    call = ask("hi", tools=[unreachable])
    await expect_error("an unreachable server", call, openai.APIStatusError, "mcp_server_unavailable", "tools")


async def a_websocket_continues_unstored_responses():
    async with responses.connect() as connection:

        async def create(**body):
            await connection.send({"type": "response.create", "model": "desk", "store": False, **body})
            async for event in connection:
                if event.type in ("response.completed", "error"):
                    return event

        first = (await create(input="My name is Alice.")).response
        expect("the first", first.output_text, "Hello Alice.")
        second = (await create(input="What is my name?", previous_response_id=first.id)).response
        expect("the second", second.output_text, "Your name is Alice.")
        lost = await create(input="hi", previous_response_id="resp_nothing")
        expect("an unknown previous response", (lost.type, lost.error.code), ("error", "previous_response_not_found"))


CHECKS = [
    agents_are_models,
    all_input_forms_are_accepted,
    events_are_typed,
    the_stream_helper_accumulates_text,
    caller_functions_are_called,
    previous_responses_are_continued,
    conversations_are_stored,
    images_are_received,
    answers_match_the_requested_schema,
    background_responses_are_followed_and_canceled,
    responses_are_stored_and_deleted,
    errors_have_codes,
    chat_completions,
    handoffs_are_streamed_as_mcp_calls,
    mcp_servers_of_the_caller_are_used,
    a_websocket_continues_unstored_responses,
]

if __name__ == "__main__":
    sys.exit(asyncio.run(run((check.__name__.replace("_", " "), check) for check in CHECKS)))
