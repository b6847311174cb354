"""Google ADK for Python: a RemoteA2aAgent as the root agent of a Runner; measures the text that `adk run` prints."""

import sys
import warnings

import a2a.types
import shown
from google.adk.agents.remote_a2a_agent import RemoteA2aAgent
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

warnings.filterwarnings("ignore")
CARD = shown.card_url(sys.argv[1])
# ADK uses the protocol version of the installed A2A SDK.
DIALECT = "A2A 1.0" if hasattr(a2a.types, "StreamResponse") else "A2A 0.3"


async def converse(use_legacy):
    agent = RemoteA2aAgent(name="guide", agent_card=CARD, use_legacy=use_legacy)
    sessions = InMemorySessionService()
    session = await sessions.create_session(app_name="clients", user_id="user")
    runner = Runner(agent=agent, app_name="clients", session_service=sessions)

    async def ask(question):
        content = types.Content(role="user", parts=[types.Part(text=question)])
        text = []
        async for event in runner.run_async(user_id="user", session_id=session.id, new_message=content):
            if event.error_message:
                raise RuntimeError(event.error_message)
            if event.content and event.content.parts:
                text.append("".join(part.text or "" for part in event.content.parts))
        return "\n".join(text)

    return ask


modes = {"`Runner`": lambda: converse(True), "`Runner`, `use_legacy=False`": lambda: converse(False)}
shown.main("google-adk", {DIALECT: modes})
