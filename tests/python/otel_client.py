"""Sends spans with OpenTelemetry's SDK and reads them back with Tempo's messages; also sends the other signals.

Usage: otel_client.py URL
"""

import asyncio
import json
import logging
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request

import tempopb
from checking import expect, require, run
from opentelemetry import trace
from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcLogs
from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter as GrpcMetrics
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter as HttpLogs
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter as HttpMetrics
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Link, SpanKind, StatusCode

import grpc

URL = sys.argv[1].rstrip("/")
TEMPO = f"{URL}/tempo"


def get(path, params=None, accept=None):
    address = f"{TEMPO}{path}" + (f"?{urllib.parse.urlencode(params)}" if params else "")
    request = urllib.request.Request(address, headers={"Accept": accept} if accept else {})
    with urllib.request.urlopen(request) as reply:
        return reply.read(), reply.headers


class RecordingExporter(SpanExporter):
    """Records the result of every export; processors would only log it."""

    def __init__(self, inner):
        self.inner, self.results = inner, []

    def export(self, spans):
        self.results.append(self.inner.export(spans))
        return self.results[-1]

    def shutdown(self):
        self.inner.shutdown()


def emit(exporter, service):
    """Sends a trace of three spans; returns its id."""
    recorder = RecordingExporter(exporter)
    resource = Resource.create({"service.name": service, "project.id": "otel-test"})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(recorder))
    tracer = provider.get_tracer("baton.tests", "1.2.3", schema_url="https://example.com/schema")
    with tracer.start_as_current_span("invoke_agent planner", kind=SpanKind.SERVER) as root:
        root.set_attribute("gen_ai.agent.name", "planner")
        context = root.get_span_context()
        with tracer.start_as_current_span("insight.decision", links=[Link(context, {"kind": "about"})]) as insight:
            insight.set_attributes({
                "insight.type": "decision",
                "insight.summary": "Grüße, \"Zitat\"",
                "insight.confidence": 0.92,
                "insight.applies_to": ["a.rs", "b.rs"],
                "tokens": 9_007_199_254_740_993,
                "final": True,
            })
            insight.add_event("evidence", {"evidence.ref": "ticket-1"})
        with tracer.start_as_current_span("chat model", kind=SpanKind.CLIENT) as chat:
            chat.set_status(StatusCode.ERROR, "no answer")
    require("the processor sent all spans", provider.force_flush())
    provider.shutdown()
    expect("every export succeeded", set(recorder.results), {SpanExportResult.SUCCESS})
    return f"{context.trace_id:032x}"


def attributes(pairs):
    return {pair.key: pair.value for pair in pairs}


def check_found(trace_id, service):
    query = f'{{ resource.service.name = "{service}" && span.insight.type = "decision" }}'
    query += " | select(span.insight.summary, span.tokens)"
    text, headers = get("/api/search", {"q": query, "strict": "1"})
    found = tempopb.from_json("SearchResponse", text)
    data, _ = get("/api/search", {"q": query}, accept="application/protobuf")
    expect("both encodings are equal", tempopb.from_bytes("SearchResponse", data).traces, found.traces)
    expect("one trace is found", [one.traceID.zfill(32) for one in found.traces], [trace_id])
    one = found.traces[0]
    expect("its root", (one.rootServiceName, one.rootTraceName), (service, "invoke_agent planner"))
    stats = one.serviceStats[service]
    expect("its spans", (stats.spanCount, stats.errorCount), (3, 1))
    span = one.spanSets[0].spans[0]
    shown = attributes(span.attributes)
    expect("the selected attribute", shown["insight.summary"].string_value, "Grüße, \"Zitat\"")
    expect("all digits", shown["tokens"].int_value, 9_007_199_254_740_993)
    require("the canonical query in the response", "span.insight.type" in headers["x-baton-canonical-query"])


