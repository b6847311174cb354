"""How the served agents tell what they do, and how they end; for a2a-sdk 1.x and 0.3."""

import asyncio
import json
import socket
import sys

import httpx
import uvicorn


def tell(**fact):
    """One line of JSON on stdout."""
    print(json.dumps(fact), flush=True)


def notifier():
    """The client with which notifications are sent; tells of each answer."""

    async def answered(response):
        tell(notified=str(response.request.url), status=response.status_code)

    return httpx.AsyncClient(event_hooks={"response": [answered]}, trust_env=False)


def listen():
    """A port of loopback, and its URL."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    return listener, "http://127.0.0.1:%d" % listener.getsockname()[1]


async def serve(app, listener, url):
    """Until stdin ends, which it does when whoever started this dies."""
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off"))
    running = asyncio.create_task(server.serve(sockets=[listener]))
    tell(url=url)
    await asyncio.to_thread(sys.stdin.read)
    server.should_exit = server.force_exit = True
    await running
