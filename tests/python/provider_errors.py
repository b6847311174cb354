"""Tests OpenAI's client with errors, parameters and reasoning of a provider.

Usage: provider_errors.py URL PROVIDER   (the user's text selects the provider's error; the provider counts calls)
"""

import asyncio
import sys

import httpx
import openai

from checking import expect, require, run

BATON, PROVIDER = sys.argv[1:]

# Permanent errors: text, exception, status and code; the client does not retry.
FAILURES = [
    ("fail 400", openai.BadRequestError, 400, "provider_bad_request"),
    ("fail 401", openai.AuthenticationError, 401, "provider_key_refused"),
    ("fail 403", openai.PermissionDeniedError, 403, "provider_key_refused"),
    ("fail 404", openai.NotFoundError, 404, "provider_model_not_found"),
    ("fail quota", openai.RateLimitError, 429, "insufficient_quota"),
]
# Temporary errors: the response contains the delay, and the client decides whether to retry.
TEMPORARY = [
    ("fail 408", openai.APIStatusError, 408, "provider_timeout"),
    ("fail 429", openai.RateLimitError, 429, "rate_limit_exceeded"),
    ("fail 500", openai.InternalServerError, 500, "provider_error"),
]


class CountingClient:
    """A client that counts its requests."""

    def __init__(self, **options):
        self.sent = 0
        http = httpx.AsyncClient(event_hooks={"request": [self.count]})
        self.client = openai.AsyncOpenAI(base_url=f"{BATON}/v1", api_key="none", http_client=http, **options)

    async def count(self, _):
        self.sent += 1

    def surfaces(self, words):
        messages = [{"role": "user", "content": words}]
        responses, chat, text = self.client.responses, self.client.chat.completions, self.client.completions
        for stream in (False, True):
            yield "responses", stream, lambda: responses.create(model="helper", input=words, stream=stream)
            yield "chat", stream, lambda: chat.create(model="helper", messages=messages, stream=stream)
            yield "completions", stream, lambda: text.create(model="helper", prompt=words, stream=stream)


async def calls_of(words):
    async with httpx.AsyncClient() as http:
        return (await http.request("GET", f"{PROVIDER}/calls", json={"words": words})).json()


async def failure(label, call, kind):
    try:
        answer = await call()
    except openai.APIError as error:
        expect(f"{label}: the class", type(error).__name__, kind.__name__)
        return error
    require(f"{label}: wanted {kind.__name__}, got {answer!r}", False)


async def permanent_errors_are_not_retried():
    for words, kind, status, code in FAILURES:
        for surface, stream, call in (counted := CountingClient()).surfaces(words):
            label = f"{words} over {surface}, stream {stream}"
            sent, calls = counted.sent, await calls_of(words)
            error = await failure(label, call, kind)
            expect(label, (error.status_code, error.code), (status, code))
            expect(f"{label}: requests", (counted.sent - sent, await calls_of(words) - calls), (1, 1))
            headers = error.response.headers
            expect(f"{label}: retry", headers.get("x-should-retry"), "false")
            expect(f"{label}: wait", headers.get("retry-after"), None)
            require(f"{label}: ids", headers["x-request-id"] and headers["baton-response-id"])
    error = str(await failure("key", next(CountingClient().surfaces("fail 401"))[2], openai.AuthenticationError))
    require(f"the error names the key: {error}", "key of this server" in error and "BTN-3022" in error)


async def temporary_errors_contain_the_delay():
    for words, kind, status, code in TEMPORARY:
        for surface, stream, call in CountingClient(max_retries=0).surfaces(words):
            label = f"{words} over {surface}, stream {stream}"
            error = await failure(label, call, kind)
            expect(label, (error.status_code, error.code), (status, code))
            headers = error.response.headers
            expect(f"{label}: retry", headers.get("x-should-retry"), None)
            expect(f"{label}: wait", (headers["retry-after"], headers["retry-after-ms"]), ("90", "90000"))


async def errors_end_a_started_stream():
    client = CountingClient(max_retries=0).client
    text = ""
    try:
        async for event in await client.responses.create(model="helper", input="fail late", stream=True):
            text += event.delta if event.type == "response.output_text.delta" else ""
    except openai.APIError as error:
        expect("responses", (text, error.code), ("Half", "provider_error"))
    else:
        require("responses: no error", False)
    messages = [{"role": "user", "content": "fail late"}]
    text = ""
    try:
        async for chunk in await client.chat.completions.create(model="helper", messages=messages, stream=True):
            text += chunk.choices[0].delta.content or ""
    except openai.APIError as error:
        expect("chat", (text, error.code), ("Half", "provider_error"))
    else:
        require("chat: no error", False)


