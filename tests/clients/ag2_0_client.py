"""AG2 0.x: an A2aRemoteAgent as the recipient of a run; measures the chunks and messages that the run prints."""

import sys

import shown
from autogen import ConversableAgent
from autogen.a2a import A2aRemoteAgent

URL = sys.argv[1]


async def converse():
    remote = A2aRemoteAgent(url=URL, name="guide")
    user = ConversableAgent("user", llm_config=False, human_input_mode="NEVER")
    begun = False

    async def ask(question):
        nonlocal begun
        run = await user.a_run(recipient=remote, message=question, max_turns=1, clear_history=not begun)
        begun = True
        printed = ""
        async for event in run.events:
            content = event.content
            if event.type == "stream":
                printed += content.content
            elif event.type == "text" and content.sender == "guide":
                printed += content.content
        reply = (await run.messages)[-1]["content"]
        return printed or reply

    return ask


shown.main("ag2", {"A2A 0.3": {"`A2aRemoteAgent`": converse}})
