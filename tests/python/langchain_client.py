"""Tests LangChain with the agent of tests/agents/openai as its model, over responses and chat completions.

Usage: langchain_client.py URL
"""

import asyncio
import sys

import openai
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

from checking import expect, require, run
from openai_words import DOT

DIALECTS = (True, False)


class Person(BaseModel):
    name: str
    age: int


@tool
def get_weather(location: str) -> str:
    """The weather of a place."""
    return "sunny"


def model(newer=True, name="desk", **options):
    url = f"{sys.argv[1]}/v1"
    return ChatOpenAI(model=name, base_url=url, api_key="none", max_retries=0, use_responses_api=newer, **options)


async def it_answers():
    for newer in DIALECTS:
        answer = await model(newer).ainvoke("hello")
        expect("the answer", answer.text, "You said: hello")
        require("tokens", answer.usage_metadata["total_tokens"] > 0)


async def it_streams():
    for newer in DIALECTS:
        pieces = [piece async for piece in model(newer).astream("one two three")]
        require("several chunks", len(pieces) > 1)
        expect("the text", "".join(piece.text for piece in pieces), "You said: one two three")


async def functions_are_called():
    for newer in DIALECTS:
        able = model(newer).bind_tools([get_weather])
        question = HumanMessage("What is the weather in Paris?")
        calling = await able.ainvoke([question])
        [call] = calling.tool_calls
        expect("the call", (call["name"], call["args"]), ("get_weather", {"location": "Paris"}))
        result = await get_weather.ainvoke(call)
        expect("a result", type(result), ToolMessage)
        answer = await able.ainvoke([question, calling, result])
        expect("the answer", answer.text, "It is sunny in Paris.")
        streamed = None
        async for piece in able.astream([question]):
            streamed = piece if streamed is None else streamed + piece
        expect("a streamed call", [call["args"] for call in streamed.tool_calls], [{"location": "Paris"}])
        result = await get_weather.ainvoke(streamed.tool_calls[0])
        answer = await able.ainvoke([question, streamed, result])
        expect("the answer to it", answer.text, "It is sunny in Paris.")


async def conversations_continue():
    for options in ({"newer": True}, {"newer": False}, {"newer": True, "use_previous_response_id": True}):
        talker = model(**options)
        messages = [HumanMessage("My name is Alice.")]
        messages += [await talker.ainvoke(messages), HumanMessage("What is my name?")]
        expect(f"the answer with {options}", (await talker.ainvoke(messages)).text, "Your name is Alice.")


async def images_are_received():
    for newer in DIALECTS:
        parts = [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": DOT}}]
        answer = await model(newer).ainvoke([HumanMessage(parts)])
        expect("an image", answer.text, "I see a file (image/png).")


async def answers_match_the_requested_schema():
    for newer in DIALECTS:
        for method in ("json_schema", "function_calling"):
            made = await model(newer).with_structured_output(Person, method=method).ainvoke("Make somebody up.")
            require(f"a person by {method}: {made}", isinstance(made, Person) and made.name)


async def agent_tools_run_on_the_server():
    answer = await model(name="personal").ainvoke("What's the weather in Oakland?")
    require(f"the answer: {answer.text}", "72°F" in answer.text)


async def errors_have_codes():
    for newer in DIALECTS:
        for label, asked, kind in [
            ("an unknown agent", model(newer, "nobody").ainvoke("hi"), openai.NotFoundError),
            ("a failure", model(newer).ainvoke("fail, please"), openai.InternalServerError),
        ]:
            try:
                await asked
            except kind as error:
                require(f"{label}: {error}", error.code)
            else:
                require(f"{label} is an error", False)


CHECKS = [
    it_answers,
    it_streams,
    functions_are_called,
    conversations_continue,
    images_are_received,
    answers_match_the_requested_schema,
    agent_tools_run_on_the_server,
    errors_have_codes,
]

if __name__ == "__main__":
    sys.exit(asyncio.run(run((check.__name__.replace("_", " "), check) for check in CHECKS)))
