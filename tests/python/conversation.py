"""Messages, streams and expected errors; for a2a-sdk 1.x."""

import asyncio
import uuid

import grpc
from google.rpc import error_details_pb2

from a2a.helpers.proto_helpers import get_artifact_text, get_data_parts, get_message_text, new_data_part, new_text_part
from a2a.server.tasks.task_manager import append_artifact_to_task
from a2a.types.a2a_pb2 import Message, Part, Role, Task, TaskState
from a2a.utils.grpc_status import status_from_call

from checking import CheckFailure, expect, require

USER, AGENT = Role.ROLE_USER, Role.ROLE_AGENT
SUBMITTED = TaskState.TASK_STATE_SUBMITTED
WORKING = TaskState.TASK_STATE_WORKING
INPUT_REQUIRED = TaskState.TASK_STATE_INPUT_REQUIRED
COMPLETED = TaskState.TASK_STATE_COMPLETED
CANCELED = TaskState.TASK_STATE_CANCELED
FAILED = TaskState.TASK_STATE_FAILED
REJECTED = TaskState.TASK_STATE_REJECTED


async def expect_error(label, awaitable, error_type, code):
    """Checks that the client raises the error with Baton's error code."""
    try:
        await awaitable
    except error_type as error:
        expect(f"{label}: the type of the error", type(error), error_type)
        expect(f"{label}: the code of the error", baton_code(error), code)
        require(f"{label}: the error has a message", error.message)
    except Exception as error:
        raise CheckFailure(f"{label}: wanted {error_type.__name__}, got {error!r}") from error
    else:
        raise CheckFailure(f"{label}: wanted {error_type.__name__}, got an answer")


def baton_code(error):
    """Baton's code in an error; for gRPC it is read from the status, because the client does not keep it."""
    if isinstance(error.__cause__, grpc.aio.AioRpcError):
        for detail in status_from_call(error.__cause__).details:
            info = error_details_pb2.ErrorInfo()
            if detail.Unpack(info):
                return info.metadata.get("batonCode")
    return (error.data or {}).get("batonCode")


def says(*parts, task=None, context=None, metadata=None):
    """A user message. Strings become text parts, parts are used as they are, other values become data parts."""

    def part(value):
        if isinstance(value, Part):
            return value
        return new_text_part(value) if isinstance(value, str) else new_data_part(value)

    return Message(
        role=Role.ROLE_USER,
        message_id=str(uuid.uuid4()),
        parts=[part(value) for value in parts],
        task_id=task.id if task else None,
        context_id=task.context_id if task else context,
        metadata=metadata,
    )


def results(task, outputs, *, context=True):
    """A user message with tool results; `outputs` maps call ids to outputs."""
    names = {call["call_id"]: call["name"] for call in calls_of(task)}
    given = [{"call_id": id, "name": names.get(id, ""), "output": output} for id, output in outputs.items()]
    message = says({"tool_results": given}, task=task)
    if not context:
        message.ClearField("context_id")
    return message


def calls_of(task):
    """The tool calls in the status message."""
    return [call for data in get_data_parts(task.status.message.parts) for call in data.get("tool_calls", [])]


def text_of(artifact):
    return get_artifact_text(artifact, delimiter="")


def answer_of(task):
    """The answer; checks that status message, last artifact and last history entry are equal."""
    expect("the state", TaskState.Name(task.status.state), "TASK_STATE_COMPLETED")
    answer = get_message_text(task.status.message)
    expect("the last artifact", text_of(task.artifacts[-1]), answer)
    expect("the last message of the history", task.history[-1], task.status.message)
    return answer


def roles(task):
    return [message.role for message in task.history]


class StreamedTask:
    """A task folded from a stream by the SDK's rules; a stream without an initial task continues the `known` task."""

    def __init__(self, stream=None, *, known=None):
        self.stream = stream
        self.task = known and Task(id=known.id, context_id=known.context_id)
        self.kinds = []
        self.states = []
        self.texts = []
        self.begun = asyncio.Event()
        self.growing = asyncio.Event()

    async def to_end(self):
        async for event in self.stream:
            self.take(event)
        require("the stream contained a task", self.task is not None)
        return self

    def take(self, event):
        kind = event.WhichOneof("payload")
        self.kinds.append(kind)
        if self.task is None:
            expect("the first event of a stream", kind, "task")
            self.task = Task()
            self.task.CopyFrom(event.task)
            self.states.append(event.task.status.state)
            self.begun.set()
        elif kind == "status_update":
            expect("the task of a status", event.status_update.task_id, self.task.id)
            expect("the context of a status", event.status_update.context_id, self.task.context_id)
            self.task.status.CopyFrom(event.status_update.status)
            self.states.append(self.task.status.state)
        else:
            expect("the kind of a later event", kind, "artifact_update")
            expect("the task of an artifact", event.artifact_update.task_id, self.task.id)
            expect("the context of an artifact", event.artifact_update.context_id, self.task.context_id)
            append_artifact_to_task(self.task, event.artifact_update)
            id = event.artifact_update.artifact.artifact_id
            self.texts += [text_of(artifact) for artifact in self.task.artifacts if artifact.artifact_id == id]
            if len(self.texts) >= 10:
                self.growing.set()

    def same_as(self, stored):
        """Checks that the folded task equals the task from GetTask; artifacts with retracted text are empty."""
        expect("status of the stream and of GetTask", self.task.status, stored.status)
        kept = [artifact for artifact in self.task.artifacts if text_of(artifact) or get_data_parts(artifact.parts)]
        expect("artifacts of the stream and of GetTask", kept, list(stored.artifacts))
