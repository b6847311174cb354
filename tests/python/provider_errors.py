"""OpenAI's own client and the errors, parameters and thoughts of a provider.

Usage: provider_errors.py URL PROVIDER   (the provider fails as the user's words say, and counts calls)
"""

import asyncio
import sys

import httpx
import openai

from checking import expect, require, run

BATON, PROVIDER = sys.argv[1:]

# What each failure is to the client: its exception, status, code, and whether it asks again by itself.
FAILURES = [
    ("fail 400", openai.BadRequestError, 400, "provider_bad_request"),
    ("fail 401", openai.AuthenticationError, 401, "provider_key_refused"),
    ("fail 403", openai.PermissionDeniedError, 403, "provider_key_refused"),
    ("fail 404", openai.NotFoundError, 404, "provider_model_not_found"),
    ("fail quota", openai.RateLimitError, 429, "insufficient_quota"),
]
# These may pass: the client is told how long to wait, and decides itself.
PASSING = [
    ("fail 408", openai.APIStatusError, 408, "provider_timeout"),
    ("fail 429", openai.RateLimitError, 429, "rate_limit_exceeded"),
    ("fail 500", openai.InternalServerError, 500, "provider_error"),
]


class Counted:
    """A client that counts what it sends."""

    def __init__(self, **options):
        self.sent = 0
        http = httpx.AsyncClient(event_hooks={"request": [self.count]})
        self.client = openai.AsyncOpenAI(base_url=f"{BATON}/v1", api_key="none", http_client=http, **options)

    async def count(self, _):
        self.sent += 1

    def surfaces(self, words):
        said = [{"role": "user", "content": words}]
        responses, chat, text = self.client.responses, self.client.chat.completions, self.client.completions
        for stream in (False, True):
            yield "responses", stream, lambda: responses.create(model="helper", input=words, stream=stream)
            yield "chat", stream, lambda: chat.create(model="helper", messages=said, stream=stream)
            yield "completions", stream, lambda: text.create(model="helper", prompt=words, stream=stream)


async def calls_of(words):
    async with httpx.AsyncClient() as http:
        return (await http.request("GET", f"{PROVIDER}/calls", json={"words": words})).json()


async def failure(what, call, kind):
    try:
        answer = await call()
    except openai.APIError as error:
        expect(f"{what}: the class", type(error).__name__, kind.__name__)
        return error
    require(f"{what}: wanted {kind.__name__}, got {answer!r}", False)


async def what_is_useless_is_asked_once():
    for words, kind, status, code in FAILURES:
        for surface, stream, call in (counted := Counted()).surfaces(words):
            what = f"{words} over {surface}, stream {stream}"
            sent, calls = counted.sent, await calls_of(words)
            error = await failure(what, call, kind)
            expect(what, (error.status_code, error.code), (status, code))
            expect(f"{what}: requests", (counted.sent - sent, await calls_of(words) - calls), (1, 1))
            headers = error.response.headers
            expect(f"{what}: retry", headers.get("x-should-retry"), "false")
            expect(f"{what}: wait", headers.get("retry-after"), None)
            require(f"{what}: ids", headers["x-request-id"] and headers["baton-response-id"])
    told = str(await failure("key", next(Counted().surfaces("fail 401"))[2], openai.AuthenticationError))
    require(f"whose key: {told}", "key of this server" in told and "BTN-3022" in told)


async def what_passes_keeps_its_wait():
    for words, kind, status, code in PASSING:
        for surface, stream, call in Counted(max_retries=0).surfaces(words):
            what = f"{words} over {surface}, stream {stream}"
            error = await failure(what, call, kind)
            expect(what, (error.status_code, error.code), (status, code))
            headers = error.response.headers
            expect(f"{what}: retry", headers.get("x-should-retry"), None)
            expect(f"{what}: wait", (headers["retry-after"], headers["retry-after-ms"]), ("90", "90000"))


async def a_stream_that_has_begun_ends_with_the_error():
    client = Counted(max_retries=0).client
    text = ""
    try:
        async for event in await client.responses.create(model="helper", input="fail late", stream=True):
            text += event.delta if event.type == "response.output_text.delta" else ""
    except openai.APIError as error:
        expect("responses", (text, error.code), ("Half", "provider_error"))
    else:
        require("responses: no error", False)
    said = [{"role": "user", "content": "fail late"}]
    text = ""
    try:
        async for chunk in await client.chat.completions.create(model="helper", messages=said, stream=True):
            text += chunk.choices[0].delta.content or ""
    except openai.APIError as error:
        expect("chat", (text, error.code), ("Half", "provider_error"))
    else:
        require("chat: no error", False)


