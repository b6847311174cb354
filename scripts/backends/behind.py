"""A collector behind Baton: the example team works, and what the collector writes is what Baton keeps, span by span; what
its meters show, and what it logged about the same traces.

Usage: behind.py BATON COLLECTOR
"""

import sys

from parts import Scene, free_ports, in_groups, lines, plain, run, same, text_of, wait_for, written_spans

from checking import expect, require

QUESTION = "What's the weather in Oakland?"
# What agents hand to each other stays unless content may leave; it is said by both conventions.
HIDDEN = {"handoff.task", "handoff.inputs", "handoff.result", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"}
CONTENT = {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY"}
# The name of the way, its variables, and what may stay behind.
WAYS = [
    ("gRPC with gzip", "grpc", "gzip", {}, HIDDEN),
    ("gRPC, with content", "grpc", "none", CONTENT, set()),
    ("HTTP protobuf with gzip", "http/protobuf", "gzip", {}, HIDDEN),
    ("HTTP protobuf", "http/protobuf", "none", {}, HIDDEN),
    ("HTTP JSON with gzip, with content", "http/json", "gzip", CONTENT, set()),
    ("HTTP JSON", "http/json", "none", {}, HIDDEN),
]


def receiving(folder, grpc, http):
    """A collector that writes each signal to a file of its own."""
    protocols = {"grpc": {"endpoint": f"127.0.0.1:{grpc}"}, "http": {"endpoint": f"127.0.0.1:{http}"}}
    signals = ("traces", "metrics", "logs")
    return {
        "receivers": {"otlp": {"protocols": protocols}},
        "exporters": {f"file/{signal}": {"path": str(folder / f"{signal}.jsonl")} for signal in signals},
        "service": {"pipelines": {
            signal: {"receivers": ["otlp"], "exporters": [f"file/{signal}"]} for signal in signals
        }},
    }


def variables(endpoint, protocol="grpc", compression="gzip"):
    return {
        "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
        "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
        "OTEL_EXPORTER_OTLP_COMPRESSION": compression,
        "OTEL_METRIC_EXPORT_INTERVAL": "1000",
    }


def whole(served, traces, file):
    """Waits until everything that Baton has, at least these traces, is written; returns both."""
    own = served.settled(traces)

    def arrived():
        return set(own) <= set(written_spans(file))

    wait_for(f"{len(own)} spans arrive", arrived, 30)
    return own, written_spans(file)


def compare(own, written, hidden):
    """That both say the same of every span; returns the attributes that stayed behind."""
    expect("spans that Baton does not have", set(written) - set(own), set())
    stayed = set()
    for key, span in own.items():
        for copy in written[key]:
            stayed |= same(span, copy, hidden)
    return stayed


def runs_shown(text, agent):
    """How many runs of an agent the text of the meters shows."""
    line = [line for line in text.splitlines()
            if line.startswith("gen_ai_invoke_agent_duration_seconds_count{") and f'gen_ai_agent_name="{agent}"' in line]
    return sum(int(float(one.rsplit(" ", 1)[1])) for one in line)


def written_runs(file, agent):
    """The same as the collector has it: each series by what it said last, because all count from the start."""
    last = {}
    for metric in (metric for line in lines(file) for metric in in_groups(line["resourceMetrics"], "scopeMetrics", "metrics")):
        if metric["name"] != "gen_ai.invoke_agent.duration":
            continue
        expect("counted since the start", metric["histogram"]["aggregationTemporality"], 2)
        for point in metric["histogram"]["dataPoints"]:
            labels = {pair["key"]: plain(pair["value"]) for pair in point["attributes"]}
            key, count = tuple(sorted(labels.items())), int(point["count"])
            require(f"{labels} does not shrink", count >= last.get(key, 0))
            last[key] = count
    return sum(count for key, count in last.items() if dict(key)["gen_ai.agent.name"] == agent)


def written_lines(file):
    """The traces of all lines about runs that rest, by the agent."""
    rested = {}
    for line in lines(file):
        for record in in_groups(line["resourceLogs"], "scopeLogs", "logRecords"):
            said = {pair["key"]: plain(pair["value"]) for pair in record.get("attributes", [])}
            if record["body"].get("stringValue") == "run ended":
                expect("how bad", record["severityText"], "INFO")
                rested.setdefault(said["agent"], []).append(record["traceId"])
    return rested


def main(baton, collector):
    with Scene("behind") as scene:
        grpc, http = free_ports(2)
        # Each way has a file of its own, as Batons do not know of each other: the collector is started again.
        checks = []
        for number, way in enumerate(WAYS):
            checks.append((f"Baton over {way[0]}, collector", lambda number=number, way=way: over(number, way)))

        def over(number, way):
            _, protocol, compression, more, hidden = way
            folder = scene.folder / f"collector-{number}"
            folder.mkdir()
            running = scene.collector(collector, f"collector-{number}", receiving(folder, grpc, http)).start()
            running.ready(f"http://127.0.0.1:{http}/v1/traces")
            endpoint = f"http://127.0.0.1:{grpc if protocol == 'grpc' else http}"
            served = scene.baton(baton, f"baton-{number}", {**variables(endpoint, protocol, compression), **more}).start()
            asked = [served.ask("personal", QUESTION)[0] for _ in range(3)]
            own, written = whole(served, asked, folder / "traces.jsonl")
            stayed = compare(own, written, hidden)
            require("every question is a trace", set(asked) <= {trace for trace, _ in written})
            said = {span.name.split(" ")[0] for span in own.values()}
            require(f"the whole story is there: {said}", {"invoke_agent", "chat", "execute_tool", "handoff.request"} <= said)
            twice = sum(len(copies) - 1 for copies in written.values())
            expect("spans that came twice", twice, 0)
            wait_for("lines about the runs", lambda: set(asked) <= set(written_lines(folder / "logs.jsonl").get("personal", [])), 30)
            # What it does at the end belongs to it, too.
            last, _ = served.ask("personal", "hello")
            before = set(served.settled([last]))
            shown = runs_shown(text_of(f"{served.url}/metrics"), "personal")
            expect("runs that the meters show", shown, len(asked) + 1)
            served.program.end()
            expect("it ended in order", served.program.process.returncode, 0)
            missing = before - set(written_spans(folder / "traces.jsonl"))
            expect("spans that an orderly end left behind", missing, set())
            expect("runs by the last reading", written_runs(folder / "metrics.jsonl", "personal"), shown)
            rested = written_lines(folder / "logs.jsonl")["personal"]
            expect("one line about each run", sorted(rested), sorted([*asked, last]))
            running.end()
            left = f", {', '.join(sorted(stayed))} stayed" if stayed else ""
            figures = sum(1 for line in lines(folder / "metrics.jsonl")
                          for _ in in_groups(line["resourceMetrics"], "scopeMetrics", "metrics"))
            logged = sum(1 for line in lines(folder / "logs.jsonl")
                         for _ in in_groups(line["resourceLogs"], "scopeLogs", "logRecords"))
            return f"{len(own)} spans{left}; {figures} metrics read, {logged} lines logged"

        run(checks)


if __name__ == "__main__":
    main(*sys.argv[1:])