def check_trace(trace_id, service):
    second = tempopb.from_json("TraceByIDResponse", get(f"/api/v2/traces/{trace_id}")[0])
    data, _ = get(f"/api/v2/traces/{trace_id}", accept="application/protobuf")
    expect("v2 in both encodings", tempopb.from_bytes("TraceByIDResponse", data), second)
    first = json.loads(get(f"/api/traces/{trace_id}")[0])
    expect("v1 has batches", list(first), ["batches"])
    first = tempopb.from_json("Trace", json.dumps({"resourceSpans": first["batches"]}))
    expect("v1 and v2", first, second.trace)
    data, _ = get(f"/api/traces/{trace_id}", accept="application/protobuf")
    expect("v1 in both encodings", tempopb.from_bytes("Trace", data), first)
    [group] = first.resourceSpans
    expect("the service", attributes(group.resource.attributes)["service.name"].string_value, service)
    [scope] = group.scope_spans
    expect("the scope", (scope.scope.name, scope.scope.version, scope.schema_url),
           ("baton.tests", "1.2.3", "https://example.com/schema"))
    spans = {span.name: span for span in scope.spans}
    expect("the spans", sorted(spans), ["chat model", "insight.decision", "invoke_agent planner"])
    root, insight, chat = spans["invoke_agent planner"], spans["insight.decision"], spans["chat model"]
    expect("the tree", {insight.parent_span_id, chat.parent_span_id}, {root.span_id})
    expect("the trace", {span.trace_id.hex() for span in scope.spans}, {trace_id})
    expect("kinds", (root.kind, insight.kind, chat.kind), (2, 1, 3))
    expect("the status", (chat.status.code, chat.status.message), (2, "no answer"))
    values = attributes(insight.attributes)
    expect("a list", [one.string_value for one in values["insight.applies_to"].array_value.values], ["a.rs", "b.rs"])
    expect("a number", values["insight.confidence"].double_value, 0.92)
    expect("a boolean", values["final"].bool_value, True)
    [event], [link] = insight.events, insight.links
    expect("the event", (event.name, attributes(event.attributes)["evidence.ref"].string_value), ("evidence", "ticket-1"))
    expect("the link", (link.trace_id.hex(), link.span_id), (trace_id, root.span_id))


def sends(name, exporter):
    async def check():
        service = f"otel-{name.replace(' ', '-')}"
        trace_id = await asyncio.to_thread(emit, exporter(), service)
        # The spans are found as soon as the export is acknowledged.
        await asyncio.to_thread(check_found, trace_id, service)
        await asyncio.to_thread(check_trace, trace_id, service)

    return (f"spans over {name}", check)


async def names_and_values():
    scopes = tempopb.from_json("SearchTagsV2Response", get("/api/v2/search/tags")[0]).scopes
    names = {scope.name: list(scope.tags) for scope in scopes}
    require("names of spans", {"insight.type", "tokens"} <= set(names["span"]))
    require("names of resources", {"service.name", "project.id"} <= set(names["resource"]))
    require("names of events", "evidence.ref" in names["event"])
    require("intrinsics", {"status", "name", "duration", "span:kind"} <= set(names["intrinsic"]))
    data, _ = get("/api/v2/search/tags", accept="application/protobuf")
    expect("both encodings", list(tempopb.from_bytes("SearchTagsV2Response", data).scopes), list(scopes))
    require("v1", "insight.type" in tempopb.from_json("SearchTagsResponse", get("/api/search/tags")[0]).tagNames)

    def values(tag, params=None):
        text, _ = get(f"/api/v2/search/tag/{tag}/values", params)
        return {(one.type, one.value) for one in tempopb.from_json("SearchTagValuesV2Response", text).tagValues}

    require("services", ("string", "otel-gRPC") in values("resource.service.name"))
    require("numbers", ("int", "9007199254740993") in values("span.tokens"))
    require("keywords", ("keyword", "error") in values("status"))
    expect("of matching spans", values("resource.service.name", {"q": '{ resource.service.name = "otel-gRPC" }'}),
           {("string", "otel-gRPC")})
    plain = tempopb.from_json("SearchTagValuesResponse", get("/api/search/tag/insight.type/values")[0])
    require("v1 values", "decision" in plain.tagValues)


