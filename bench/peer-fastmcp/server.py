"""The tool `add` on FastMCP: streamable HTTP in both versions of the protocol, uvicorn with its fast loop and parser.

Prints its URL on stdout and serves until it is killed. Replies are JSON instead of streams, and requests are not logged:
the fastest settings of FastMCP.
"""

import socket
from dataclasses import dataclass

import uvicorn
import uvloop
from fastmcp import FastMCP

mcp = FastMCP("adder")


@dataclass
class Sum:
    sum: int


@mcp.tool(annotations={"readOnlyHint": True})
async def add(a: int, b: int) -> Sum:
    """Adds two numbers"""
    return Sum(a + b)


async def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    print("http://127.0.0.1:%d/mcp" % listener.getsockname()[1], flush=True)
    config = uvicorn.Config(mcp.http_app(json_response=True), log_level="warning", access_log=False, lifespan="on")
    await uvicorn.Server(config).serve(sockets=[listener])


if __name__ == "__main__":
    uvloop.run(main())
