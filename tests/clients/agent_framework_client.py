"""Microsoft Agent Framework: an A2AAgent, unstreamed and streamed."""

import sys

import httpx
import shown
from a2a.client import A2ACardResolver
from agent_framework_a2a import A2AAgent

URL = sys.argv[1]


async def resolve_card():
    async with httpx.AsyncClient() as http:
        return await A2ACardResolver(httpx_client=http, base_url=URL).get_agent_card()


async def converse(stream, by_card):
    card = await resolve_card() if by_card else None
    agent = A2AAgent(name="guide", agent_card=card, url=None if by_card else URL)
    session = agent.create_session()

    async def ask(question):
        if not stream:
            return (await agent.run(question, session=session)).text
        updates = agent.run(question, session=session, stream=True)
        return "".join([update.text async for update in updates if update.text])

    return ask


modes = {
    "`A2AAgent.run`": lambda: converse(False, True),
    "`A2AAgent.run`, streamed": lambda: converse(True, True),
    "`A2AAgent.run`, without a card": lambda: converse(False, False),
}
shown.main("agent-framework-a2a", {"A2A 1.0": modes})
