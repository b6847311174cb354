"""Handoff latency: a send to an agent that hands the work to another one, in the same process and in another one."""

import contextlib
import os
import shutil
import statistics

import report
from report import milliseconds, per_second
from samples import errors_of, load_with_processor, measure_in_turn, median_of, middle
from servers import HERE, Baton, PythonPeer, load

CONNECTIONS = (1, 16)
SECONDS, WARMUP_SECONDS, LEAST_ROUNDS = 2, 0.5, 5

NOTE = ("A send to the agent `front`, which calls its tool `handoff` for the agent `echo` and answers with its answer; the "
        "handoff record, both tasks and the tool call are on disk before the answer is sent. The latency of a handoff is "
        "the p50 of this send without that of a send to `echo` itself, in the same round. The official Python server "
        "forwards the message with the official Python client between two processes, and keeps nothing on disk.")


class OneProcess(Baton):
    """Both agents in one process; loaded through the front agent."""

    name = "one-process"
    title = "Baton, both agents in one process"

    def __init__(self, options, directory):
        super().__init__(options, directory, agent="front")

    def command(self):
        command = super().command()
        return [*command[:3], os.path.join(HERE, "agents", "echo"), *command[3:]]

    def echo_url(self):
        return self.url.replace("/agents/front", "/agents/echo")


class TwoProcesses(Baton):
    """The front agent in one process, echo in another one."""

    name = "two-processes"
    title = "Baton, two processes over A2A"

    def __init__(self, options, directory):
        super().__init__(options, directory, agent="front")
        self.behind = Baton(options, os.path.join(directory, "behind"))

    def command(self):
        return [self.options.baton, "up", os.path.join(self.directory, "front"), "--port", "0", "--data", self.data]

    def start(self, timeout=30):
        self.behind.start(timeout)
        home = os.path.join(self.directory, "front")
        shutil.copytree(os.path.join(HERE, "agents", "front"), home, dirs_exist_ok=True)
        with open(os.path.join(home, "agent.yaml"), "a", encoding="utf-8") as definition:
            definition.write(f"    url: {self.behind.url}\n")
        return super().start(timeout)

    def stop(self, *how):
        super().stop(*how)
        self.behind.stop(*how)

    def echo_url(self):
        return self.behind.url


class PythonForward(PythonPeer):
    name = "python"
    title = "a2a-sdk (memory), two processes"

    def __init__(self, options, directory):
        super().__init__(options, directory)
        self.behind = PythonPeer(options, os.path.join(directory, "behind"))

    def command(self):
        return [*super().command(), self.behind.url]

    def start(self, timeout=30):
        self.behind.start(timeout)
        return super().start(timeout)

    def stop(self, *how):
        super().stop(*how)
        self.behind.stop(*how)

    def echo_url(self):
        return self.behind.url


KINDS = {"baton": (OneProcess, TwoProcesses), "python": (PythonForward,)}


def measure(options, directory):
    """The lines of the section."""
    rounds = options.rounds if options.quick else max(options.rounds, LEAST_ROUNDS)
    kinds = [kind for name in options.servers for kind in KINDS.get(name, ())]
    rows = [(kind.name, kind(options, os.path.join(directory, f"handoffs-{kind.name}"))) for kind in kinds]
    samples, direct = {}, {}
    with contextlib.ExitStack() as stack:
        for _, server in rows:
            stack.callback(server.stop)
            server.start()
        for connections in CONNECTIONS:
            for number in range(rounds):
                for name, server in rows:
                    direct.setdefault((name, connections), []).append(
                        load(server.echo_url(), "send", connections, seconds=SECONDS / 2, warmup=WARMUP_SECONDS))
                measure_in_turn(rows, number, samples, (connections,), lambda server: load_with_processor(
                    server, "send", connections, seconds=SECONDS, warmup=WARMUP_SECONDS))
    lines = ["## Handoffs", "", f"{SECONDS} s per measurement after {WARMUP_SECONDS} s of warm-up, median of {rounds}. {NOTE}",
             "", "| Connections | Server | handoffs/s | send with handoff p50 | p99 | send to echo p50 | one handoff |",
             "|---:|---|---:|---:|---:|---:|---:|"]
    for connections in CONNECTIONS:
        for kind in kinds:
            found = samples[(kind.name, connections)]
            result = middle(found, "p50_us")
            lines.append(f"| {connections} | {kind.title} | {per_second(result)} | {milliseconds(result['p50_us'])} | "
                         f"{milliseconds(result['p99_us'])} | "
                         f"{milliseconds(median_of(direct[(kind.name, connections)], 'p50_us'))} | "
                         f"{milliseconds(latency(samples, direct, kind, connections))} |")
    if OneProcess in kinds:
        theirs = f"{PythonForward.title} {milliseconds(latency(samples, direct, PythonForward, 1))}"
        lines += ["", *report.summary_block("handoffs", [
            (f"latency of a handoff, {'one process' if kind is OneProcess else 'two processes'}, one connection",
             milliseconds(latency(samples, direct, kind, 1)), theirs if PythonForward in kinds else "")
            for kind in KINDS["baton"]])]
    return lines + ["", f"Errors: {errors_of(samples) + errors_of(direct)}."]


def latency(samples, direct, kind, connections):
    """Median of the additional p50 in the same rounds."""
    pairs = zip(samples[(kind.name, connections)], direct[(kind.name, connections)])
    return statistics.median(one["p50_us"] - other["p50_us"] for one, other in pairs)
