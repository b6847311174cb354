"""LiteLLM: an agent as the model `a2a/...` of completions, and LiteLLM's A2A client."""

import os
import sys
import uuid

# Prevents LiteLLM from fetching prices from the internet.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
import shown
from a2a.compat.v0_3.types import MessageSendParams, SendMessageRequest, SendStreamingMessageRequest
from litellm.a2a_protocol import A2AClient
from litellm.llms.a2a.common_utils import extract_text_from_a2a_response

URL = sys.argv[1]


async def complete(stream):
    messages = []

    async def ask(question):
        messages.append({"role": "user", "content": question})
        answer = await litellm.acompletion(model="a2a/guide", api_base=URL, messages=messages, stream=stream)
        if stream:
            text = "".join([chunk.choices[0].delta.content or "" async for chunk in answer])
        else:
            text = answer.choices[0].message.content
        messages.append({"role": "assistant", "content": text})
        return text

    return ask


async def send(stream):
    client = A2AClient(base_url=URL)
    context = str(uuid.uuid4())

    async def ask(question):
        parts = [{"kind": "text", "text": question}]
        message = {"role": "user", "parts": parts, "messageId": uuid.uuid4().hex, "contextId": context}
        request = {"id": str(uuid.uuid4()), "params": MessageSendParams(message=message)}
        if not stream:
            response = await client.send_message(SendMessageRequest(**request))
            return extract_text_from_a2a_response(response.model_dump(mode="json", exclude_none=True))
        text = ""
        async for event in client.send_message_streaming(SendStreamingMessageRequest(**request)):
            text += extract_text_from_a2a_response(event.model_dump(mode="json", exclude_none=True))
        return text

    return ask


# For completions, LiteLLM implements 0.3 itself; its A2A client uses the protocol version of the installed A2A SDK.
completions = {"`completion`": lambda: complete(False), "`completion`, streamed": lambda: complete(True)}
client = {"`A2AClient`": lambda: send(False), "`A2AClient`, streamed": lambda: send(True)}
shown.main("litellm", {"A2A 0.3": completions, "A2A 1.0": client})
