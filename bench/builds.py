"""Two builds of Baton: sends, streams, responses and tool calls, measured alternately."""

import os

from report import milliseconds, per_second
from samples import errors_of, load_with_processor, median_of, median_with_range, middle, ratios
from servers import RELEASE, Baton, Environment, note

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
    conditions = (f"Loopback, keep-alive HTTP/1.1, {SECONDS:g} s per measurement after {WARMUP_SECONDS:g} s "
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
    return ["## Two builds", "", conditions, "", NOTES[0], "", *table(options, operations, samples), "",
            f"Errors: {errors_of(samples)}."]


def take_turns(servers, operation, connections, number, samples):
    name, mode, protocol, kind = operation
    # Neither build always runs first.
    for build in BUILDS if number % 2 == 0 else BUILDS[::-1]:
        server = servers[(build, kind)]
        model = "echo" if protocol == "responses" else None
        result = load_with_processor(server, mode, connections, seconds=SECONDS, warmup=WARMUP_SECONDS,
                                     protocol=protocol, model=model)
        samples.setdefault((name, connections, build), []).append(result)
        note(f"{name:17} {build:6} c={connections:<3} round {number + 1}: {result['per_second']:9.0f}/s  "
             f"{result['processor_us']:6.1f} us" + (f"  ERRORS {result['errors']}" if result["errors"] else ""))


def table(options, operations, samples):
    lines = ["| Operation | Connections | Build | per second | p50 | p99 | processor | after / before | range |",
             "|---|---:|---|---:|---:|---:|---:|---:|---:|"]
    for name, *_ in operations:
        for connections in options.connections:
            found = {build: samples[(name, connections, build)] for build in BUILDS}
            for build in BUILDS:
                result = middle(found[build])
                processor = median_of(found[build], "processor_us")
                last = median_with_range(ratios(found["after"], found["before"]))
                lines.append(f"| {name} | {connections} | {build} | {per_second(result)} | "
                             f"{milliseconds(result['p50_us'])} | {milliseconds(result['p99_us'])} | {processor:.0f} us | "
                             f"{last if build == 'after' else ' | '} |")
    return [*lines, "", f"Target: {TARGET}x."]
