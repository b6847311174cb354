"""Errors and their types in the client; for a2a-sdk 1.x."""

import uuid

from a2a.types.a2a_pb2 import CancelTaskRequest, Task
from a2a.utils.errors import (
    InvalidParamsError,
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
)

from conversation import expect_error, says


async def errors(agent):
    unknown_task = Task(id=str(uuid.uuid4()))
    for label, call in (
        ("get", agent.get(unknown_task)),
        ("cancel", agent.blocking.cancel_task(CancelTaskRequest(id=unknown_task.id))),
        ("send to", agent.send(says("hello", task=unknown_task))),
        ("subscribe to", agent.subscribe(unknown_task)[1]),
        ("stream to", agent.stream(says("hello", task=unknown_task))),
    ):
        await expect_error(f"{label} an unknown task", call, TaskNotFoundError, "BTN-2003")
    done = await agent.send(says("hello"))
    for label, call in (
        ("send to", agent.send(says("hello", task=done))),
        ("stream to", agent.stream(says("hello", task=done))),
        ("subscribe to", agent.subscribe(done)[1]),
    ):
        await expect_error(f"{label} a finished task", call, UnsupportedOperationError, "BTN-2004")
    late = agent.blocking.cancel_task(CancelTaskRequest(id=done.id))
    await expect_error("cancel a finished task", late, TaskNotCancelableError, "BTN-2005")
    await expect_error("an empty message", agent.send(says()), InvalidParamsError, "BTN-1001")
    waiting = await agent.send(says("ask me"))
    other_context = says("blue", task=waiting)
    other_context.context_id = "another"
    await expect_error("another context", agent.send(other_context), InvalidParamsError, "BTN-2006")
