"""What a test says to an agent, hears from it, and expects; for a2a-sdk 1.x."""

import asyncio
import uuid

import grpc
from google.rpc import error_details_pb2

from a2a.helpers.proto_helpers import get_artifact_text, get_data_parts, get_message_text, new_data_part, new_text_part
from a2a.server.tasks.task_manager import append_artifact_to_task
from a2a.types.a2a_pb2 import Message, Part, Role, Task, TaskState
from a2a.utils.grpc_status import status_from_call

from checking import Unexpected, expect, require

USER, AGENT = Role.ROLE_USER, Role.ROLE_AGENT
SUBMITTED = TaskState.TASK_STATE_SUBMITTED
WORKING = TaskState.TASK_STATE_WORKING
INPUT_REQUIRED = TaskState.TASK_STATE_INPUT_REQUIRED
COMPLETED = TaskState.TASK_STATE_COMPLETED
CANCELED = TaskState.TASK_STATE_CANCELED
FAILED = TaskState.TASK_STATE_FAILED
REJECTED = TaskState.TASK_STATE_REJECTED


async def refused(what, awaitable, error_type, code):
    """Checks that the client raises this error, and that it carries Baton's code."""
    try:
        await awaitable
    except error_type as error:
        expect(f"{what}: the type of the error", type(error), error_type)
        expect(f"{what}: the code of the error", baton_code(error), code)
        require(f"{what}: the error says something", error.message)
    except Exception as error:
        raise Unexpected(f"{what}: wanted {error_type.__name__}, got {error!r}") from error
    else:
        raise Unexpected(f"{what}: wanted {error_type.__name__}, got an answer")


def baton_code(error):
    """The code that travels with an error; the client keeps it only where the error is not a gRPC status."""
    if isinstance(error.__cause__, grpc.aio.AioRpcError):
        for detail in status_from_call(error.__cause__).details:
            info = error_details_pb2.ErrorInfo()
            if detail.Unpack(info):
                return info.metadata.get("batonCode")
    return (error.data or {}).get("batonCode")


def says(*parts, task=None, context=None, metadata=None):
    """A message of the user; texts become text parts, parts stay, anything else becomes a data part."""

    def part(of):
        if isinstance(of, Part):
            return of
        return new_text_part(of) if isinstance(of, str) else new_data_part(of)

    return Message(
        role=Role.ROLE_USER,
        message_id=str(uuid.uuid4()),
        parts=[part(of) for of in parts],
        task_id=task.id if task else None,
        context_id=task.context_id if task else context,
        metadata=metadata,
    )


def results(task, outputs, *, context=True):
    """The user's message with results, by call id."""
    names = {call["call_id"]: call["name"] for call in calls_of(task)}
    given = [{"call_id": id, "name": names.get(id, ""), "output": output} for id, output in outputs.items()]
    message = says({"tool_results": given}, task=task)
    if not context:
        message.ClearField("context_id")
    return message


def calls_of(task):
    """The tool calls that the status message asks for."""
    return [call for data in get_data_parts(task.status.message.parts) for call in data.get("tool_calls", [])]


def text_of(artifact):
    return get_artifact_text(artifact, delimiter="")


def answer_of(task):
    """The answer, which is at once the status message, an artifact and the last entry of the history."""
    expect("the state", TaskState.Name(task.status.state), "TASK_STATE_COMPLETED")
    answer = get_message_text(task.status.message)
    expect("the last artifact", text_of(task.artifacts[-1]), answer)
    expect("the last message of the history", task.history[-1], task.status.message)
    return answer


def roles(task):
    return [message.role for message in task.history]


class Watched:
    """A stream folded into a task by the SDK's own rules; one that begins with no task goes on from a known one."""

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
        require("the stream carried a task", self.task is not None)
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
        """Whoever followed a stream to its end holds what GetTask gives; text that was taken back is empty."""
        expect("status of the stream and of GetTask", self.task.status, stored.status)
        kept = [artifact for artifact in self.task.artifacts if text_of(artifact) or get_data_parts(artifact.parts)]
        expect("artifacts of the stream and of GetTask", kept, list(stored.artifacts))
