"""Cost by the number of stored tasks."""

import statistics
import time

import growth
from rpc import AgentConnection
from samples import load_with_processor
from servers import Baton, load, note

SIZES, QUICK_SIZES = (1_000, 10_000, 100_000, 1_000_000), (1_000, 4_000, 16_000)
FILL_CONNECTIONS, CONNECTIONS, ROUNDS, PAGES = 64, 16, 5, 21


def measure(options, directory):
    server, stored = Baton(options, directory), 0
    points = {"send": [], "processor": [], "memory": [], "page": [], "filtered": []}
    try:
        server.start()
        for size in QUICK_SIZES if options.quick else SIZES:
            filled = load(server.url, "send", FILL_CONNECTIONS, count=size - stored)
            stored += filled["served"]
            points["memory"].append((stored, server.resident_mb()))
            connection = AgentConnection(server.url)
            points["page"].append((stored, page_millis(connection, {}, stored)))
            points["filtered"].append((stored, page_millis(connection, {"status": "TASK_STATE_COMPLETED"}, stored)))
            connection.close()
            # Few enough tasks that the size hardly changes, and enough for a measurement.
            found = [load_with_processor(server, "send", CONNECTIONS, count=min(max(size // 10, 500), 10_000))
                     for _ in range(ROUNDS)]
            middle = stored + sum(one["served"] for one in found) // 2
            points["send"].append((middle, 1e6 / statistics.median(one["per_second"] for one in found)))
            points["processor"].append((middle, statistics.median(one["processor_us"] for one in found)))
            errors = filled["errors"] + sum(one["errors"] for one in found)
            if errors:
                raise SystemExit(f"{errors} errors with {stored} stored tasks")
            stored += sum(one["served"] for one in found)
            note(f"growth: {points['send'][-1][0]} tasks, {points['send'][-1][1]:.0f} us per send, "
                 f"{points['memory'][-1][1]:.0f} MB, page in {points['page'][-1][1]:.2f} ms")
    finally:
        server.stop()
    lines = [growth.Line(f"time per send at {CONNECTIONS} connections", "\u00b5s", growth.FLAT, points["send"]),
             growth.Line("processor time per send", "\u00b5s", growth.FLAT, points["processor"])]
    pages = [growth.Line("a page of 100 tasks with the total", "ms", growth.FLAT, points["page"]),
             growth.Line("a page of completed tasks with the total", "ms", growth.FLAT, points["filtered"])]
    memory = [growth.Line("resident memory with stored tasks", "MB", growth.LINEAR, points["memory"])]
    return [growth.Series("tasks-sends", "Cost of a send", "stored tasks", "microseconds", lines),
            growth.Series("tasks-memory", "Memory", "stored tasks", "megabytes", memory),
            growth.Series("tasks-pages", "The first page of ListTasks", "stored tasks", "milliseconds", pages)]


def page_millis(connection, query, stored):
    """Median milliseconds of a first page."""
    took = []
    for _ in range(PAGES):
        begun = time.perf_counter()
        page = connection.call("ListTasks", {"pageSize": 100, **query})
        took.append((time.perf_counter() - begun) * 1000)
        if len(page["tasks"]) != 100 or page["totalSize"] > stored:
            raise SystemExit(f"a page has {len(page['tasks'])} tasks of {page['totalSize']}, expected 100 of {stored}")
    return statistics.median(took)
