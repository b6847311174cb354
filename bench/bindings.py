"""Compares bindings and dialects: the same sends and streams in six protocols."""

import os
import statistics

import report
from report import milliseconds, per_second
from samples import load_with_processor, median_of, middle, ratios
from servers import Baton, PythonPeer, RustPeer, note

TITLES = {
    "jsonrpc": "JSON-RPC 1.0",
    "rest": "HTTP+JSON 1.0",
    "grpc": "gRPC 1.0",
    "jsonrpc-0.3": "JSON-RPC 0.3",
    "rest-0.3": "HTTP+JSON 0.3",
    "grpc-0.3": "gRPC 0.3",
}
BASELINE = "jsonrpc"
KINDS = {"baton": Baton, "rust": RustPeer, "python": PythonPeer}

# Peers are measured with one number of connections only, to save time.
PEER_CONNECTIONS = 16
SECONDS, WARMUP_SECONDS = 1.2, 0.3

NOTES = [
    "Every connection carries one request at a time; gRPC is HTTP/2 without TLS. The load generator uses more CPU for "
    "HTTP/2 than for HTTP/1.1 on the same cores, so part of the difference is caused by the client; processor time is that "
    "of the server. Ratios are relative to JSON-RPC 1.0 in the same round; the median of the rounds is shown.",
    "The official Rust server does not support 0.3.",
]


def measure(options, directory):
    """The lines of the section."""
    conditions = (f"{SECONDS:g} s per measurement after {WARMUP_SECONDS:g} s of warm-up, "
                  f"median of {options.rounds}; all rows of one operation and number of connections take turns.")
    samples, errors = {}, 0
    for mode in ("send", "stream"):
        for connections in options.connections:
            errors += take_turns(options, directory, mode, connections, samples)
    lines = ["## Bindings and dialects", "", conditions, "", NOTES[0], ""]
    if "baton" in options.servers:
        lines += own_table(options, samples)
    if PEER_CONNECTIONS in options.connections and len(options.servers) > 1:
        lines += ["", *peer_table(options, samples), "", NOTES[1]]
    lines += ["", f"Errors: {errors}."]
    if "baton" in options.servers and PEER_CONNECTIONS in options.connections:
        lines += ["", *report.summary_block("bindings", summary(options, samples))]
    return lines


def take_turns(options, directory, mode, connections, samples):
    names = [name for name in options.servers if name == "baton" or connections == PEER_CONNECTIONS]
    servers = {name: KINDS[name](options, os.path.join(directory, f"bindings-{name}")) for name in names}
    rows = [(name, protocol) for name, server in servers.items() for protocol in server.protocols]
    errors = 0
    try:
        for server in servers.values():
            server.start()
        for number in range(options.rounds):
            # The order rotates, so that no server always runs first or always after the same one.
            first = number * len(rows) // options.rounds
            for name, protocol in rows[first:] + rows[:first]:
                server = servers[name]
                result = load_with_processor(server, mode, connections, seconds=SECONDS, warmup=WARMUP_SECONDS,
                                             protocol=protocol)
                samples.setdefault((name, protocol, mode, connections), []).append(result)
                errors += result["errors"]
                note(f"{name:6} {mode:6} c={connections:<3} {protocol:11} round {number + 1}: "
                     f"{result['per_second']:9.0f}/s" + (f"  ERRORS {result['errors']}" if result["errors"] else ""))
    finally:
        for server in servers.values():
            server.stop()
    return errors


def own_table(options, samples):
    heads = "".join(f" {number} conn.: per second | p50 | ratio | processor |" for number in options.connections)
    lines = [f"| Baton (durable) | Operation |{heads}", "|---|---|" + "---:|---:|---:|---:|" * len(options.connections)]
    for mode in ("send", "stream"):
        for protocol, title in TITLES.items():
            cells = ""
            for connections in options.connections:
                found = samples[("baton", protocol, mode, connections)]
                base = samples[("baton", BASELINE, mode, connections)]
                result = middle(found)
                ratio = statistics.median(ratios(found, base))
                processor = median_of(found, "processor_us")
                cells += (f" {per_second(result)} | {milliseconds(result['p50_us'])} | {ratio:.2f}x "
                          f"| {processor:.0f} \u00b5s |")
            lines.append(f"| {title} | {mode} |{cells}")
    return lines


def peer_table(options, samples):
    peers = [name for name in options.servers if name != "baton"]
    compare = "baton" in options.servers
    lines = [f"| With {PEER_CONNECTIONS} connections | Operation |" + (" Baton |" if compare else "")
             + "".join(f" {KINDS[name].title} |" + (f" Baton / {name} |" if compare else "") for name in peers),
             "|---|---|" + ("---:|" if compare else "") + ("---:|---:|" if compare else "---:|") * len(peers)]
    for mode in ("send", "stream"):
        for protocol, title in TITLES.items():
            own = samples.get(("baton", protocol, mode, PEER_CONNECTIONS))
            cells = f" {per_second(middle(own))} |" if compare else ""
            for name in peers:
                found = samples.get((name, protocol, mode, PEER_CONNECTIONS))
                cells += f" {per_second(middle(found))} |" if found else " |"
                if compare:
                    ratio = middle(own)["per_second"] / max(middle(found)["per_second"], 1e-9) if found else None
                    cells += f" {ratio:.2f}x |" if ratio else " |"
            lines.append(f"| {title} | {mode} |{cells}")
    return lines


def summary(options, samples):
    """Sends over gRPC, which the peers support too."""
    def rate(name):
        return per_second(middle(samples[(name, "grpc", "send", PEER_CONNECTIONS)]))

    return [(f"durable sends per second over gRPC, {PEER_CONNECTIONS} connections", rate("baton"),
             "; ".join(f"{KINDS[name].title} {rate(name)}" for name in options.servers if name != "baton"))]
