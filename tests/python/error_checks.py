"""Errors as the client's own types; for a2a-sdk 1.x."""

import uuid

from a2a.types.a2a_pb2 import CancelTaskRequest, Task
from a2a.utils.errors import (
    InvalidParamsError,
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
)

from conversation import refused, says


async def errors(agent):
    nobody = Task(id=str(uuid.uuid4()))
    for what, call in (
        ("get", agent.get(nobody)),
        ("cancel", agent.blocking.cancel_task(CancelTaskRequest(id=nobody.id))),
        ("send to", agent.send(says("hello", task=nobody))),
        ("subscribe to", agent.subscribe(nobody)[1]),
        ("stream to", agent.stream(says("hello", task=nobody))),
    ):
        await refused(f"{what} an unknown task", call, TaskNotFoundError, "BTN-2003")
    done = await agent.send(says("hello"))
    for what, call in (
        ("send to", agent.send(says("hello", task=done))),
        ("stream to", agent.stream(says("hello", task=done))),
        ("subscribe to", agent.subscribe(done)[1]),
    ):
        await refused(f"{what} a finished task", call, UnsupportedOperationError, "BTN-2004")
    late = agent.blocking.cancel_task(CancelTaskRequest(id=done.id))
    await refused("cancel a finished task", late, TaskNotCancelableError, "BTN-2005")
    await refused("an empty message", agent.send(says()), InvalidParamsError, "BTN-1001")
    waiting = await agent.send(says("ask me"))
    elsewhere = says("blue", task=waiting)
    elsewhere.context_id = "another"
    await refused("another context", agent.send(elsewhere), InvalidParamsError, "BTN-2006")
