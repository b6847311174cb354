"""What a test says to an agent, hears from it, and expects."""

import asyncio
import uuid

from a2a.helpers.proto_helpers import get_artifact_text, get_data_parts, get_message_text, new_data_part, new_text_part
from a2a.server.tasks.task_manager import append_artifact_to_task
from a2a.types.a2a_pb2 import Message, Role, Task, TaskState


class Unexpected(Exception):
    """What the server did is not what a client may rely on."""


def expect(what, actual, wanted):
    if actual != wanted:
        raise Unexpected(f"{what}:\n    wanted {wanted!r}\n    got    {actual!r}")


def require(what, condition):
    if not condition:
        raise Unexpected(what)


async def refused(what, awaitable, error_type, code):
    """Checks that the client raises this error, and that it carries Baton's code."""
    try:
        await awaitable
    except error_type as error:
        expect(f"{what}: the code of the error", (error.data or {}).get("batonCode"), code)
        require(f"{what}: the error says something", error.message)
    except Exception as error:
        raise Unexpected(f"{what}: wanted {error_type.__name__}, got {error!r}") from error
    else:
        raise Unexpected(f"{what}: wanted {error_type.__name__}, got an answer")


def says(*parts, task=None, context=None, metadata=None):
    """A message of the user; texts become text parts, anything else data parts."""
    parts = [new_text_part(part) if isinstance(part, str) else new_data_part(part) for part in parts]
    return Message(
        role=Role.ROLE_USER,
        message_id=str(uuid.uuid4()),
        parts=parts,
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
    """A stream folded into a task by the SDK's own rules."""

    def __init__(self, stream):
        self.stream = stream
        self.task = None
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
            append_artifact_to_task(self.task, event.artifact_update)
            id = event.artifact_update.artifact.artifact_id
            self.texts += [text_of(artifact) for artifact in self.task.artifacts if artifact.artifact_id == id]
            if len(self.texts) >= 10:
                self.growing.set()
