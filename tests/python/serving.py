"""Output and lifetime of the served agents; for a2a-sdk 1.x and 0.3."""

import asyncio
import json
import socket
import sys

import httpx
import uvicorn


def print_json(**fact):
    """Prints one line of JSON to stdout."""
    print(json.dumps(fact), flush=True)


def notifier():
    """A client for notifications that prints a line for each response."""

    async def report(response):
        print_json(notified=str(response.request.url), status=response.status_code)

    return httpx.AsyncClient(event_hooks={"response": [report]}, trust_env=False)


def listen():
    """A listener on a free loopback port, and its URL."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    return listener, "http://127.0.0.1:%d" % listener.getsockname()[1]


async def serve(app, listener, url):
    """Serves until stdin ends, at the latest when the parent process dies."""
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off"))
    running = asyncio.create_task(server.serve(sockets=[listener]))
    print_json(url=url)
    await asyncio.to_thread(sys.stdin.read)
    server.should_exit = server.force_exit = True
    await running
