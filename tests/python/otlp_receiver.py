"""Receives Baton's OTLP exports and parses them strictly with OpenTelemetry's messages.

Usage: otlp_receiver.py PROTOCOL    (grpc, http/protobuf or http/json)

Prints its address, receives requests until stdin ends, and then checks them. Expected: the agent `one` ran once, and
its Baton logged at level info and has ended.
"""

import asyncio
import base64
import gzip
import json
import sys
import threading
from concurrent import futures
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import grpc
from checking import expect, require, run
from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2, logs_service_pb2_grpc
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2, metrics_service_pb2_grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.proto.metrics.v1.metrics_pb2 import AGGREGATION_TEMPORALITY_CUMULATIVE as CUMULATIVE

PROTOCOL = sys.argv[1]
SIGNALS = {
    "traces": (trace_service_pb2.ExportTraceServiceRequest, trace_service_pb2.ExportTraceServiceResponse),
    "metrics": (metrics_service_pb2.ExportMetricsServiceRequest, metrics_service_pb2.ExportMetricsServiceResponse),
    "logs": (logs_service_pb2.ExportLogsServiceRequest, logs_service_pb2.ExportLogsServiceResponse),
}
RECEIVED = {signal: [] for signal in SIGNALS}
ERRORS = []
# Log lines of these modules must not be exported: each export would cause further lines.
EXPORT_MODULES = {"baton_export", "baton_outbound", "h2", "hyper", "hyper_util", "rustls", "tonic", "tower"}


def require_known_fields(message, size):
    """Checks that the message has no fields that are unknown to the published schema."""
    message.DiscardUnknownFields()
    expect("bytes of known fields", message.ByteSize(), size)
    return message


def with_ids(value):
    """Converts ids from hex, as in OTLP JSON, to base64, as in protobuf JSON."""
    if isinstance(value, list):
        return [with_ids(one) for one in value]
    if not isinstance(value, dict):
        return value
    changed = {key: with_ids(one) for key, one in value.items()}
    for key in {"traceId", "spanId", "parentSpanId"} & set(value):
        changed[key] = base64.b64encode(bytes.fromhex(value[key])).decode()
    return changed


def read(signal, media_type, body):
    request, _ = SIGNALS[signal]
    if PROTOCOL == "http/json":
        expect("media type", media_type, "application/json")
        return json_format.ParseDict(with_ids(json.loads(body)), request())
    expect("media type", media_type, "application/x-protobuf")
    return require_known_fields(request.FromString(body), len(body))


class Http(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            expect("content encoding", self.headers["Content-Encoding"], "gzip")
            signal = self.path.removeprefix("/v1/")
            RECEIVED[signal].append(read(signal, self.headers["Content-Type"], gzip.decompress(body)))
        except Exception as error:
            ERRORS.append(f"{self.path}: {error!r}")
        answer = b"{}" if PROTOCOL == "http/json" else b""
        self.send_response(200)
        self.send_header("Content-Type", self.headers["Content-Type"])
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def servicer(base, signal):
    class Servicer(base):
        def Export(self, request, context):
            size = request.ByteSize()
            try:
                RECEIVED[signal].append(require_known_fields(request, size))
            except Exception as error:
                ERRORS.append(f"{signal}: {error!r}")
            return SIGNALS[signal][1]()

    return Servicer()


def serve():
    """Starts a server; returns its address and a function that stops it."""
    if PROTOCOL != "grpc":
        server = ThreadingHTTPServer(("127.0.0.1", 0), Http)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}", server.shutdown
    server = grpc.server(futures.ThreadPoolExecutor(4))
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(
        servicer(trace_service_pb2_grpc.TraceServiceServicer, "traces"), server)
    metrics_service_pb2_grpc.add_MetricsServiceServicer_to_server(
        servicer(metrics_service_pb2_grpc.MetricsServiceServicer, "metrics"), server)
    logs_service_pb2_grpc.add_LogsServiceServicer_to_server(
        servicer(logs_service_pb2_grpc.LogsServiceServicer, "logs"), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return f"http://127.0.0.1:{port}", lambda: server.stop(None).wait()


def values(pairs):
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in pairs}