async def answers_end_at_stop_texts():
    client = Counted().client
    said = [{"role": "user", "content": "count"}]
    for stop in ("three", ["never", "three"]):
        whole = await client.chat.completions.create(model="helper", messages=said, stop=stop)
        choice = whole.choices[0]
        expect("whole", (choice.message.content, choice.finish_reason), ("one two ", "stop"))
        text = ""
        async for chunk in await client.chat.completions.create(model="helper", messages=said, stop=stop, stream=True):
            text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
        expect("streamed", text, "one two ")
        legacy = await client.completions.create(model="helper", prompt="count", stop=stop)
        expect("legacy", (legacy.choices[0].text, legacy.object), ("one two ", "text_completion"))
    own = await client.chat.completions.create(model="helper", messages=said)
    expect("the agent's own", own.choices[0].message.content, "one two three ")
    other = await client.chat.completions.create(model="helper", messages=said, extra_body={"stop_sequences": ["two"]})
    expect("under its other name", other.choices[0].message.content, "one ")


async def thoughts_come_before_the_answer():
    client = Counted().client
    whole = await client.responses.create(model="helper", input="think")
    expect("items", [item.type for item in whole.output], ["reasoning", "message"])
    items = []
    async for event in await client.responses.create(model="helper", input="think", stream=True):
        if event.type == "response.output_item.added":
            items.append((event.output_index, event.item.type))
    expect("added", items, [(0, "reasoning"), (1, "message")])
    expect("at the end", [item.type for item in event.response.output], ["reasoning", "message"])
    said = [{"role": "user", "content": "think"}]
    message = (await client.chat.completions.create(model="helper", messages=said)).choices[0].message
    expect("chat", (message.content, message.reasoning_content), ("Thought.", "Let me see."))
    order = []
    async for chunk in await client.chat.completions.create(model="helper", messages=said, stream=True):
        delta = chunk.choices[0].delta
        order += [name for name in ("reasoning_content", "content") if getattr(delta, name, None)]
    expect("chat in order", order, ["reasoning_content", "content"])


async def what_has_no_effect_is_refused_by_name():
    client = Counted().client
    said = [{"role": "user", "content": "hi"}]
    for name, value in [
        ("functions", [{"name": "f", "parameters": {}}]),
        ("function_call", "auto"),
        ("logprobs", True),
        ("top_logprobs", 2),
        ("logit_bias", {"50256": -100}),
        ("n", 2),
    ]:
        call = lambda: client.chat.completions.create(model="helper", messages=said, extra_body={name: value})
        error = await failure(name, call, openai.BadRequestError)
        expect(name, (error.code, error.param), ("unsupported_parameter", name))


async def paths_that_are_not_served_are_told():
    client = Counted().client
    error = await failure("path", lambda: client.embeddings.create(model="m", input="x"), openai.NotFoundError)
    expect("path", (error.code, error.type), ("unknown_url", "invalid_request_error"))
    require(f"what there is: {error}", "/v1/chat/completions" in str(error))
    error = await failure("method", lambda: client.delete("/models", cast_to=object), openai.APIStatusError)
    expect("method", (error.status_code, error.code), (405, "method_not_supported"))
    async with httpx.AsyncClient() as http:
        body = {"model": "helper", "input": "hi"}
        for path in ("/v1/responses/", "/agents/helper/v1/responses/"):
            expect(path, (await http.post(f"{BATON}{path}", json=body)).json()["status"], "completed")
        expect("a list", (await http.get(f"{BATON}/v1/models/")).json()["data"][0]["id"], "helper")


CHECKS = [
    what_is_useless_is_asked_once,
    what_passes_keeps_its_wait,
    a_stream_that_has_begun_ends_with_the_error,
    answers_end_at_stop_texts,
    thoughts_come_before_the_answer,
    what_has_no_effect_is_refused_by_name,
    paths_that_are_not_served_are_told,
]

if __name__ == "__main__":
    sys.exit(asyncio.run(run([(check.__name__.replace("_", " "), check) for check in CHECKS])))
