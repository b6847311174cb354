"""The two-agent demo, implemented with only the official A2A and MCP clients.

Usage: client.py AGENT_URL QUESTION [MODE]

If an agent leaves its tools to the caller, its task is `input-required` and contains the calls. This client runs them
in the agent's Environment (its MCP server) and returns the results, until the task ends. One of the tools is `handoff`:
the Environment requests, by MCP sampling, that this client call another agent, which it does in the same way. With an
agent that runs its own tools, the first reply contains the answer.

MODE is how the MCP client connects: `auto` (protocol 2026-07-28, the default) or `legacy` (2025-11-25).
"""

import asyncio
import json
import sys

import httpx
import mcp_types as types
from a2a.client import A2ACardResolver, ClientConfig, create_client
from a2a.helpers import get_artifact_text, get_data_parts, get_message_text, new_data_part, new_message, new_text_part
from a2a.types import Role, SendMessageRequest, TaskState
from google.protobuf.json_format import MessageToDict
from mcp import Client
from mcp.client import advertise

# The agent card extension that contains the URL of the agent's Environment.
ENVIRONMENT = "https://baton.dev/extensions/environment/v1"
# Declares that sampling requests that name an agent are answered by that agent, not by a model.
HANDOFF = advertise("dev.baton/handoff")
# Turns of one conversation, and depth of nested handoffs.
MAX_TURNS, MAX_DEPTH = 20, 5

INPUT_REQUIRED, COMPLETED = TaskState.TASK_STATE_INPUT_REQUIRED, TaskState.TASK_STATE_COMPLETED


async def ask(url, question, mode, depth=0):
    """Asks the agent at `url`; returns its task when it needs nothing more from the caller."""

    def tell(words):
        print(f"{'    ' * depth}{words}", flush=True)

    async with httpx.AsyncClient() as http:
        card = await A2ACardResolver(http, url).get_agent_card()
    tell(f"to {card.name}: {question}")

    # 1, 2. The question becomes an A2A message.
    message = new_message([new_text_part(question)], role=Role.ROLE_USER)
    async with await create_client(card, ClientConfig(streaming=False)) as agent:
        for _ in range(MAX_TURNS):
            # 3. The agent calls its model, which requests a tool: `handoff` for one agent, `get_weather` for the other.
            [reply] = [reply async for reply in agent.send_message(SendMessageRequest(message=message))]
            task = reply.task
            # 10. No more tool calls: the task is completed; its status message or its artifact is the answer.
            if task.status.state != INPUT_REQUIRED:
                tell(f"{card.name} is {state_of(task)}: {said_by(task)}")
                return task
            # 4. The task is input-required, and a data part of its status message contains the calls.
            calls = [call for data in get_data_parts(task.status.message.parts) for call in data.get("tool_calls", [])]
            if not calls:
                raise RuntimeError(f"{card.name} asks: {get_message_text(task.status.message)}")
            for call in calls:
                tell(f"{card.name} is input-required: {call['name']} {json.dumps(call['arguments'], sort_keys=True)}")
            # 5, 6, 7. The calls run in the agent's Environment.
            results = await run(environment_of(card, url), calls, mode, depth)
            for result in results:
                tell(f"{result['name']} gave: {words_of(result['output'])}")
            # 8, 9. One message returns all results to the task, and the agent calls its model again.
            results = new_data_part({"tool_results": results})
            message = new_message([results], role=Role.ROLE_USER, task_id=task.id, context_id=task.context_id)
    raise RuntimeError(f"{card.name} wants tools after {MAX_TURNS} turns still")


def said_by(task):
    """The final text of a task; agents that run their own tools answer with an artifact."""
    artifacts = [get_artifact_text(artifact) for artifact in task.artifacts]
    return get_message_text(task.status.message) or "\n".join(artifacts)


async def run(environment, calls, mode, depth):
    """Runs the calls in an Environment, in order; answers its sampling requests."""

    async def answer_for_agent(_context, params):
        # 5. `handoff` sends a sampling request with the address of another agent.
        agent, asked = params.metadata["agent_uri"], params.messages[0].content.text
        try:
            if depth >= MAX_DEPTH:
                raise RuntimeError(f"more than {MAX_DEPTH} agents would wait for one another")
            # 6. That agent is asked over A2A, and its tools are run in its own Environment.
            task = await ask(agent, asked, mode, depth + 1)
        except Exception as error:
            return answer(f"{agent} cannot be asked: {error}", stop_reason="error")
        # 7. The answer is returned to `handoff`, with the id of the task.
        place = {"dev.baton/taskId": task.id, "dev.baton/contextId": task.context_id}
        return answer(said_by(task), None if done(task) else "error", place)

    def answer(words, stop_reason=None, place=None):
        # The model name marks the answer of an agent, not of a local model.
        content = types.TextContent(type="text", text=words)
        answered = dict(role="assistant", content=content, model="a2a-agent", stop_reason=stop_reason)
        return types.CreateMessageResult(**answered, _meta=place)

    async with Client(environment, mode=mode, sampling_callback=answer_for_agent, extensions=[HANDOFF]) as tools:
        results = []
        for call in calls:
            made = await tools.call_tool(call["name"], call["arguments"])
            output = made.structured_content or "\n".join(block.text for block in made.content if block.type == "text")
            result = {"call_id": call["call_id"], "name": call["name"], "output": output, "is_error": made.is_error}
            results.append(result)
        return results


def words_of(output):
    """The text of a tool result; `handoff` returns the other agent's text in `response`."""
    return output if isinstance(output, str) else output.get("response", json.dumps(output))


def environment_of(card, url):
    """The URL of the agent's Environment: from its card, otherwise below its address."""
    for extension in card.capabilities.extensions:
        if extension.uri == ENVIRONMENT:
            return MessageToDict(extension.params)["url"]
    return f"{url.rstrip('/')}/mcp"


def done(task):
    return task.status.state == COMPLETED


def state_of(task):
    return TaskState.Name(task.status.state).removeprefix("TASK_STATE_").lower().replace("_", "-")


async def main(url, question, mode="auto"):
    return 0 if done(await ask(url, question, mode)) else 1


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(asyncio.run(main(*sys.argv[1:])))
