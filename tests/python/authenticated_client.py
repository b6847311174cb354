"""Tests authentication with the official client over one binding; for a2a-sdk 1.x.

Usage: authenticated_client.py URL BINDING MINE THEIRS READING UNKNOWN

URL is the address of an agent that requires bearer tokens and answers immediately. MINE and THEIRS are tokens of two
callers, READING is the token of a third caller with read access only, and UNKNOWN is a well-formed but unknown token.
"""

import asyncio
import sys

import grpc

from a2a.client import (
    A2AClientError,
    AuthInterceptor,
    ClientCallContext,
    ClientConfig,
    InMemoryContextCredentialStore,
    create_client,
)
from a2a.types.a2a_pb2 import (
    CancelTaskRequest,
    GetExtendedAgentCardRequest,
    GetTaskRequest,
    ListTasksRequest,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskState,
)
from a2a.utils.errors import TaskNotFoundError

from checking import CheckFailure, expect, require, run
from conversation import says


class Caller:
    """A client whose interceptor selects the token by the security scheme of the card."""

    def __init__(self, url, binding, token):
        self.url, self.binding, self.token = url, binding, token
        self.context = lambda: ClientCallContext(state={"sessionId": "test"})

    async def __aenter__(self):
        store = InMemoryContextCredentialStore()
        if self.token:
            await store.set_credentials("test", "bearer", self.token)
        config = ClientConfig(supported_protocol_bindings=[self.binding])
        if self.binding == "GRPC":
            config.grpc_channel_factory = grpc.aio.insecure_channel
        self.client = await create_client(self.url, config, interceptors=[AuthInterceptor(store)])
        return self

    async def __aexit__(self, *_):
        await self.client.close()

    async def send(self, task=None):
        request = SendMessageRequest(message=says("hello", task=task))
        return [event async for event in self.client.send_message(request, context=self.context())]

    async def subscribe(self, task):
        request = SubscribeToTaskRequest(id=task.id)
        return [event async for event in self.client.subscribe(request, context=self.context())]

    async def get(self, task):
        return await self.client.get_task(GetTaskRequest(id=task.id), context=self.context())

    async def cancel(self, task):
        return await self.client.cancel_task(CancelTaskRequest(id=task.id), context=self.context())

    async def list(self):
        return [task.id for task in (await self.client.list_tasks(ListTasksRequest(), context=self.context())).tasks]

    async def extended(self):
        return await self.client.get_extended_agent_card(GetExtendedAgentCardRequest(), context=self.context())


async def expect_error(label, call, kind, words=""):
    """Checks that the call raises the error, with these words in its message."""
    try:
        await call
    except kind as error:
        require(f"{label}: wanted an error with {words}, got: {error}", words in str(error))
        return
    raise CheckFailure(f"{label}: wanted an error, got an answer")


async def main(url, binding, mine, theirs, reading, unknown):
    unauthenticated, forbidden = ("UNAUTHENTICATED", "PERMISSION_DENIED") if binding == "GRPC" else ("401", "403")
    task = None

    async def valid_token():
        nonlocal task
        async with Caller(url, binding, mine) as caller:
            task = (await caller.send())[0].task
            stored = await caller.get(task)
            expect("the state", stored.status.state, TaskState.TASK_STATE_COMPLETED)
            expect("the list", await caller.list(), [task.id])
            require("the extended card has a name", (await caller.extended()).name)

    async def unauthenticated_calls(token):
        async with Caller(url, binding, token) as caller:
            calls = (caller.send, caller.list, caller.extended)
            task_calls = (caller.send, caller.get, caller.cancel, caller.subscribe)
            for call in [*calls, *(lambda call=call: call(task) for call in task_calls)]:
                await expect_error("a call", call(), A2AClientError, unauthenticated)

    async def other_callers_task():
        async with Caller(url, binding, theirs) as caller:
            expect("the list", await caller.list(), [])
            for call in (caller.send, caller.get, caller.cancel, caller.subscribe):
                await expect_error("another caller's task", call(task), TaskNotFoundError)
            own = (await caller.send())[0].task
            expect("the list", await caller.list(), [own.id])

    async def read_only_token():
        async with Caller(url, binding, reading) as caller:
            expect("the list", await caller.list(), [])
            await expect_error("a send", caller.send(), A2AClientError, forbidden)

    return await run([
        ("the client sends the token that the card requires", valid_token),
        ("calls without a token are rejected", lambda: unauthenticated_calls(None)),
        ("calls with an unknown token are rejected", lambda: unauthenticated_calls(unknown)),
        ("another caller's task is not found", other_callers_task),
        ("a read-only token cannot send", read_only_token),
    ])


if __name__ == "__main__":
    if len(sys.argv) != 7:
        sys.exit(__doc__)
    sys.exit(asyncio.run(main(*sys.argv[1:])))
