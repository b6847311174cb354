"""Strands Agents for Python: an A2AAgent, invoked and streamed; it has no conversations."""

import sys

import shown
from strands.agent.a2a_agent import A2AAgent

URL = sys.argv[1]


async def converse(stream):
    agent = A2AAgent(endpoint=URL)

    async def ask(question):
        if not stream:
            return str(await agent.invoke_async(question))
        text = ""
        async for event in agent.stream_async(question):
            if "result" in event:
                text += str(event["result"])
        return text

    return ask


modes = {"`A2AAgent.invoke_async`": lambda: converse(False), "`A2AAgent.stream_async`": lambda: converse(True)}
shown.main("strands-agents", {"A2A 0.3": modes}, cases=(shown.PLAIN, shown.TOOL))
