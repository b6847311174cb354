"""An agent, called with the official client of protocol 0.3 over one transport; for a2a-sdk 0.3.x."""

import asyncio
import uuid

import grpc
import httpx

from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.errors import A2AClientHTTPError, A2AClientJSONRPCError
from a2a.grpc import a2a_pb2
from a2a.types import (
    DataPart,
    DeleteTaskPushNotificationConfigParams,
    DeleteTaskPushNotificationConfigRequest,
    DeleteTaskPushNotificationConfigSuccessResponse,
    ListTaskPushNotificationConfigParams,
    ListTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigSuccessResponse,
    Message,
    Part,
    Role,
    TaskIdParams,
    TaskQueryParams,
    TaskState,
    TextPart,
)
from a2a.utils import get_data_parts, get_message_text, proto_utils
from google.protobuf.json_format import ParseDict

from checking import CheckFailure, expect, require


def says(*parts, task=None, context=None):
    """A user message. Strings become text parts, dictionaries data parts; parts are used as they are."""

    def part(value):
        if isinstance(value, (str, dict)):
            return Part(root=TextPart(text=value) if isinstance(value, str) else DataPart(data=value))
        return Part(root=value)

    return Message(
        role=Role.user,
        message_id=str(uuid.uuid4()),
        parts=[part(value) for value in parts],
        task_id=task.id if task else None,
        context_id=task.context_id if task else context,
    )


def calls_of(task):
    """The tool calls in the status message."""
    return [call for data in get_data_parts(task.status.message.parts) for call in data.get("tool_calls", [])]


def text_of(artifact):
    return "".join(part.root.text for part in artifact.parts if isinstance(part.root, TextPart))


def answer_of(task):
    """The answer; checks that status message, last artifact and last history entry are equal."""
    expect("the state", task.status.state, TaskState.completed)
    answer = get_message_text(task.status.message)
    expect("the last artifact", text_of(task.artifacts[-1]), answer)
    expect("the last message of the history", task.history[-1], task.status.message)
    return answer


def roles(task):
    return [message.role.value for message in task.history]


class StreamedTask:
    """A task folded from a stream by the client."""

    def __init__(self, stream):
        self.stream = stream
        self.task = None
        self.states = []
        self.texts = []
        self.finals = []
        self.begun = asyncio.Event()
        self.growing = asyncio.Event()

    async def to_end(self):
        async for event in self.stream:
            require(f"tasks and their updates, not {event!r}", isinstance(event, tuple))
            task, update = event
            self.task = task
            if update is None:
                self.states.append(task.status.state)
                self.begun.set()
                continue
            require("the first event is the task", self.begun.is_set())
            expect("the update's task and context", (update.task_id, update.context_id), (task.id, task.context_id))
            if update.kind == "status-update":
                self.states.append(update.status.state)
                self.finals.append(update.final)
            else:
                expect("the kind of a later event", update.kind, "artifact-update")
                id = update.artifact.artifact_id
                self.texts += [text_of(artifact) for artifact in task.artifacts if artifact.artifact_id == id]
                if len(self.texts) >= 10:
                    self.growing.set()
        require("the stream contained a task", self.task is not None)
        # Only the last status is marked as final.
        expect("final", self.finals, [False] * (len(self.finals) - 1) + [True])
        return self