async def grafana_probes():
    expect("echo", get("/api/echo")[0], b"echo")
    expect("ready", get("/ready")[0], b"ready")
    version = json.loads(get("/api/status/buildinfo")[0])["version"]
    require("a version that clients support", tuple(map(int, version.split("."))) >= (2, 7))
    empty, _ = get("/api/v2/traces/abc", accept="application/protobuf")
    require("an unknown trace is empty", tempopb.from_bytes("TraceByIDResponse", empty).HasField("trace"))
    for path, status in [("/api/traces/abc", 404), ("/api/search?q=%7B", 400)]:
        try:
            get(path)
        except urllib.error.HTTPError as error:
            expect(path, (error.code, error.headers.get_content_type()), (status, "text/plain"))
        else:
            raise AssertionError(f"{path} is not an error")


class WarningCollector(logging.Handler):
    """Collects the SDK's log lines from level WARNING."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


def export_everything(spans, metrics, logs, service):
    """Sends all signals a few times, as a program that is configured only with Baton's address."""
    warnings, exports, exported_thrice = WarningCollector(), [], threading.Event()
    logging.getLogger("opentelemetry").addHandler(warnings)
    resource = Resource.create({"service.name": service})
    exported = metrics.export

    def export(*arguments, **options):
        exports.append(exported(*arguments, **options))
        if len(exports) == 3:
            exported_thrice.set()
        return exports[-1]

    metrics.export = export
    tracers, loggers = TracerProvider(resource=resource), LoggerProvider(resource=resource)
    tracers.add_span_processor(BatchSpanProcessor(spans))
    loggers.add_log_record_processor(BatchLogRecordProcessor(logs))
    meters = MeterProvider([PeriodicExportingMetricReader(metrics, export_interval_millis=50)], resource=resource)
    try:
        meters.get_meter("tests").create_counter("orders").add(3, {"kind": "book"})
        for _ in range(3):
            with tracers.get_tracer("tests").start_as_current_span("order"):
                record = LogRecord(body="ordered", severity_number=SeverityNumber.INFO, attributes={})
                loggers.get_logger("tests").emit(record)
            require("spans are sent", tracers.force_flush())
            require("log records are sent", loggers.force_flush())
        require("metrics are sent periodically", exported_thrice.wait(30))
    finally:
        for provider in (tracers, meters, loggers):
            provider.shutdown()
        logging.getLogger("opentelemetry").removeHandler(warnings)
    expect("exports of metrics", {result.name for result in exports}, {"SUCCESS"})
    expect("warnings of the SDK", warnings.lines, [])


def sends_everything(name, *exporters):
    async def check():
        await asyncio.to_thread(export_everything, *(exporter() for exporter in exporters), f"all-{name}")

    return (f"all signals over {name}, without warnings", check)


def http(**options):
    return lambda: HttpExporter(endpoint=f"{URL}/v1/traces", **options)


def over_grpc(**options):
    return lambda: GrpcExporter(endpoint=URL, insecure=True, **options)


CHECKS = [
    sends("HTTP", http()),
    sends("HTTP with gzip", http(compression=Compression.Gzip)),
    sends("HTTP under /otlp", lambda: HttpExporter(endpoint=f"{URL}/otlp/v1/traces")),
    sends("gRPC", over_grpc()),
    sends("gRPC with gzip", over_grpc(compression=grpc.Compression.Gzip)),
    sends_everything(
        "HTTP",
        http(),
        lambda: HttpMetrics(endpoint=f"{URL}/v1/metrics", compression=Compression.Gzip),
        lambda: HttpLogs(endpoint=f"{URL}/v1/logs"),
    ),
    sends_everything(
        "gRPC",
        over_grpc(),
        lambda: GrpcMetrics(endpoint=URL, insecure=True),
        lambda: GrpcLogs(endpoint=URL, insecure=True, compression=grpc.Compression.Gzip),
    ),
    ("names and values", names_and_values),
    ("Grafana's initial requests", grafana_probes),
]

if __name__ == "__main__":
    # The SDK's own requests are not traced.
    trace.set_tracer_provider(trace.NoOpTracerProvider())
    sys.exit(asyncio.run(run(CHECKS)))
