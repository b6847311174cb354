"""Agno: its A2A client, unstreamed and streamed, and a RemoteAgent that uses it."""

import sys
import uuid

import shown
from agno.agent import RemoteAgent
from agno.client.a2a import A2AClient
from agno.run.agent import RunContentEvent

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


async def run_remote_agent(stream):
    agent = RemoteAgent(base_url=URL, agent_id="guide", protocol="a2a", a2a_protocol="json-rpc")
    session = str(uuid.uuid4())

    async def ask(question):
        if not stream:
            return (await agent.arun(question, session_id=session)).content
        events = agent.arun(question, session_id=session, stream=True)
        return "".join([event.content async for event in events if isinstance(event, RunContentEvent)])

    return ask


# In streams, a RemoteAgent treats the first event, the task, as the last one.
STREAMED = "`RemoteAgent.arun`, streamed"
modes = {
    "`A2AClient`": lambda: converse(False),
    "`A2AClient`, streamed": lambda: converse(True),
    "`RemoteAgent.arun`": lambda: run_remote_agent(False),
    STREAMED: lambda: run_remote_agent(True),
}
shown.main("agno", {"A2A 0.3": modes}, limits=[STREAMED])