class OldAgent:
    """Uses the client as documented by the SDK: timeouts, headers and URLs are not adjusted."""

    def __init__(self, address, transport, several):
        self.address = address
        # URLs of interfaces have no trailing slash.
        self.url = address.rstrip("/")
        self.root = address.split("/agents/")[0]
        self.transport = transport
        self.several = several

    async def __aenter__(self):
        self.http = httpx.AsyncClient()
        self.card = await A2ACardResolver(self.http, self.address).get_agent_card()
        self.blocking = await self.client(streaming=False)
        self.streaming = await self.client()
        return self

    async def __aexit__(self, *_):
        for client in (self.blocking, self.streaming):
            await client.close()
        await self.http.aclose()

    async def client(self, **config):
        if self.transport == "GRPC":
            config["grpc_channel_factory"] = grpc.aio.insecure_channel
        return await ClientFactory.connect(self.address, ClientConfig(supported_transports=[self.transport], **config))

    async def send(self, message, *, client=None):
        replies = [reply async for reply in (client or self.blocking).send_message(message)]
        expect("the number of replies", len(replies), 1)
        [(task, update)] = replies
        expect("an update in addition to the reply", update, None)
        return task

    async def begin(self, text, *, callback=None):
        """Starts a task and returns it while it is running."""
        callbacks = [callback] if callback else []
        client = await self.client(streaming=False, polling=True, push_notification_configs=callbacks)
        try:
            task = await self.send(says(text), client=client)
        finally:
            await client.close()
        require("the send returns before the task ends", task.status.state in (TaskState.submitted, TaskState.working))
        return task

    async def stream(self, message):
        streamed = await StreamedTask(self.streaming.send_message(message)).to_end()
        await self.same_as_stored(streamed)
        return streamed

    def resubscribe(self, task):
        streamed = StreamedTask(self.streaming.resubscribe(TaskIdParams(id=task.id)))
        return streamed, asyncio.create_task(streamed.to_end())

    async def get(self, task, **more):
        return await self.blocking.get_task(TaskQueryParams(id=task.id, **more))

    async def cancel(self, task):
        return await self.blocking.cancel_task(TaskIdParams(id=task.id))

    async def same_as_stored(self, streamed):
        """Checks that the folded task equals the task from tasks/get; artifacts with retracted text are empty."""
        stored = await self.get(streamed.task)
        expect("status of the stream and of tasks/get", streamed.task.status, stored.status)
        kept = [one for one in streamed.task.artifacts or [] if text_of(one) or get_data_parts(one.parts)]
        expect("artifacts of the stream and of tasks/get", kept, stored.artifacts or [])
        return stored

    # The client has no methods for the next two operations, but the SDK has their types.

    async def list_callbacks(self, task):
        if self.transport == "JSONRPC":
            params = ListTaskPushNotificationConfigParams(id=task.id)
            answer = await self.post(ListTaskPushNotificationConfigRequest(id="list", params=params))
            return ListTaskPushNotificationConfigSuccessResponse.model_validate(answer).result
        if self.transport == "GRPC":
            request = a2a_pb2.ListTaskPushNotificationConfigRequest(parent=f"tasks/{task.id}")
            listed = await self.blocking._transport.stub.ListTaskPushNotificationConfig(request)
        else:
            reply = await self.http.get(f"{self.url}/v1/tasks/{task.id}/pushNotificationConfigs")
            reply.raise_for_status()
            listed = ParseDict(reply.json(), a2a_pb2.ListTaskPushNotificationConfigResponse())
        return [proto_utils.FromProto.task_push_notification_config(config) for config in listed.configs]

    async def delete_callback(self, task, id):
        name = f"tasks/{task.id}/pushNotificationConfigs/{id}"
        if self.transport == "JSONRPC":
            params = DeleteTaskPushNotificationConfigParams(id=task.id, push_notification_config_id=id)
            answer = await self.post(DeleteTaskPushNotificationConfigRequest(id="delete", params=params))
            expect("the reply", DeleteTaskPushNotificationConfigSuccessResponse.model_validate(answer).result, None)
        elif self.transport == "GRPC":
            request = a2a_pb2.DeleteTaskPushNotificationConfigRequest(name=name)
            await self.blocking._transport.stub.DeleteTaskPushNotificationConfig(request)
        else:
            reply = await self.http.delete(f"{self.url}/v1/{name}")
            expect("the reply", (reply.status_code, reply.json()), (200, {}))

    async def post(self, request):
        reply = await self.http.post(self.url, json=request.model_dump(mode="json", exclude_none=True))
        reply.raise_for_status()
        return reply.json()

    async def expect_error(self, label, awaitable, *, code, status, grpc_status):
        """Checks that the client raises its transport's error with this code or status."""
        try:
            await awaitable
        except A2AClientJSONRPCError as error:
            expect(f"{label}: the error", (self.transport, error.error.code), ("JSONRPC", code))
            require(f"{label}: the error has a message", error.error.message)
        except A2AClientHTTPError as error:
            # The client does not read error bodies if it requested a stream.
            expect(f"{label}: the error", (self.transport, error.status_code), ("HTTP+JSON", status))
        except grpc.aio.AioRpcError as error:
            expect(f"{label}: the error", (self.transport, error.code().name), ("GRPC", grpc_status))
            require(f"{label}: the error has a message", error.details())
        except Exception as error:
            raise CheckFailure(f"{label}: wanted an error of the client, got {error!r}") from error
        else:
            raise CheckFailure(f"{label}: wanted an error, got an answer")
