"""Two builds of Baton: sends, streams, responses and tool calls, measured alternately."""

import os
import statistics

from report import machine, milliseconds, per_second
from servers import RELEASE, Baton, Environment, load, note

# Operation, load mode and protocol; the name of the server that handles it.
OPERATIONS = (
    ("send", "send", "jsonrpc", "baton"),
    ("stream", "stream", "jsonrpc", "baton"),
    ("response", "send", "responses", "baton"),
    ("streamed response", "stream", "responses", "baton"),
    ("tool call", None, "mcp-2026-07-28", "environment"),
)
BUILDS = ("before", "after")

SECONDS, WARMUP_SECONDS, LEAST_ROUNDS = 2, 0.5, 5
TARGET = 0.97

NOTES = [
    "Both builds run at the same time and take turns. Ratios compare measurements of the same round; the median of the "
    "rounds is shown, with the lowest and the highest. Processor time is that of the server, per operation.",
]


class Build(Baton):
    """A given Baton binary."""

    def __init__(self, options, directory, binary):
        super().__init__(options, directory)
        self.binary = binary

    def command(self):
        return [self.binary, *super().command()[1:]]


class BuildEnvironment(Environment):
    """A given program with an Environment."""

    def __init__(self, options, directory, binary):
        super().__init__(options, directory)
        self.binary = binary

    def command(self):
        return [self.binary]


def measure(options, directory):
    """The lines of the section."""
    rounds = options.rounds if options.quick else max(options.rounds, LEAST_ROUNDS)
    conditions = (f"{machine()}. Loopback, keep-alive HTTP/1.1, {SECONDS:g} s per measurement after {WARMUP_SECONDS:g} s "
                  f"of warm-up, median of {rounds}; the load generator shares the machine.")
    servers = {}
    for build, baton, environment in (
        ("before", options.before, options.before_environment),
        ("after", options.baton, os.path.join(RELEASE, "environment")),
    ):
        servers[(build, "baton")] = Build(options, os.path.join(directory, f"build-{build}"), baton)
        if options.before_environment:
            servers[(build, "environment")] = BuildEnvironment(
                options, os.path.join(directory, f"build-{build}-mcp"), environment)
    operations = [row for row in OPERATIONS if ("before", row[3]) in servers]
    samples = {}
    try:
        for server in servers.values():
            server.start()
        for operation in operations:
            for connections in options.connections:
                for number in range(rounds):
                    take_turns(servers, operation, connections, number, samples)
    finally:
        for server in servers.values():
            server.stop()
    errors = sum(one["errors"] for found in samples.values() for one in found)
    return ["## Two builds", "", conditions, "", NOTES[0], "", *table(options, operations, samples), "",
            f"Errors: {errors}."]


def take_turns(servers, operation, connections, number, samples):
    name, mode, protocol, kind = operation
    # Neither build always runs first.
    for build in BUILDS if number % 2 == 0 else BUILDS[::-1]:
        server = servers[(build, kind)]
        before = server.processor_seconds()
        model = "echo" if protocol == "responses" else None
        result = load(server.url_of(protocol), mode, connections, seconds=SECONDS, warmup=WARMUP_SECONDS,
                      protocol=protocol, model=model)
        result["processor_us"] = (server.processor_seconds() - before) / max(result["served"], 1) * 1e6
        samples.setdefault((name, connections, build), []).append(result)
        note(f"{name:17} {build:6} c={connections:<3} round {number + 1}: {result['per_second']:9.0f}/s  "
             f"{result['processor_us']:6.1f} us" + (f"  ERRORS {result['errors']}" if result["errors"] else ""))


def table(options, operations, samples):
    lines = ["| Operation | Connections | Build | per second | p50 | p99 | processor | after / before | range |",
             "|---|---:|---|---:|---:|---:|---:|---:|---:|"]
    for name, *_ in operations:
        for connections in options.connections:
            found = {build: samples[(name, connections, build)] for build in BUILDS}
            ratios = [after["per_second"] / max(before["per_second"], 1e-9)
                      for before, after in zip(found["before"], found["after"])]
            for build in BUILDS:
                middle = sorted(found[build], key=lambda one: one["per_second"])[len(found[build]) // 2]
                processor = statistics.median(one["processor_us"] for one in found[build])
                last = f"{statistics.median(ratios):.2f}x | {min(ratios):.2f} to {max(ratios):.2f}"
                lines.append(f"| {name} | {connections} | {build} | {per_second(middle)} | "
                             f"{milliseconds(middle['p50_us'])} | {milliseconds(middle['p99_us'])} | {processor:.0f} us | "
                             f"{last if build == 'after' else ' | '} |")
    return [*lines, "", f"Target: {TARGET}x."]
