"""Lists of tasks, and following and canceling one; for a2a-sdk 1.x."""

import asyncio
import uuid

from a2a.types.a2a_pb2 import CancelTaskRequest, ListTasksRequest, TaskState
from a2a.utils.errors import InvalidParamsError

from checking import expect, require
from conversation import AGENT, CANCELED, COMPLETED, INPUT_REQUIRED, answer_of, calls_of, refused, results, roles, says


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
    require("as much history as was asked for", all(roles(task) == [AGENT] for task in tasks))
    tasks, _, total = await pages(status=INPUT_REQUIRED)
    expect("waiting tasks", ([task.id for task in tasks], total), ([waiting.id], 1))
    for since in (waiting.status.timestamp, done[2].status.timestamp):
        newer = [task.id for task in [*done, waiting] if task.status.timestamp.ToNanoseconds() >= since.ToNanoseconds()]
        tasks, sizes, total = await pages(status_timestamp_after=since, page_size=1)
        expect("tasks since then, one by one", ([task.id for task in tasks], total), (newer[::-1], len(newer)))
        expect("one task on each page", sizes, [1] * len(newer))
    tasks, _, total = await pages(status=CANCELED)
    expect("no task at all", (tasks, total), ([], 0))
    for what, wrong in (
        ("a page token of nobody", {"page_token": "nonsense"}),
        ("pages of nothing", {"page_size": 0}),
        ("pages of too much", {"page_size": 101}),
        ("less than no history", {"history_length": -1}),
    ):
        request = ListTasksRequest(context_id=context, **wrong)
        await refused(what, agent.blocking.list_tasks(request), InvalidParamsError, "BTN-1001")


async def cancel_running(agent):
    task = await agent.begin("hang")
    watched, watching = agent.subscribe(task)
    await watched.begun.wait()
    canceled = await agent.blocking.cancel_task(CancelTaskRequest(id=task.id))
    expect("the reply", TaskState.Name(canceled.status.state), "TASK_STATE_CANCELED")
    await watching
    expect("the subscriber", watched.states[-1], CANCELED)
    await agent.same_as_stored(watched)
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
    for watched in (early, late):
        stored = await agent.same_as_stored(watched)
        expect("the text at the end", watched.texts[-1], answer_of(stored))
        for shorter, longer in zip(watched.texts, watched.texts[1:]):
            require("text grows", longer.startswith(shorter))
    require("the late subscriber begins with what is there", len(late.texts[0]) > len(early.texts[0]))


async def subscribe_waiting(agent):
    task = await agent.send(says("What's the weather in Oakland?"))
    watched, watching = agent.subscribe(task)
    await watched.begun.wait()
    expect("it begins with the task as it is", watched.task, task)
    [call] = calls_of(task)
    await agent.send(results(task, {call["call_id"]: "fog"}))
    await watching
    expect("it goes on to the end", (watched.states[0], watched.states[-1]), (INPUT_REQUIRED, COMPLETED))
    await agent.same_as_stored(watched)


async def silence(agent):
    """A stream in which nothing happens for longer than HTTP clients wait by default."""
    task = await agent.begin("quiet")
    for watched in await asyncio.gather(agent.subscribe(task)[1], agent.stream(says("quiet"))):
        stored = await agent.same_as_stored(watched)
        expect("answer", answer_of(stored), "Still here.")
