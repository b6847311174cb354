"""MCP tool calls: the same tool in an Environment, on bare rmcp, on FastMCP, and on a server behind an Environment."""

import os
import statistics

from report import machine, milliseconds, per_second
from servers import BareRmcp, Environment, FastMcp, Gateway, load, note

VERSIONS = ("2026-07-28", "2025-11-25")
KINDS = (Environment, BareRmcp, FastMcp, Gateway)

# Targets of an Environment, relative to each peer.
TARGETS = {"rmcp": 0.8, "fastmcp": 20}

SECONDS, WARMUP_SECONDS, LEAST_ROUNDS = 2, 0.5, 5

NOTES = [
    "The tool adds two integers, with an input and an output schema; every reply is checked for its sum. Calls of "
    "2026-07-28 are independent; those of 2025-11-25 belong to one session per connection, which is opened and closed "
    "outside the measurement. The Environment creates spans, and checks host, caller, scopes, arguments and permission of "
    "each call. It and bare rmcp use the allocator of the shipped binary. Bare rmcp is `StreamableHttpService` on axum, "
    "with sessions and JSON replies; FastMCP runs on uvicorn with uvloop and httptools, with JSON replies and no access "
    "log. In the last row of each group, an Environment forwards the calls to a bare rmcp server over HTTP.",
    "Ratios compare measurements of the same round; the median of the rounds is shown. Processor time is that of the "
    "measured server; the time of the server behind an Environment is not included.",
]


def measure(options, directory):
    """The lines of the section."""
    rounds = options.rounds if options.quick else max(options.rounds, LEAST_ROUNDS)
    conditions = (f"{machine()}. Loopback, keep-alive HTTP/1.1, {SECONDS:g} s per measurement after {WARMUP_SECONDS:g} s "
                  f"of warm-up, median of {rounds}; all servers run at the same time and take turns; the load generator "
                  "shares the machine.")
    servers = {kind.name: kind(options, os.path.join(directory, f"mcp-{kind.name}")) for kind in KINDS}
    samples = {}
    try:
        for server in servers.values():
            server.start()
        for version in VERSIONS:
            for connections in options.connections:
                for number in range(rounds):
                    take_turns(servers, version, connections, number, samples)
    finally:
        for server in servers.values():
            server.stop()
    errors = sum(one["errors"] for found in samples.values() for one in found)
    return ["## Tool calls of MCP", "", conditions, "", NOTES[0], "", *call_table(options, samples), "", NOTES[1], "",
            *target_table(options, samples), "", f"Errors: {errors}."]


def take_turns(servers, version, connections, number, samples):
    # The order rotates, so that no server always runs first or always after the same one.
    names = list(servers)
    first = number % len(names)
    for name in names[first:] + names[:first]:
        server = servers[name]
        before = server.processor_seconds()
        result = load(server.url, None, connections, seconds=SECONDS, warmup=WARMUP_SECONDS, protocol=f"mcp-{version}")
        result["processor_us"] = (server.processor_seconds() - before) / max(result["served"], 1) * 1e6
        samples.setdefault((name, version, connections), []).append(result)
        note(f"{name:11} {version} c={connections:<3} round {number + 1}: {result['per_second']:9.0f}/s  "
             f"p50 {result['p50_us']:>6} us" + (f"  ERRORS {result['errors']}" if result["errors"] else ""))


def call_table(options, samples):
    peers = [kind for kind in KINDS if kind.name in TARGETS]
    lines = ["| Protocol | Connections | Server | calls/s | p50 | p99 | processor |"
             + "".join(f" / {kind.title} |" for kind in peers),
             "|---|---:|---|---:|---:|---:|---:|" + "---:|" * len(peers)]
    for version in VERSIONS:
        for connections in options.connections:
            for kind in KINDS:
                found = samples[(kind.name, version, connections)]
                result = sorted(found, key=lambda one: one["per_second"])[len(found) // 2]
                processor = statistics.median(one["processor_us"] for one in found)
                ratios = ""
                for peer in peers:
                    own = kind in (Environment, Gateway)
                    ratios += f" {ratio(samples, kind, peer, version, connections):.2f}x |" if own else " |"
                lines.append(f"| {version} | {connections} | {kind.title} | {per_second(result)} | "
                             f"{milliseconds(result['p50_us'])} | {milliseconds(result['p99_us'])} | "
                             f"{processor:.0f} \u00b5s |{ratios}")
    return lines


def target_table(options, samples):
    lines = ["| Environment relative to | Protocol |" + "".join(f" {number} conn. |" for number in options.connections)
             + " target | met |", "|---|---|" + "---:|" * len(options.connections) + "---:|---|"]
    for kind in KINDS:
        if kind.name not in TARGETS:
            continue
        for version in VERSIONS:
            ratios = [ratio(samples, Environment, kind, version, connections) for connections in options.connections]
            target = TARGETS[kind.name]
            lines.append(f"| {kind.title} | {version} |" + "".join(f" {one:.2f}x |" for one in ratios)
                         + f" {target:g}x | {'yes' if min(ratios) >= target else 'no'} |")
    return lines


def ratio(samples, kind, peer, version, connections):
    pairs = zip(samples[(kind.name, version, connections)], samples[(peer.name, version, connections)])
    return statistics.median(one["per_second"] / max(other["per_second"], 1e-9) for one, other in pairs)