def groups(signal, resources, scopes):
    """Every scope group, with the attributes of its resource."""
    for request in RECEIVED[signal]:
        for resource in getattr(request, resources):
            for scope in getattr(resource, scopes):
                yield values(resource.resource.attributes), scope


def spans():
    return [span for _, scope in groups("traces", "resource_spans", "scope_spans") for span in scope.spans]


async def check_requests():
    expect("unreadable requests", ERRORS, [])
    for signal, requests in RECEIVED.items():
        require(f"{signal} were received", requests)


async def check_metrics():
    last = {}
    for resource, scope in groups("metrics", "resource_metrics", "scope_metrics"):
        expect("service", resource["service.name"], "baton")
        expect("scope", scope.scope.name, "baton")
        for metric in scope.metrics:
            require(f"{metric.name} has a description and a unit", metric.description and metric.unit)
            data = getattr(metric, metric.WhichOneof("data"))
            for point in data.data_points:
                key = (resource["service.instance.id"], metric.name, tuple(sorted(values(point.attributes).items())))
                if metric.WhichOneof("data") == "gauge":
                    last[key] = point.as_int
                    continue
                expect(f"{metric.name} is cumulative", data.aggregation_temporality, CUMULATIVE)
                require("timestamps", 0 < point.start_time_unix_nano <= point.time_unix_nano)
                if metric.WhichOneof("data") == "sum":
                    require(f"{metric.name} is monotonic", data.is_monotonic)
                    figure = point.as_int
                else:
                    expect("buckets", len(point.bucket_counts), len(point.explicit_bounds) + 1)
                    expect("in all buckets", sum(point.bucket_counts), point.count)
                    require("a sum", point.HasField("sum") and point.sum >= 0)
                    figure = point.count
                require(f"{key} does not decrease", figure >= last.get(key, 0))
                last[key] = figure

    def last_value(name, **labels):
        wanted = {key.replace("_", "."): value for key, value in labels.items()}
        found = [figure for (_, other, given), figure in last.items()
                 if other == name and wanted.items() <= {k.replace("_", "."): v for k, v in given}.items()]
        require(f"one {name} {labels} among {sorted({key[1:] for key in last})}", len(found) == 1)
        return found[0]

    expect("runs", last_value("gen_ai.invoke_agent.duration", gen_ai_agent_name="one", task_state="completed"), 1)
    expect("model calls", last_value("gen_ai.client.operation.duration", gen_ai_request_model="playbook"), 1)
    require("events", last_value("baton.journal.events") > 3)
    expect("open tasks", last_value("baton.tasks.open", task_state="working"), 0)
    require("exported items", last_value("baton.export.sent", signal="metrics") >= 0)
    expect("failed exports", last_value("baton.export.failed", signal="logs"), 0)


async def check_logs():
    lines = []
    for resource, scope in groups("logs", "resource_logs", "scope_logs"):
        expect("service", resource["service.name"], "baton")
        require(f"{scope.scope.name} does not export", scope.scope.name.split("::")[0] not in EXPORT_MODULES)
        lines.extend((scope.scope.name, record) for record in scope.log_records)
    ended = [(part, line) for part, line in lines if line.body.string_value == "run ended"]
    require(f"one line 'run ended': {[line.body.string_value for _, line in lines]}", len(ended) == 1)
    part, line = ended[0]
    require(f"the module: {part}", part.startswith("baton_engine::"))
    expect("the severity", (line.severity_number, line.severity_text), (9, "INFO"))
    expect("the agent", values(line.attributes)["agent"], "one")
    require("the timestamps", line.time_unix_nano > 0 and line.observed_time_unix_nano == line.time_unix_nano)
    [root] = [span for span in spans() if span.name == "invoke_agent one"]
    expect("the trace", line.trace_id.hex(), root.trace_id.hex())
    require("the span", line.span_id in {span.span_id for span in spans() if span.trace_id == root.trace_id})


CHECKS = [("all requests are valid", check_requests), ("metrics", check_metrics), ("logs", check_logs)]

if __name__ == "__main__":
    address, stop = serve()
    print(address, flush=True)
    sys.stdin.read()
    stop()
    sys.exit(asyncio.run(run(CHECKS)))
