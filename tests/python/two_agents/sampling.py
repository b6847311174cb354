"""Makes one handoff with the official MCP client and prints the result.

Usage: sampling.py ENVIRONMENT MODE DECLARES MODEL AGENT_URI MESSAGE

MODE is `auto` (protocol 2026-07-28) or `legacy` (2025-11-25). DECLARES is `sampling`, `handoff` (sampling and
`dev.baton/handoff`) or `nothing`. MODEL is the model name in the answer. Prints one line of JSON: the number of
sampling requests and the result of the call.
"""

import asyncio
import json
import sys

import mcp_types as types
from mcp import Client
from mcp.client import advertise


async def main(environment, mode, declares, model, agent_uri, message):
    asked = []

    async def answer(_context, params):
        asked.append(params.metadata)
        content = types.TextContent(type="text", text="It is 99\u00b0F, said the client.")
        return types.CreateMessageResult(role="assistant", content=content, model=model)

    options = {}
    if declares != "nothing":
        options["sampling_callback"] = answer
    if declares == "handoff":
        options["extensions"] = [advertise("dev.baton/handoff")]
    async with Client(environment, mode=mode, **options) as tools:
        made = await tools.call_tool("handoff", {"agent_uri": agent_uri, "message": message})
    content = [block.text for block in made.content if block.type == "text"]
    report = {"asked": len(asked), "handoffs": [one["handoff_id"] for one in asked], "is_error": made.is_error}
    print(json.dumps({**report, "result": made.structured_content, "content": content}))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
