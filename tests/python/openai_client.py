"""OpenAI's own client talks to the agents of tests/agents/openai and to the example team.

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


async def refused(what, call, kind, code, param):
    try:
        answer = await call
    except kind as error:
        expect(what, (error.code, error.param), (code, param))
        require(f"{what}: the id of the request", error.request_id)
    else:
        require(f"{what}: wanted {kind.__name__}, got {answer!r}", False)


async def agents_are_models():
    listed = {model.id async for model in client.models.list()}
    expect("models", listed, {"desk", "gpt-5-desk", "personal", "weather"})
    expect("one of them", (await client.models.retrieve("desk")).id, "desk")


async def every_form_of_input_is_read():
    parts = [{"type": "input_text", "text": "a part"}]
    for what, input, words in [
        ("a string", "a string", "a string"),
        ("a short message", [{"role": "user", "content": "a message"}], "a message"),
        ("parts", [{"type": "message", "role": "user", "content": parts}], "a part"),
    ]:
        answer = await ask(input)
        expect(what, (answer.status, answer.output_text), ("completed", f"You said: {words}"))
        expect(f"{what}: who", (answer.model, answer.output[0].role), ("desk", "assistant"))
        require(f"{what}: tokens", answer.usage.input_tokens > 0 and answer.usage.output_tokens > 0)
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
    require("several pieces", deltas > 1)
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


async def the_stream_helper_follows():
    pieces = []
    async with responses.stream(model="desk", input="one two three") as stream:
        async for event in stream:
            if event.type == "response.output_text.delta":
                pieces.append(event.delta)
                expect("so far", event.snapshot, "".join(pieces))
        final = await stream.get_final_response()
    expect("the answer", final.output_text, "You said: one two three")


async def functions_of_the_caller_are_called():
    for stream in (False, True):
        asked = ask("What is the weather in Paris?", tools=[WEATHER], stream=stream)
        calling = await asked
        if stream:
            events = [event async for event in calling]
            arguments = [event for event in events if event.type == "response.function_call_arguments.done"]
            expect("arguments", [event.arguments for event in arguments], ['{"location":"Paris"}'])
            pieces = [event.delta for event in events if event.type == "response.function_call_arguments.delta"]
            expect("in pieces", "".join(pieces), '{"location":"Paris"}')
            calling = events[-1].response
        [call] = calling.output
        made = (call.type, call.name, call.arguments)
        expect("the call", made, ("function_call", "get_weather", '{"location":"Paris"}'))
        expect("the tools", [tool.name for tool in calling.tools], ["get_weather"])
        result = {"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}
        answer = await ask([result], previous_response_id=calling.id, tools=[WEATHER])
        expect("the answer", answer.output_text, "It is sunny in Paris.")
        # The whole conversation sent again, as clients do that keep nothing here.
        question = {"role": "user", "content": "What is the weather in Paris?"}
        answer = await ask([question, call.model_dump(), result], tools=[WEATHER], store=False)
        expect("the same without a memory", answer.output_text, "It is sunny in Paris.")
    forced = await ask("hello", tools=[WEATHER], tool_choice={"type": "function", "name": "get_weather"})
    expect("a choice", [item.name for item in forced.output], ["get_weather"])
    silent = await ask("What is the weather in Paris?", tools=[WEATHER], tool_choice="none")
    expect("no choice", silent.output_text, "You said: What is the weather in Paris?")


async def conversations_go_on():
    first = await ask("My name is Alice.")
    expect("the first", first.output_text, "Hello Alice.")
    second = await ask("What is my name?", previous_response_id=first.id)
    expect("the second", second.output_text, "Your name is Alice.")
    expect("what it follows", second.previous_response_id, first.id)
    branch = await ask("My name is Bob.", previous_response_id=first.id)
    branch = await ask("What is my name?", previous_response_id=branch.id)
    expect("a branch", branch.output_text, "Your name is Bob.")
    third = await ask("Again: what is my name?", previous_response_id=second.id)
    expect("the first branch", third.output_text, "Your name is Alice.")
    history = [{"role": "user", "content": "My name is Carol."}, {"role": "assistant", "content": "Hello."}]
    whole = await ask([*history, {"role": "user", "content": "What is my name?"}])
    expect("brought along", whole.output_text, "Your name is Carol.")


async def conversations_are_kept():
    made = await client.conversations.create(
        metadata={"topic": "names"}, items=[{"type": "message", "role": "user", "content": "My name is Dora."}]
    )
    expect("metadata", (await client.conversations.retrieve(made.id)).metadata, {"topic": "names"})
    answer = await ask("What is my name?", conversation=made.id)
    expect("the answer", (answer.output_text, answer.conversation.id), ("Your name is Dora.", made.id))
    items = [item async for item in client.conversations.items.list(made.id, order="asc")]
    said = [(item.role, item.content[0].text) for item in items]
    wanted = [("user", "My name is Dora."), ("user", "What is my name?"), ("assistant", "Your name is Dora.")]
    expect("items", said, wanted)
    require("gone", (await client.conversations.delete(made.id)).deleted)
    gone = client.conversations.retrieve(made.id)
    await refused("no conversation", gone, openai.NotFoundError, "conversation_not_found", "conversation")


async def pictures_are_seen():
    for kind in ("auto", "low"):
        picture = {"type": "input_image", "image_url": DOT, "detail": kind}
        answer = await ask([{"role": "user", "content": [{"type": "input_text", "text": "What is it?"}, picture]}])
        expect("a picture", answer.output_text, "I see a file (image/png).")


class Person(BaseModel):
    name: str
    age: int


async def answers_have_the_form_asked_for():
    format = {"type": "json_schema", "name": "person", "schema": FORM, "strict": True}
    answer = await ask("Make somebody up.", text={"format": format})
    made = Person.model_validate_json(answer.output_text)
    expect("the format", (answer.text.format.type, answer.text.format.name), ("json_schema", "person"))
    parsed = await responses.parse(model="desk", input="Make somebody up.", text_format=Person)
    expect("the same twice", type(parsed.output_parsed), Person)
    require(f"something in it: {made}", made.name)
    async with responses.stream(model="desk", input="Make somebody up.", text_format=Person) as stream:
        final = await stream.get_final_response()
    expect("streamed", final.output_parsed, parsed.output_parsed)


async def work_in_the_background():
    begun = await ask("hang on", background=True)
    expect("at once", (begun.status, begun.background), ("queued", True))
    require("at work", (await responses.retrieve(begun.id)).status in ("queued", "in_progress"))
    expect("canceled", (await responses.cancel(begun.id)).status, "cancelled")
    expect("once more", (await responses.cancel(begun.id)).status, "cancelled")
    begun = await ask("take your time", background=True)
    async for event in await responses.retrieve(begun.id, stream=True):
        pass
    expect("followed", (event.type, event.response.output_text), ("response.completed", "You said: take your time"))
    later = await responses.retrieve(begun.id)
    expect("looked up", (later.status, later.output_text), ("completed", "You said: take your time"))
    rest = await responses.retrieve(begun.id, stream=True, starting_after=3)
    numbers = [event.sequence_number async for event in rest]
    expect("the rest of the stream", numbers, list(range(4, event.sequence_number + 1)))


async def responses_are_kept_and_deleted():
    answer = await ask("keep this", metadata={"a": "b"})
    kept = await responses.retrieve(answer.id)
    expect("kept", kept.model_dump(), answer.model_dump())
    items = [item async for item in responses.input_items.list(answer.id)]
    expect("what was asked", [(item.role, item.content[0].text) for item in items], [("user", "keep this")])
    counted = await responses.input_tokens.count(model="desk", input="keep this")
    require("counted", counted.input_tokens > 0)
    await responses.delete(answer.id)
    await refused("gone", responses.retrieve(answer.id), openai.NotFoundError, "response_not_found", "response_id")
    unkept = await ask("forget this", store=False)
    expect("answered", (unkept.output_text, unkept.store), ("You said: forget this", False))
    await refused("forgotten", responses.retrieve(unkept.id), openai.NotFoundError, "response_not_found", "response_id")


async def errors_are_told():
    bad, missing = openai.BadRequestError, openai.NotFoundError
    await refused("no such agent", responses.create(model="nobody", input="hi"), missing, "model_not_found", "model")
    before = "previous_response_id"
    lost = ask("hi", previous_response_id="resp_nothing")
    await refused("nothing before", lost, bad, "previous_response_not_found", before)
    result = {"type": "function_call_output", "call_id": "call_nothing", "output": "?"}
    await refused("a result of nothing", ask([result]), bad, "tool_call_not_found", "input[0].call_id")
    search = ask("hi", tools=[{"type": "web_search"}])
    await refused("a tool of theirs", search, bad, "unsupported_tool", "tools[0].type")
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

    def said(*messages, **options):
        return chat.create(model="desk", messages=messages, **options)

    question = {"role": "user", "content": "What is the weather in Paris?"}
    calling = (await said(question, tools=[WEATHER_IN_CHAT])).choices[0]
    [call] = calling.message.tool_calls
    expect("the call", (calling.finish_reason, call.function.arguments), ("tool_calls", '{"location":"Paris"}'))
    result = {"role": "tool", "tool_call_id": call.id, "content": "sunny"}
    answer = await said(question, calling.message.model_dump(), result, tools=[WEATHER_IN_CHAT])
    expect("the answer", answer.choices[0].message.content, "It is sunny in Paris.")
    expect("why it ends", answer.choices[0].finish_reason, "stop")
    options = dict(stream=True, stream_options={"include_usage": True})
    chunks = [chunk async for chunk in await said(question, tools=[WEATHER_IN_CHAT], **options)]
    calls = [call for chunk in chunks for choice in chunk.choices for call in choice.delta.tool_calls or []]
    expect("a streamed call", "".join(call.function.arguments for call in calls), '{"location":"Paris"}')
    chunks = [chunk async for chunk in await said({"role": "user", "content": "one two three"}, **options)]
    text = "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)
    expect("a streamed answer", text, "You said: one two three")
    require("tokens", chunks[-1].usage.total_tokens > 0)
    picture = {"type": "image_url", "image_url": {"url": DOT}}
    seen = await said({"role": "user", "content": [{"type": "text", "text": "What is it?"}, picture]})
    expect("a picture", seen.choices[0].message.content, "I see a file (image/png).")
    parsed = await chat.parse(model="desk", messages=[{"role": "user", "content": "hi"}], response_format=Person)
    require("a form", parsed.choices[0].message.parsed.name)
    cut = await said({"role": "user", "content": "one two three"}, stop=" two")
    expect("a stop text", (cut.choices[0].message.content, cut.choices[0].finish_reason), ("You said: one", "stop"))
    unknown = chat.create(model="nobody", messages=[{"role": "user", "content": "hi"}])
    await refused("no such agent", unknown, openai.NotFoundError, "model_not_found", "model")


async def a_handoff_is_seen():
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
    expect("what is left", [item.type for item in final.output], ["mcp_call", "message"])
    require(f"the result: {final.output[0].output}", "72°F" in final.output[0].output)
    words = "I asked the Weather Assistant. The weather in Oakland is 72°F, sunny, humidity 65%."
    expect("the answer", final.output_text, words)
    hidden = await responses.create(
        model="personal", input="What's the weather in Oakland?", extra_headers={"Baton-Tool-Items": "hidden"}
    )
    expect("hidden on request", ([item.type for item in hidden.output], hidden.output_text), (["message"], words))


async def servers_of_the_caller_are_used():
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
    [_, leave] = asked.output
    expect("leave", (leave.type, leave.server_label, leave.name), ("mcp_approval_request", "forecast", "get_weather"))
    yes = {"type": "mcp_approval_response", "approval_request_id": leave.id, "approve": True}
    allowed = await ask([yes], previous_response_id=asked.id, tools=[forecast])
    require(f"the answer: {allowed.output_text}", "72°F" in allowed.output_text)
    nowhere = {**free, "server_url": "http://127.0.0.1:9/mcp"}
    await refused("no server", ask("hi", tools=[nowhere]), openai.APIStatusError, "mcp_server_unavailable", "tools")


async def a_socket_goes_on_by_itself():
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
        expect("nothing before", (lost.type, lost.error.code), ("error", "previous_response_not_found"))


CHECKS = [
    agents_are_models,
    every_form_of_input_is_read,
    events_are_typed,
    the_stream_helper_follows,
    functions_of_the_caller_are_called,
    conversations_go_on,
    conversations_are_kept,
    pictures_are_seen,
    answers_have_the_form_asked_for,
    work_in_the_background,
    responses_are_kept_and_deleted,
    errors_are_told,
    chat_completions,
    a_handoff_is_seen,
    servers_of_the_caller_are_used,
    a_socket_goes_on_by_itself,
]

if __name__ == "__main__":
    sys.exit(asyncio.run(run((check.__name__.replace("_", " "), check) for check in CHECKS)))
