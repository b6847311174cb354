"""MCP tool calls: the same tool in an Environment, on bare rmcp, on FastMCP, and on a server behind an Environment."""

import os
import statistics

import report
from report import counted, milliseconds, per_second, yes
from samples import errors_of, load_with_processor, measure_in_turn, median_of, middle, ratios
from servers import BareRmcp, Environment, FastMcp, Gateway

VERSIONS = ("2026-07-28", "2025-11-25")
KINDS = (Environment, BareRmcp, FastMcp, Gateway)

# Targets of an Environment, relative to each peer, and of one that forwards the calls: two hops instead of one.
TARGETS = {"rmcp": 0.8, "fastmcp": 20}
TARGET_GATEWAY = 0.45

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
    conditions = (f"Loopback, keep-alive HTTP/1.1, {SECONDS:g} s per measurement after {WARMUP_SECONDS:g} s "
                  f"of warm-up, median of {rounds}; all servers run at the same time and take turns; the load generator "
                  "shares the machine.")
    servers = {kind.name: kind(options, os.path.join(directory, f"mcp-{kind.name}")) for kind in KINDS}
    samples = {}
    try:
        for server in servers.values():
            server.start()
        for version in VERSIONS:
            for connections in options.connections:
                def one(server):
                    return load_with_processor(server, None, connections, seconds=SECONDS, warmup=WARMUP_SECONDS,
                                               protocol=f"mcp-{version}")

                for number in range(rounds):
                    measure_in_turn(list(servers.items()), number, samples, (version, connections), one)
    finally:
        for server in servers.values():
            server.stop()
    return ["## Tool calls of MCP", "", conditions, "", NOTES[0], "", *call_table(options, samples), "", NOTES[1], "",
            *target_table(options, samples), "", f"Errors: {errors_of(samples)}.", "",
            *report.summary_block("mcp", summary(options, samples))]


def call_table(options, samples):
    peers = [kind for kind in KINDS if kind.name in TARGETS]
    lines = ["| Protocol | Connections | Server | calls/s | p50 | p99 | processor |"
             + "".join(f" / {kind.title} |" for kind in peers),
             "|---|---:|---|---:|---:|---:|---:|" + "---:|" * len(peers)]
    for version in VERSIONS:
        for connections in options.connections:
            for kind in KINDS:
                found = samples[(kind.name, version, connections)]
                result, processor = middle(found), median_of(found, "processor_us")
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
            found = [ratio(samples, Environment, kind, version, connections) for connections in options.connections]
            target = TARGETS[kind.name]
            lines.append(f"| {kind.title} | {version} |" + "".join(f" {one:.2f}x |" for one in found)
                         + f" {target:g}x | {yes(min(found) >= target)} |")
    for version in VERSIONS:
        found = [ratio(samples, Gateway, BareRmcp, version, connections) for connections in options.connections]
        lines.append(f"| {BareRmcp.title}, tool of a server behind it | {version} |"
                     + "".join(f" {one:.2f}x |" for one in found)
                     + f" {TARGET_GATEWAY:g}x | {yes(min(found) >= TARGET_GATEWAY)} |")
    return lines


def ratio(samples, kind, peer, version, connections):
    return statistics.median(ratios(samples[(kind.name, version, connections)], samples[(peer.name, version, connections)]))


def summary(options, samples):
    version, rows = VERSIONS[0], []
    for connections in options.connections:
        rates = {kind: per_second(middle(samples[(kind.name, version, connections)])) for kind in KINDS}
        peers = "; ".join(f"{kind.title} {rates[kind]}" for kind in (BareRmcp, FastMcp))
        rows.append((f"MCP tool calls per second, {counted(connections)}", rates[Environment], peers))
        rows.append((f"MCP tool calls per second of a server behind an Environment, {counted(connections)}",
                     rates[Gateway], peers))
    return rows
