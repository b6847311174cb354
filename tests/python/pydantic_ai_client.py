"""Tests Pydantic AI with the agent of tests/agents/openai as its model, over responses and chat completions.

Usage: pydantic_ai_client.py URL
"""

import asyncio
import base64
import sys

import openai
from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, ModelHTTPError, NativeOutput, ToolOutput
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

from checking import expect, require, run
from openai_words import DOT

client = openai.AsyncOpenAI(base_url=f"{sys.argv[1]}/v1", api_key="none", max_retries=0)
DIALECTS = (OpenAIResponsesModel, OpenAIChatModel)


class Person(BaseModel):
    name: str
    age: int


def get_weather(location: str) -> str:
    """The weather of a place."""
    return "sunny"


def agent(dialect=OpenAIResponsesModel, name="desk", **options):
    return Agent(dialect(name, provider=OpenAIProvider(openai_client=client)), **options)


async def it_answers():
    for dialect in DIALECTS:
        answer = await agent(dialect, instructions="Be brief.").run("hello")
        expect("the answer", answer.output, "You said: hello")
        require("tokens", answer.usage.total_tokens > 0)


async def it_streams():
    for dialect in DIALECTS:
        async with agent(dialect).run_stream("one two three") as stream:
            pieces = [piece async for piece in stream.stream_text(delta=True, debounce_by=None)]
        expect("the text", "".join(pieces), "You said: one two three")


async def functions_are_called():
    for dialect in DIALECTS:
        able = agent(dialect, tools=[get_weather])
        answer = await able.run("What is the weather in Paris?")
        expect("the answer", answer.output, "It is sunny in Paris.")
        async with able.run_stream("What is the weather in Paris?") as stream:
            expect("streamed", await stream.get_output(), "It is sunny in Paris.")


async def conversations_continue():
    kept = {"openai_previous_response_id": "auto"}
    for dialect, settings in [*((dialect, {}) for dialect in DIALECTS), (OpenAIResponsesModel, kept)]:
        talker = agent(dialect, model_settings=settings)
        first = await talker.run("My name is Alice.")
        second = await talker.run("What is my name?", message_history=first.all_messages())
        expect(f"the answer with {settings}", second.output, "Your name is Alice.")


async def images_are_received():
    picture = BinaryContent(base64.b64decode(DOT.partition(",")[2]), media_type="image/png")
    for dialect in DIALECTS:
        answer = await agent(dialect).run(["What is it?", picture])
        require(f"an image: {answer.output}", answer.output.endswith("(image/png)."))


async def answers_match_the_requested_schema():
    for dialect in DIALECTS:
        for form in (NativeOutput(Person), ToolOutput(Person)):
            made = (await agent(dialect, output_type=form).run("Make somebody up.")).output
            require(f"a person: {made}", isinstance(made, Person) and made.name)


async def agent_tools_run_on_the_server():
    answer = await agent(name="personal").run("What's the weather in Oakland?")
    require(f"the answer: {answer.output}", "72°F" in answer.output)
    calls = [part.tool_name for part in answer.response.parts if part.part_kind == "builtin-tool-call"]
    require(f"the handoff: {answer.response.parts}", any("weather" in name for name in calls))


async def errors_have_status_codes():
    for dialect in DIALECTS:
        for label, asked, status in [
            ("an unknown agent", agent(dialect, "nobody").run("hi"), 404),
            ("a failure", agent(dialect).run("fail, please"), 500),
        ]:
            try:
                await asked
            except ModelHTTPError as error:
                expect(label, error.status_code, status)
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
    errors_have_status_codes,
]

if __name__ == "__main__":
    sys.exit(asyncio.run(run((check.__name__.replace("_", " "), check) for check in CHECKS)))
