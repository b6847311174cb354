"""Lists of tasks, subscriptions and cancellation; for a2a-sdk 1.x."""

import asyncio
import uuid

from a2a.types.a2a_pb2 import CancelTaskRequest, ListTasksRequest, TaskState
from a2a.utils.errors import InvalidParamsError

from checking import expect, require
from conversation import (
    AGENT,
    CANCELED,
    COMPLETED,
    INPUT_REQUIRED,
    answer_of,
    calls_of,
    expect_error,
    results,
    roles,
    says,
)


async def lists(agent):
    context = str(uuid.uuid4())
    done = [await agent.send(says("hello", context=context)) for _ in range(4)]
    waiting = await agent.send(says("ask me", context=context))
    newest_first = [task.id for task in [*done, waiting]][::-1]

    async def pages(**query):
        token, tasks, sizes = "", [], []
        while True:
            request = ListTasksRequest(context_id=context, page_token=token, **query)
            page = await agent.blocking.list_tasks(request)
            tasks += page.tasks
            sizes.append(len(page.tasks))
            expect("page size", page.page_size, query.get("page_size", 50))
            token = page.next_page_token
            if not token:
                return tasks, sizes, page.total_size

    tasks, sizes, total = await pages(page_size=2)
    expect("all tasks, newest first", [task.id for task in tasks], newest_first)
    expect("sizes of the pages and the total", (sizes, total), ([2, 2, 1], 5))
    require("artifacts only on request", not any(task.artifacts for task in tasks))
    tasks, _, total = await pages(status=COMPLETED, include_artifacts=True, history_length=1)
    expect("completed tasks", ([task.id for task in tasks], total), (newest_first[1:], 4))
    require("artifacts on request", all(len(task.artifacts) == 1 for task in tasks))
    require("history of the requested length", all(roles(task) == [AGENT] for task in tasks))
    tasks, _, total = await pages(status=INPUT_REQUIRED)
    expect("waiting tasks", ([task.id for task in tasks], total), ([waiting.id], 1))
    for since in (waiting.status.timestamp, done[2].status.timestamp):
        newer = [task.id for task in [*done, waiting] if task.status.timestamp.ToNanoseconds() >= since.ToNanoseconds()]
        tasks, sizes, total = await pages(status_timestamp_after=since, page_size=1)
        expect("tasks since then, one per page", ([task.id for task in tasks], total), (newer[::-1], len(newer)))
        expect("one task on each page", sizes, [1] * len(newer))
    tasks, _, total = await pages(status=CANCELED)
    expect("no task at all", (tasks, total), ([], 0))
    for label, wrong in (
        ("an unknown page token", {"page_token": "nonsense"}),
        ("a page size of zero", {"page_size": 0}),
        ("a page size above the maximum", {"page_size": 101}),
        ("a negative history length", {"history_length": -1}),
    ):
        request = ListTasksRequest(context_id=context, **wrong)
        await expect_error(label, agent.blocking.list_tasks(request), InvalidParamsError, "BTN-1001")


async def cancel_running(agent):
    task = await agent.begin("hang")
    streamed, reading = agent.subscribe(task)
    await streamed.begun.wait()
    canceled = await agent.blocking.cancel_task(CancelTaskRequest(id=task.id))
    expect("the reply", TaskState.Name(canceled.status.state), "TASK_STATE_CANCELED")
    await reading
    expect("the subscriber", streamed.states[-1], CANCELED)
    await agent.same_as_stored(streamed)
    again = await agent.blocking.cancel_task(CancelTaskRequest(id=task.id))
    expect("canceling twice", again, canceled)
    waiting = await agent.send(says("ask me"))
    canceled = await agent.blocking.cancel_task(CancelTaskRequest(id=waiting.id))
    expect("a task that waits for input", canceled.status.state, CANCELED)


async def subscribe_running(agent):
    task = await agent.begin("count")
    early, first = agent.subscribe(task)
    await early.growing.wait()
    late, second = agent.subscribe(task)
    await asyncio.gather(first, second)
    for streamed in (early, late):
        stored = await agent.same_as_stored(streamed)
        expect("the text at the end", streamed.texts[-1], answer_of(stored))
        for shorter, longer in zip(streamed.texts, streamed.texts[1:]):
            require("text grows", longer.startswith(shorter))
    require("the late subscriber starts with the current text", len(late.texts[0]) > len(early.texts[0]))


async def subscribe_waiting(agent):
    task = await agent.send(says("What's the weather in Oakland?"))
    streamed, reading = agent.subscribe(task)
    await streamed.begun.wait()
    expect("the stream starts with the current task", streamed.task, task)
    [call] = calls_of(task)
    await agent.send(results(task, {call["call_id"]: "fog"}))
    await reading
    expect("first and last state", (streamed.states[0], streamed.states[-1]), (INPUT_REQUIRED, COMPLETED))
    await agent.same_as_stored(streamed)


async def idle_stream(agent):
    """A stream without events for longer than the default timeout of HTTP clients."""
    task = await agent.begin("quiet")
    for streamed in await asyncio.gather(agent.subscribe(task)[1], agent.stream(says("quiet"))):
        stored = await agent.same_as_stored(streamed)
        expect("answer", answer_of(stored), "Still here.")
