"""Tests OpenAI's Agents SDK with the agent of tests/agents/openai as its model.

Usage: openai_agents_client.py URL
"""

import asyncio
import sys

import openai
from agents import (
    Agent,
    HostedMCPTool,
    MCPToolApprovalFunctionResult,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from pydantic import BaseModel

from checking import expect, require, run
from openai_words import DOT

client = openai.AsyncOpenAI(base_url=f"{sys.argv[1]}/v1", api_key="none", max_retries=0)
set_tracing_disabled(True)


class Person(BaseModel):
    name: str
    age: int


@function_tool
def get_weather(location: str) -> str:
    """The weather of a place."""
    return f"sunny and 20 °C ({len(location)})"


def agent(model="desk", **options):
    return Agent(name="caller", model=OpenAIResponsesModel(model=model, openai_client=client), **options)


async def it_answers():
    answer = await Runner.run(agent(instructions="Be brief."), "hello")
    expect("the answer", answer.final_output, "You said: hello")
    require("tokens", answer.context_wrapper.usage.total_tokens > 0)


async def it_streams():
    running = Runner.run_streamed(agent(tools=[get_weather]), "one two three")
    pieces = []
    async for event in running.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            pieces.append(event.data.delta)
    expect("the pieces", "".join(pieces), "You said: one two three")
    expect("the answer", running.final_output, "You said: one two three")


async def functions_are_called():
    question, words = "What is the weather in Paris?", "It is sunny and 20 °C (5) in Paris."
    answer = await Runner.run(agent(tools=[get_weather]), question)
    expect("the answer", answer.final_output, words)
    kinds = ["tool_call_item", "tool_call_output_item", "message_output_item"]
    expect("the items", [item.type for item in answer.new_items], kinds)
    running = Runner.run_streamed(agent(tools=[get_weather]), question)
    seen = [event.name async for event in running.stream_events() if event.type == "run_item_stream_event"]
    expect("streamed", (seen, running.final_output), (["tool_called", "tool_output", "message_output_created"], words))
    older = OpenAIChatCompletionsModel(model="desk", openai_client=client)
    answer = await Runner.run(Agent(name="caller", model=older, tools=[get_weather]), question)
    expect("over chat completions", answer.final_output, words)


async def agents_hand_off():
    clerk = agent(tools=[get_weather])
    clerk.name = "clerk"
    first = agent(handoffs=[clerk])
    first.model_settings.tool_choice = "required"
    answer = await Runner.run(first, "What is the weather in Paris?")
    expect("the agent that answers", answer.last_agent.name, "clerk")
    expect("the answer", answer.final_output, "It is sunny and 20 °C (5) in Paris.")


async def conversations_continue():
    first = await Runner.run(agent(), "My name is Alice.")
    messages = [*first.to_input_list(), {"role": "user", "content": "What is my name?"}]
    expect("history sent by the client", (await Runner.run(agent(), messages)).final_output, "Your name is Alice.")
    second = await Runner.run(agent(), "What is my name?", previous_response_id=first.last_response_id)
    expect("history kept by the server", second.final_output, "Your name is Alice.")
    conversation = (await client.conversations.create()).id
    await Runner.run(agent(), "My name is Bob.", conversation_id=conversation)
    second = await Runner.run(agent(), "What is my name?", conversation_id=conversation)
    expect("a conversation", second.final_output, "Your name is Bob.")


async def images_are_received():
    parts = [{"type": "input_text", "text": "What is it?"}, {"type": "input_image", "image_url": DOT, "detail": "auto"}]
    answer = await Runner.run(agent(), [{"role": "user", "content": parts}])
    expect("an image", answer.final_output, "I see a file (image/png).")


async def answers_match_the_requested_schema():
    made = (await Runner.run(agent(output_type=Person), "Make somebody up.")).final_output
    require(f"a person: {made}", isinstance(made, Person) and made.name)


async def agent_tools_run_on_the_server():
    answer = await Runner.run(agent("personal"), "What's the weather in Oakland?")
    require(f"the answer: {answer.final_output}", "72°F" in answer.final_output)
    calls = [item.raw_item for item in answer.new_items if item.raw_item.type == "mcp_call"]
    expect("the handoff", [call.server_label for call in calls], ["weather"])


async def mcp_servers_of_the_caller_are_used():
    place = {"type": "mcp", "server_label": "forecast", "server_url": f"{sys.argv[1]}/agents/weather/mcp"}
    question, asked = "The forecast for Oakland, please", []

    def allow(request):
        asked.append(request.data.name)
        return MCPToolApprovalFunctionResult(approve=True)

    for tool in [
        HostedMCPTool(tool_config={**place, "require_approval": "never"}),
        HostedMCPTool(tool_config={**place, "require_approval": "always"}, on_approval_request=allow),
    ]:
        answer = await Runner.run(agent(tools=[tool]), question)
        require(f"the answer: {answer.final_output}", "72°F" in answer.final_output)
        calls = [item.raw_item for item in answer.new_items if getattr(item.raw_item, "type", "") == "mcp_call"]
        expect("the call", [(call.server_label, call.name) for call in calls], [("forecast", "get_weather")])
    expect("the requested approvals", asked, ["get_weather"])


async def errors_have_codes():
    for label, asked, kind in [
        ("an unknown agent", Runner.run(agent("nobody"), "hi"), openai.NotFoundError),
        ("a failure", Runner.run(agent(), "fail, please"), openai.InternalServerError),
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
    agents_hand_off,
    conversations_continue,
    images_are_received,
    answers_match_the_requested_schema,
    agent_tools_run_on_the_server,
    mcp_servers_of_the_caller_are_used,
    errors_have_codes,
]

if __name__ == "__main__":
    sys.exit(asyncio.run(run((check.__name__.replace("_", " "), check) for check in CHECKS)))
