"""Cost by the number of served agents."""

import os
import shutil
import statistics
import time

import growth
from recovery import write_agents
from rpc import AgentConnection
from samples import load_with_processor
from servers import HERE, Baton, note

SIZES, QUICK_SIZES = (1, 100, 1_000, 10_000), (1, 30, 300)
CONNECTIONS, SENDS, ROUNDS, PAGES = 16, 10_000, 5, 11


class ManyAgents(Baton):
    """The agent echo among others, in one folder."""

    def __init__(self, options, directory, count):
        super().__init__(options, directory)
        self.folder = os.path.join(directory, "agents")
        shutil.copytree(os.path.join(HERE, "agents", "echo"), os.path.join(self.folder, "echo"))
        write_agents(self.folder, count - 1)

    def command(self):
        return [self.options.baton, "up", self.folder, "--port", "0", "--data", self.data]


def measure(options, directory):
    points = {"send": [], "processor": [], "memory": [], "start": [], "list": []}
    for count in QUICK_SIZES if options.quick else SIZES:
        server = ManyAgents(options, os.path.join(directory, str(count)), count)
        try:
            points["start"].append((count, server.start()))
            points["list"].append((count, list_millis(server, count)))
            found = [load_with_processor(server, "send", CONNECTIONS, count=SENDS // 10 if options.quick else SENDS)
                     for _ in range(ROUNDS)]
            points["memory"].append((count, server.resident_mb()))
        finally:
            server.stop()
        if errors := sum(one["errors"] for one in found):
            raise SystemExit(f"{errors} errors with {count} agents")
        points["send"].append((count, 1e6 / statistics.median(one["per_second"] for one in found)))
        points["processor"].append((count, statistics.median(one["processor_us"] for one in found)))
        note(f"growth: {count} agents, {points['send'][-1][1]:.0f} us per send, {points['memory'][-1][1]:.0f} MB, ready in "
             f"{points['start'][-1][1]:.0f} ms, listed in {points['list'][-1][1]:.1f} ms")
    sends = [growth.Line(f"time per send at {CONNECTIONS} connections", "\u00b5s", growth.FLAT, points["send"]),
             growth.Line("processor time per send", "\u00b5s", growth.FLAT, points["processor"])]
    times = [growth.Line("first start to ready", "ms", growth.LINEAR, points["start"]),
             growth.Line("list of all agents", "ms", growth.LINEAR, points["list"])]
    memory = [growth.Line("resident memory with agents", "MB", growth.LINEAR, points["memory"])]
    return [growth.Series("agents-sends", "Cost of a send", "agents", "microseconds", sends),
            growth.Series("agents-memory", "Memory", "agents", "megabytes", memory),
            growth.Series("agents-start", "Start and list of agents", "agents", "milliseconds", times)]


def list_millis(server, count):
    """Median milliseconds of the list of all agents."""
    connection, took = AgentConnection(server.url), []
    for _ in range(PAGES):
        begun = time.perf_counter()
        listed = connection.get("/agents")["agents"]
        took.append((time.perf_counter() - begun) * 1000)
        if len(listed) != count:
            raise SystemExit(f"{len(listed)} agents are listed, expected {count}")
    connection.close()
    return statistics.median(took)
