"""BeeAI Framework: an A2AAgent, streamed as declared by the card, and unstreamed."""

import sys

import shown
from beeai_framework.adapters.a2a.agents import A2AAgent
from beeai_framework.memory import UnconstrainedMemory

URL = sys.argv[1]


async def converse(**options):
    agent = A2AAgent(url=URL, memory=UnconstrainedMemory())

    async def ask(question):
        return (await agent.run(question, **options)).last_message.text

    return ask


modes = {"`A2AAgent.run`": converse, "`A2AAgent.run`, `streaming=False`": lambda: converse(streaming=False)}
shown.main("beeai-framework", {"A2A 0.3": modes})
