"""Cost by the number of events of one task.

The agent calls 64 tools in every turn and leaves them to its caller, so each result that is sent appends events.
"""

import os
import statistics
import time

import growth
from rpc import AgentConnection, send
from servers import Baton, note

SIZES, QUICK_SIZES = (10, 100, 1_000, 10_000), (10, 100, 300)
CALLS, SAMPLES = 64, 7
BUDGET_SECONDS, QUICK_BUDGET_SECONDS = 300, 20

DEFINITION = """name: caller
title: Caller
description: Calls tools until it is told to stop.
version: 1.0.0
settings: { tools: caller, max_turns: 1000, control_tools: [] }
skills: [{ id: caller, name: Caller, description: Calls tools., tags: [benchmark] }]
tools:
  - name: note
    description: Notes a number.
    command: ["true"]
    parameters: { type: object, properties: { number: { type: integer } } }
"""


class CallerAgent(Baton):
    """An agent that never stops calling tools."""

    def __init__(self, options, directory):
        super().__init__(options, directory, agent="caller")
        self.home = os.path.join(directory, "caller")
        os.makedirs(self.home)
        calls = "".join(f"      - {{ tool: note, args: {{ number: {number} }} }}\n" for number in range(CALLS))
        playbook = f"rules:\n  - when: {{ turn: any }}\n    call:\n{calls}"
        for name, text in (("agent.yaml", DEFINITION), ("prompt.md", "You call tools.\n"), ("playbook.yaml", playbook)):
            with open(os.path.join(self.home, name), "w", encoding="utf-8") as file:
                file.write(text)

    def command(self):
        return [self.options.baton, "up", self.home, "--port", "0", "--data", self.data]


def measure(options, directory):
    points, begun, ended = {"append": [], "status": [], "task": [], "replay": [], "page": []}, time.monotonic(), ""
    sizes, budget = (QUICK_SIZES, QUICK_BUDGET_SECONDS) if options.quick else (SIZES, BUDGET_SECONDS)
    server = CallerAgent(options, directory)
    try:
        server.start()
        connection = AgentConnection(server.url)
        growing = GrowingTask(connection)
        for size in sizes:
            if not growing.grow_to(size, begun + budget):
                ended = f"The sizes end early: the task did not reach {size:,} events within {budget} s."
                break
            measure_size(growing, points)
        connection.close()
    finally:
        server.stop()
    appends = [growth.Line("append a tool result", "ms", growth.FLAT, points["append"]),
               growth.Line("the last events of a task", "ms", growth.FLAT, points["page"])]
    reads = [growth.Line("read a task", "ms", growth.LINEAR, points["task"]),
             growth.Line("read a task without its history", "ms", growth.LINEAR, points["status"]),
             growth.Line("subscribe to a task, first item", "ms", growth.LINEAR, points["replay"])]
    return [growth.Series("events-appends", "Appending to a task", "events of the task", "milliseconds", appends, ended),
            growth.Series("events-reads", "Reading a task", "events of the task", "milliseconds", reads, ended)]


def measure_size(growing, points):
    """Reads and appends at this number of events."""
    connection, task, events = growing.connection, growing.task, growing.events()
    last = max(events - 5, 0)
    for name, action in (
        ("status", lambda: connection.call("GetTask", {"id": task, "historyLength": 0})),
        ("task", lambda: connection.call("GetTask", {"id": task})),
        ("replay", lambda: first_item(connection, task)),
        ("page", lambda: connection.get(f"/api/v1/tasks/{task}/events?after={last}&limit=100")),
        ("append", growing.append_one),
    ):
        points[name].append((events, statistics.median(timed(action) for _ in range(SAMPLES))))
    note(f"growth: {events} events, append {points['append'][-1][1]:.2f} ms, task {points['task'][-1][1]:.2f} ms, "
         f"subscribe {points['replay'][-1][1]:.2f} ms")


class GrowingTask:
    """A task to which results of tools are sent."""

    def __init__(self, connection):
        self.connection = connection
        task = send(connection, "begin")
        self.task, self.open = task["id"], open_calls(task)

    def events(self):
        return self.connection.get(f"/api/v1/tasks/{self.task}")["version"]

    def append_one(self):
        self.answer(self.open[:1])

    def answer(self, calls):
        """Sends results of these calls; the last ones of a turn start the next turn."""
        results = [{"call_id": call, "name": "note", "output": 1} for call in calls]
        task = send(self.connection, {"tool_results": results}, task=self.task)
        self.open = open_calls(task)

    def grow_to(self, size, deadline):
        """Appends results up to this number of events, and leaves calls open for the samples; false at the deadline."""
        while (missing := size - self.events()) > 0 or len(self.open) <= SAMPLES:
            if time.monotonic() > deadline:
                return False
            if len(self.open) <= SAMPLES + 1 or missing > 2 * len(self.open):
                self.answer(self.open)
            else:
                self.append_one()
        return True


def open_calls(task):
    """Ids of the calls that the task waits for."""
    parts = task["status"]["message"]["parts"]
    calls = [call["call_id"] for part in parts for call in part.get("data", {}).get("tool_calls", [])]
    if not calls:
        raise SystemExit(f"the task waits for no calls: {task['status']}")
    return calls


def first_item(connection, task):
    """Reads the first item of a new subscription, over a connection of its own, because the stream does not end."""
    fresh = AgentConnection(connection.url)
    try:
        next(fresh.stream("SubscribeToTask", {"id": task}))
    finally:
        fresh.close()


def timed(action):
    begun = time.perf_counter()
    action()
    return (time.perf_counter() - begun) * 1000
