"""A model inside LiteLLM's proxy that returns a constant text without delay, complete or as a stream of one chunk."""

import litellm

ANSWER = "echo: hello"


class InProcessModel(litellm.CustomLLM):
    async def acompletion(self, *_, **__):
        response = litellm.ModelResponse()
        response.choices[0].message.content = ANSWER
        return response

    async def astreaming(self, *_, **__):
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        yield {"index": 0, "text": ANSWER, "is_finished": True, "finish_reason": "stop", "tool_use": None, "usage": usage}


model = InProcessModel()
