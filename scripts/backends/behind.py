"""Exports from Baton to a collector: the spans that the collector receives equal the spans in Baton, and the exported
metrics and log lines match the same runs of the example agents.

Usage: behind.py BATON COLLECTOR
"""

import sys

from parts import Workspace, free_ports, in_groups, lines, plain, run, same, text_of, wait_for, written_spans

from checking import expect, require

QUESTION = "What's the weather in Oakland?"
# Content attributes of handoffs, in both conventions; they are exported only if content capture is enabled.
HIDDEN = {"handoff.task", "handoff.inputs", "handoff.result", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"}
CONTENT = {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY"}
# Name, protocol, compression, further variables, and the attributes that may be missing.
EXPORTS = [
    ("gRPC with gzip", "grpc", "gzip", {}, HIDDEN),
    ("gRPC, with content", "grpc", "none", CONTENT, set()),
    ("HTTP protobuf with gzip", "http/protobuf", "gzip", {}, HIDDEN),
    ("HTTP protobuf", "http/protobuf", "none", {}, HIDDEN),
    ("HTTP JSON with gzip, with content", "http/json", "gzip", CONTENT, set()),
    ("HTTP JSON", "http/json", "none", {}, HIDDEN),
]


def receiving(folder, grpc, http):
    """The configuration of a collector that writes each signal to its own file."""
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


def await_spans(served, traces, file):
    """Waits until all spans in Baton, including these traces, are written; returns Baton's and the written spans."""
    own = served.settled(traces)

    def arrived():
        return set(own) <= set(written_spans(file))

    wait_for(f"{len(own)} spans arrive", arrived, 30)
    return own, written_spans(file)


def compare(own, written, hidden):
    """Checks that every span is equal in both; returns the attributes that were not exported."""
    expect("spans that Baton does not have", set(written) - set(own), set())
    missing = set()
    for key, span in own.items():
        for copy in written[key]:
            missing |= same(span, copy, hidden)
    return missing


def runs_shown(text, agent):
    """The number of runs of an agent in the Prometheus text."""
    line = [line for line in text.splitlines()
            if line.startswith("gen_ai_invoke_agent_duration_seconds_count{") and f'gen_ai_agent_name="{agent}"' in line]
    return sum(int(float(one.rsplit(" ", 1)[1])) for one in line)


def written_runs(file, agent):
    """The number of runs in the exported metrics: the sum of the last value of each cumulative series."""
    last = {}
    for metric in (metric for line in lines(file) for metric in in_groups(line["resourceMetrics"], "scopeMetrics", "metrics")):
        if metric["name"] != "gen_ai.invoke_agent.duration":
            continue
        expect("cumulative temporality", metric["histogram"]["aggregationTemporality"], 2)
        for point in metric["histogram"]["dataPoints"]:
            labels = {pair["key"]: plain(pair["value"]) for pair in point["attributes"]}
            key, count = tuple(sorted(labels.items())), int(point["count"])
            require(f"{labels} does not decrease", count >= last.get(key, 0))
            last[key] = count
    return sum(count for key, count in last.items() if dict(key)["gen_ai.agent.name"] == agent)


def written_lines(file):
    """The trace ids of all 'run ended' log records, by agent."""
    ended = {}
    for line in lines(file):
        for record in in_groups(line["resourceLogs"], "scopeLogs", "logRecords"):
            attributes = {pair["key"]: plain(pair["value"]) for pair in record.get("attributes", [])}
            if record["body"].get("stringValue") == "run ended":
                expect("the severity", record["severityText"], "INFO")
                ended.setdefault(attributes["agent"], []).append(record["traceId"])
    return ended


def main(baton, collector):
    with Workspace("behind") as workspace:
        grpc, http = free_ports(2)
        # Each export has its own collector and files, because every check starts a new Baton.
        checks = []
        for number, export in enumerate(EXPORTS):
            name = f"Baton over {export[0]}, collector"
            checks.append((name, lambda number=number, export=export: over(number, export)))

        def over(number, export):
            _, protocol, compression, more, hidden = export
            folder = workspace.folder / f"collector-{number}"
            folder.mkdir()
            running = workspace.collector(collector, f"collector-{number}", receiving(folder, grpc, http)).start()
            running.ready(f"http://127.0.0.1:{http}/v1/traces")
            endpoint = f"http://127.0.0.1:{grpc if protocol == 'grpc' else http}"
            settings = {**variables(endpoint, protocol, compression), **more}
            served = workspace.baton(baton, f"baton-{number}", settings).start()
            asked = [served.ask("personal", QUESTION)[0] for _ in range(3)]
            own, written = await_spans(served, asked, folder / "traces.jsonl")
            missing = compare(own, written, hidden)
            require("every question is a trace", set(asked) <= {trace for trace, _ in written})
            names = {span.name.split(" ")[0] for span in own.values()}
            require(f"span names: {names}", {"invoke_agent", "chat", "execute_tool", "handoff.request"} <= names)
            repeated = sum(len(copies) - 1 for copies in written.values())
            expect("repeated spans", repeated, 0)

            def logged():
                return set(asked) <= set(written_lines(folder / "logs.jsonl").get("personal", []))

            wait_for("log records of the runs", logged, 30)
            # Spans of the last request before an orderly end must be exported too.
            last, _ = served.ask("personal", "hello")
            before = set(served.settled([last]))
            shown = runs_shown(text_of(f"{served.url}/metrics"), "personal")
            expect("runs in the Prometheus text", shown, len(asked) + 1)
            served.program.end()
            expect("the exit status", served.program.process.returncode, 0)
            lost = before - set(written_spans(folder / "traces.jsonl"))
            expect("spans lost at an orderly end", lost, set())
            expect("runs in the last exported metrics", written_runs(folder / "metrics.jsonl", "personal"), shown)
            ended = written_lines(folder / "logs.jsonl")["personal"]
            expect("one log record for each run", sorted(ended), sorted([*asked, last]))
            running.end()
            left_out = f", without {', '.join(sorted(missing))}" if missing else ""
            figures = sum(1 for line in lines(folder / "metrics.jsonl")
                          for _ in in_groups(line["resourceMetrics"], "scopeMetrics", "metrics"))
            records = sum(1 for line in lines(folder / "logs.jsonl")
                          for _ in in_groups(line["resourceLogs"], "scopeLogs", "logRecords"))
            return f"{len(own)} spans{left_out}; {figures} metrics, {records} log records"

        run(checks)


if __name__ == "__main__":
    main(*sys.argv[1:])
