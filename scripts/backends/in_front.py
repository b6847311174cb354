"""Exports from a collector to Baton: OpenTelemetry's SDKs for Python and JavaScript send to a collector, which exports
to Baton over every protocol, and Tempo clients find the unchanged spans.

Usage: in_front.py BATON COLLECTOR NODE
"""

import json
import subprocess
import sys

from parts import ROOT, Workspace, free_ports, run, wait_for

from checking import expect

# Reads its URL from the command line, where Baton's URL is not known yet; it is set below.
import otel_client

# Exporter and its settings; each has its own receiver and pipeline.
EXPORTERS = {
    "gRPC with gzip": ("otlp", {"compression": "gzip"}),
    "gRPC": ("otlp", {"compression": "none"}),
    "HTTP protobuf with gzip": ("otlphttp", {"encoding": "proto", "compression": "gzip"}),
    "HTTP protobuf": ("otlphttp", {"encoding": "proto", "compression": "none"}),
    "HTTP JSON with gzip": ("otlphttp", {"encoding": "json", "compression": "gzip"}),
    "HTTP JSON": ("otlphttp", {"encoding": "json", "compression": "none"}),
}
# JSON, protobuf and gRPC, each with and without gzip.
JAVASCRIPT_CHECKS = 6


def config(url, ports):
    receivers, exporters, pipelines = {}, {}, {}
    for number, (kind, settings) in enumerate(EXPORTERS.values()):
        grpc, http = ports[2 * number:2 * number + 2]
        receivers[f"otlp/{number}"] = {"protocols": {
            "grpc": {"endpoint": f"127.0.0.1:{grpc}"}, "http": {"endpoint": f"127.0.0.1:{http}"},
        }}
        endpoint = url.removeprefix("http://") if kind == "otlp" else url
        exporters[f"{kind}/{number}"] = {**settings, "endpoint": endpoint, "tls": {"insecure": True}}
        pipelines[f"traces/{number}"] = {
            "receivers": [f"otlp/{number}"], "processors": ["batch"], "exporters": [f"{kind}/{number}"],
        }
    processors = {"batch": {"timeout": "200ms"}}
    return {"receivers": receivers, "processors": processors, "exporters": exporters, "service": {"pipelines": pipelines}}


def arrives(name, exporter, service):
    trace_id = otel_client.emit(exporter, service)
    # The collector batches spans, so they arrive with a delay.
    wait_for(f"the trace over {name}", lambda: exists(trace_id), 20)
    otel_client.check_found(trace_id, service)
    otel_client.check_trace(trace_id, service)


def exists(trace_id):
    text, _ = otel_client.get(f"/api/v2/traces/{trace_id}")
    groups = json.loads(text).get("trace", {}).get("resourceSpans", [])
    return sum(len(scope["spans"]) for group in groups for scope in group["scopeSpans"]) == 3


def scripted(node, url, http, grpc, service):
    """Runs the checks of the JavaScript SDK through a collector; returns the number of checks that passed."""
    command = [node, ROOT / "tests" / "otel" / "otel_client.mjs", url, http, grpc, service]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if ended.returncode != 0:
        raise AssertionError(f"the JavaScript SDK: {ended.stdout}\n{ended.stderr}")
    return sum(line.startswith("ok") for line in ended.stdout.splitlines())


def main(baton, collector, node):
    with Workspace("in-front") as workspace:
        # Without this, Baton would export the spans to the default port of this machine.
        served = workspace.baton(baton, variables={"OTEL_TRACES_EXPORTER": "none"}).start()
        otel_client.URL, otel_client.TEMPO = served.url, f"{served.url}/tempo"
        ports = free_ports(2 * len(EXPORTERS))
        running = workspace.collector(collector, "collector", config(served.url, ports)).start()
        running.ready(f"http://127.0.0.1:{ports[1]}/v1/traces")

        def over(number, name):
            def check():
                grpc, http = ports[2 * number:2 * number + 2]
                arrives(name, otel_client.GrpcExporter(endpoint=f"http://127.0.0.1:{grpc}", insecure=True), f"grpc-{number}")
                sent = otel_client.HttpExporter(endpoint=f"http://127.0.0.1:{http}/v1/traces")
                arrives(name, sent, f"http-{number}")
                own = [f"http://127.0.0.1:{port}" for port in (http, grpc)]
                checks = scripted(node, served.url, *own, f"js-{number}")
                expect("checks of the JavaScript SDK", checks, JAVASCRIPT_CHECKS)
                return f"Python over 2 protocols, {checks} checks in JavaScript"

            return (f"SDKs, collector, Baton over {name}", check)

        run([over(number, name) for number, name in enumerate(EXPORTERS)])


if __name__ == "__main__":
    main(*sys.argv[1:])
