"""One agent seen through the official client, over one binding; for a2a-sdk 1.x."""

import asyncio

import grpc

from a2a.client import ClientConfig, create_client
from a2a.types.a2a_pb2 import GetTaskRequest, SendMessageConfiguration, SendMessageRequest, SubscribeToTaskRequest

from checking import expect, require
from conversation import SUBMITTED, WORKING, Watched, says


class Agent:
    """The clients are made as the SDK's own documentation makes them: no timeouts, headers or URLs are adjusted."""

    def __init__(self, address, binding, several):
        self.address = address
        # Interfaces are listed without the slash at the end.
        self.url = address.rstrip("/")
        self.root = address.split("/agents/")[0]
        self.binding = binding
        self.several = several

    async def __aenter__(self):
        self.blocking = await self.client(streaming=False)
        self.polling = await self.client(streaming=False, polling=True)
        self.streaming = await self.client()
        return self

    async def __aexit__(self, *_):
        for client in (self.blocking, self.polling, self.streaming):
            await client.close()

    async def client(self, **config):
        if self.binding == "GRPC":
            config["grpc_channel_factory"] = grpc.aio.insecure_channel
        return await create_client(self.address, ClientConfig(supported_protocol_bindings=[self.binding], **config))

    async def send(self, message, *, client=None, context=None, **configuration):
        request = SendMessageRequest(message=message, configuration=SendMessageConfiguration(**configuration))
        events = [event async for event in (client or self.blocking).send_message(request, context=context)]
        expect("the replies to a send", [event.WhichOneof("payload") for event in events], ["task"])
        return events[0].task

    async def begin(self, text, **configuration):
        """A task that goes on by itself."""
        task = await self.send(says(text), client=self.polling, **configuration)
        require("the send returns before the end", task.status.state in (SUBMITTED, WORKING))
        return task

    async def stream(self, message, **configuration):
        request = SendMessageRequest(message=message, configuration=SendMessageConfiguration(**configuration))
        watched = await Watched(self.streaming.send_message(request)).to_end()
        await self.same_as_stored(watched)
        return watched

    def subscribe(self, task):
        watched = Watched(self.streaming.subscribe(SubscribeToTaskRequest(id=task.id)))
        return watched, asyncio.create_task(watched.to_end())

    async def get(self, task, **more):
        return await self.blocking.get_task(GetTaskRequest(id=task.id, **more))

    async def same_as_stored(self, watched):
        stored = await self.get(watched.task)
        watched.same_as(stored)
        return stored