async def answers_end_at_stop_sequences():
    client = CountingClient().client
    messages = [{"role": "user", "content": "count"}]
    for stop in ("three", ["never", "three"]):
        whole = await client.chat.completions.create(model="helper", messages=messages, stop=stop)
        choice = whole.choices[0]
        expect("whole", (choice.message.content, choice.finish_reason), ("one two ", "stop"))
        text = ""
        options = {"messages": messages, "stop": stop, "stream": True}
        async for chunk in await client.chat.completions.create(model="helper", **options):
            text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
        expect("streamed", text, "one two ")
        legacy = await client.completions.create(model="helper", prompt="count", stop=stop)
        expect("legacy", (legacy.choices[0].text, legacy.object), ("one two ", "text_completion"))
    own = await client.chat.completions.create(model="helper", messages=messages)
    expect("the agent's stop sequence", own.choices[0].message.content, "one two three ")
    body = {"stop_sequences": ["two"]}
    other = await client.chat.completions.create(model="helper", messages=messages, extra_body=body)
    expect("the alternative parameter name", other.choices[0].message.content, "one ")


async def reasoning_precedes_the_answer():
    client = CountingClient().client
    whole = await client.responses.create(model="helper", input="think")
    expect("items", [item.type for item in whole.output], ["reasoning", "message"])
    items = []
    async for event in await client.responses.create(model="helper", input="think", stream=True):
        if event.type == "response.output_item.added":
            items.append((event.output_index, event.item.type))
    expect("added", items, [(0, "reasoning"), (1, "message")])
    expect("at the end", [item.type for item in event.response.output], ["reasoning", "message"])
    messages = [{"role": "user", "content": "think"}]
    message = (await client.chat.completions.create(model="helper", messages=messages)).choices[0].message
    expect("chat", (message.content, message.reasoning_content), ("Thought.", "Let me see."))
    order = []
    async for chunk in await client.chat.completions.create(model="helper", messages=messages, stream=True):
        delta = chunk.choices[0].delta
        order += [name for name in ("reasoning_content", "content") if getattr(delta, name, None)]
    expect("chat in order", order, ["reasoning_content", "content"])


async def unsupported_parameters_are_rejected():
    client = CountingClient().client
    messages = [{"role": "user", "content": "hi"}]
    for name, value in [
        ("functions", [{"name": "f", "parameters": {}}]),
        ("function_call", "auto"),
        ("logprobs", True),
        ("top_logprobs", 2),
        ("logit_bias", {"50256": -100}),
        ("n", 2),
    ]:
        call = lambda: client.chat.completions.create(model="helper", messages=messages, extra_body={name: value})
        error = await failure(name, call, openai.BadRequestError)
        expect(name, (error.code, error.param), ("unsupported_parameter", name))


async def unknown_paths_and_methods_are_errors():
    client = CountingClient().client
    error = await failure("path", lambda: client.embeddings.create(model="m", input="x"), openai.NotFoundError)
    expect("path", (error.code, error.type), ("unknown_url", "invalid_request_error"))
    require(f"the error lists the paths: {error}", "/v1/chat/completions" in str(error))
    error = await failure("method", lambda: client.delete("/models", cast_to=object), openai.APIStatusError)
    expect("method", (error.status_code, error.code), (405, "method_not_supported"))
    async with httpx.AsyncClient() as http:
        body = {"model": "helper", "input": "hi"}
        for path in ("/v1/responses/", "/agents/helper/v1/responses/"):
            expect(path, (await http.post(f"{BATON}{path}", json=body)).json()["status"], "completed")
        expect("a list", (await http.get(f"{BATON}/v1/models/")).json()["data"][0]["id"], "helper")


CHECKS = [
    permanent_errors_are_not_retried,
    temporary_errors_contain_the_delay,
    errors_end_a_started_stream,
    answers_end_at_stop_sequences,
    reasoning_precedes_the_answer,
    unsupported_parameters_are_rejected,
    unknown_paths_and_methods_are_errors,
]

if __name__ == "__main__":
    sys.exit(asyncio.run(run([(check.__name__.replace("_", " "), check) for check in CHECKS])))
