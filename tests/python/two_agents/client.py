"""The two-agent demo, driven from outside with nothing but the official A2A and MCP clients.

Usage: client.py AGENT_URL QUESTION [MODE]

An agent that leaves its tools to its caller answers `input-required` with the calls. This client makes them in the
agent's Environment, which is its MCP server, and gives the results back, until the task ends. One of those tools is
`handoff`: the Environment asks this client, by MCP sampling, to talk to another agent, which it then does in the same
way. An agent that runs its own tools is just done sooner.

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

# The extension of an agent card that says where the agent's Environment is.
ENVIRONMENT = "https://baton.dev/extensions/environment/v1"
# What tells an Environment that sampling which names an agent is answered by that agent, not by a model.
HANDOFF = advertise("dev.baton/handoff")
# Turns of one conversation, and agents that may wait for one another.
MAX_TURNS, MAX_DEPTH = 20, 5

INPUT_REQUIRED, COMPLETED = TaskState.TASK_STATE_INPUT_REQUIRED, TaskState.TASK_STATE_COMPLETED


async def ask(url, question, mode, depth=0):
    """Asks the agent at `url`; gives its task when nothing is left to do for it."""

    def tell(words):
        print(f"{'    ' * depth}{words}", flush=True)

    async with httpx.AsyncClient() as http:
        card = await A2ACardResolver(http, url).get_agent_card()
    tell(f"to {card.name}: {question}")

    # 1, 2. The question becomes a message of A2A.
    message = new_message([new_text_part(question)], role=Role.ROLE_USER)
    async with await create_client(card, ClientConfig(streaming=False)) as agent:
        for _ in range(MAX_TURNS):
            # 3. The agent asks its model, which wants tools: `handoff` for one agent, `get_weather` for the other.
            [reply] = [reply async for reply in agent.send_message(SendMessageRequest(message=message))]
            task = reply.task
            # 10. No tools any more: the task is completed, and its status message or its artifact is the answer.
            if task.status.state != INPUT_REQUIRED:
                tell(f"{card.name} is {state_of(task)}: {said_by(task)}")
                return task
            # 4. The task waits, input-required, and a data part of its status message names the calls.
            calls = [call for data in get_data_parts(task.status.message.parts) for call in data.get("tool_calls", [])]
            if not calls:
                raise RuntimeError(f"{card.name} asks: {get_message_text(task.status.message)}")
            for call in calls:
                tell(f"{card.name} is input-required: {call['name']} {json.dumps(call['arguments'], sort_keys=True)}")
            # 5, 6, 7. The calls are made where the agent's tools are.
            results = await run(environment_of(card, url), calls, mode, depth)
            for result in results:
                tell(f"{result['name']} gave: {words_of(result['output'])}")
            # 8, 9. All results go back to the same task in one message, and the agent asks its model again.
            results = new_data_part({"tool_results": results})
            message = new_message([results], role=Role.ROLE_USER, task_id=task.id, context_id=task.context_id)
    raise RuntimeError(f"{card.name} wants tools after {MAX_TURNS} turns still")


def said_by(task):
    """What a task says in the end: agents that run their own tools answer with an artifact."""
    artifacts = [get_artifact_text(artifact) for artifact in task.artifacts]
    return get_message_text(task.status.message) or "\n".join(artifacts)


async def run(environment, calls, mode, depth):
    """Makes the calls in an Environment, in order; answers its sampling requests."""

    async def hand_over(_context, params):
        # 5. `handoff` asks for words of another agent, and says of which.
        agent, asked = params.metadata["agent_uri"], params.messages[0].content.text
        try:
            if depth >= MAX_DEPTH:
                raise RuntimeError(f"more than {MAX_DEPTH} agents would wait for one another")
            # 6. That agent is asked over A2A, and its tools are run in its own Environment.
            task = await ask(agent, asked, mode, depth + 1)
        except Exception as error:
            return answer(f"{agent} cannot be asked: {error}", stop_reason="error")
        # 7. Its answer goes back to `handoff`, with the task in which it was given.
        place = {"dev.baton/taskId": task.id, "dev.baton/contextId": task.context_id}
        return answer(said_by(task), None if done(task) else "error", place)

    def answer(words, stop_reason=None, place=None):
        # The name of the model says that an agent gave the answer, not a model of ours.
        content = types.TextContent(type="text", text=words)
        answered = dict(role="assistant", content=content, model="a2a-agent", stop_reason=stop_reason)
        return types.CreateMessageResult(**answered, _meta=place)

    async with Client(environment, mode=mode, sampling_callback=hand_over, extensions=[HANDOFF]) as tools:
        results = []
        for call in calls:
            made = await tools.call_tool(call["name"], call["arguments"])
            output = made.structured_content or "\n".join(block.text for block in made.content if block.type == "text")
            result = {"call_id": call["call_id"], "name": call["name"], "output": output, "is_error": made.is_error}
            results.append(result)
        return results


def words_of(output):
    """What a tool said; `handoff` has the words of the other agent under `response`."""
    return output if isinstance(output, str) else output.get("response", json.dumps(output))


def environment_of(card, url):
    """Where the agent's tools are: as its card says, otherwise below its address."""
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
