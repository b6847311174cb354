"""An agent, called with the official client over one binding; for a2a-sdk 1.x."""

import asyncio

import grpc

from a2a.client import ClientConfig, create_client
from a2a.types.a2a_pb2 import GetTaskRequest, SendMessageConfiguration, SendMessageRequest, SubscribeToTaskRequest

from checking import expect, require
from conversation import SUBMITTED, WORKING, StreamedTask, says


class Agent:
    """Uses clients as documented by the SDK: timeouts, headers and URLs are not adjusted."""

    def __init__(self, address, binding, several):
        self.address = address
        # URLs of interfaces have no trailing slash.
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
        """Starts a task and returns it while it is running."""
        task = await self.send(says(text), client=self.polling, **configuration)
        require("the send returns before the task ends", task.status.state in (SUBMITTED, WORKING))
        return task

    async def stream(self, message, **configuration):
        request = SendMessageRequest(message=message, configuration=SendMessageConfiguration(**configuration))
        streamed = await StreamedTask(self.streaming.send_message(request)).to_end()
        await self.same_as_stored(streamed)
        return streamed

    def subscribe(self, task):
        streamed = StreamedTask(self.streaming.subscribe(SubscribeToTaskRequest(id=task.id)))
        return streamed, asyncio.create_task(streamed.to_end())

    async def get(self, task, **more):
        return await self.blocking.get_task(GetTaskRequest(id=task.id, **more))

    async def same_as_stored(self, streamed):
        stored = await self.get(streamed.task)
        streamed.same_as(stored)
        return stored
