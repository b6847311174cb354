"""AG2 1.x: an Agent with a remote A2A agent as its model; measures the reply, or the streamed chunks of its text."""

import sys

import shown
from ag2 import Agent, MemoryStream
from ag2.a2a import A2AConfig
from ag2.events import ModelMessageChunk

URL = sys.argv[1]


async def converse(streaming):
    agent = Agent("guide", config=A2AConfig(card_url=URL, streaming=streaming))
    last = None

    async def ask(question):
        nonlocal last
        last = await (agent.ask(question) if last is None else last.ask(question))
        return last.body

    return ask


async def converse_in_chunks():
    chunks = []
    stream = MemoryStream()
    stream.where(ModelMessageChunk).subscribe(lambda event: chunks.append(event.content))
    agent = Agent("guide", config=A2AConfig(card_url=URL))
    last = None

    async def ask(question):
        nonlocal last
        chunks.clear()
        last = await (agent.ask(question, stream=stream) if last is None else last.ask(question))
        return "".join(chunks)

    return ask


modes = {
    "`Agent.ask`": lambda: converse(True),
    "`Agent.ask`, streamed chunks": converse_in_chunks,
    "`Agent.ask`, `streaming=False`": lambda: converse(False),
}
shown.main("ag2", {"A2A 1.0": modes})
