"""Agno: its A2A client whole and streamed, and a RemoteAgent that uses it."""

import sys
import uuid

import shown
from agno.agent import RemoteAgent
from agno.client.a2a import A2AClient

URL = sys.argv[1]


async def converse(stream):
    client = A2AClient(URL, protocol="json-rpc")
    context = str(uuid.uuid4())

    async def ask(question):
        if not stream:
            return (await client.send_message(question, context_id=context)).content
        events = client.stream_message(question, context_id=context)
        return "".join([event.content async for event in events if event.is_content and event.content])

    return ask


async def run_remote_agent():
    agent = RemoteAgent(base_url=URL, agent_id="guide", protocol="a2a", a2a_protocol="json-rpc")
    session = str(uuid.uuid4())

    async def ask(question):
        return (await agent.arun(question, session_id=session)).content

    return ask


modes = {
    "`A2AClient`": lambda: converse(False),
    "`A2AClient`, streamed": lambda: converse(True),
    "`RemoteAgent.arun`": run_remote_agent,
}
shown.main("agno", {"A2A 0.3": modes})
