// Sends spans to Baton with OpenTelemetry's SDK for JavaScript: as JSON, as protobuf and over gRPC.
//
// Usage: otel_client.mjs URL [HTTP GRPC NAME]
// HTTP and GRPC are addresses of a collector that forwards the spans to Baton; NAME is the prefix of the service names.

import { SpanKind, SpanStatusCode, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, require, run } from '../js/checking.mjs';

const [url, http = url, grpc = url, name = 'js'] = process.argv.slice(2).map((text) => text.replace(/\/$/, ''));

// Timeout in milliseconds for spans that a collector forwards.
const FORWARD_TIMEOUT = 20_000;

async function ask(path, parameters = {}) {
  const reply = await fetch(`${url}/tempo${path}?${new URLSearchParams(parameters)}`);
  require(`${path} is answered: ${reply.status}`, reply.ok);
  return reply.json();
}

// Records the result of every export; processors would only log it.
function recording(exporter, results) {
  return {
    export: (spans, done) => exporter.export(spans, (result) => { results.push(result); done(result); }),
    forceFlush: () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

// Sends a trace of two spans; returns its id.
async function emit(exporter, service) {
  const results = [];
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    spanProcessors: [new BatchSpanProcessor({ exporter: recording(exporter, results) })],
  });
  const tracer = provider.getTracer('baton.tests', '1.2.3');
  const root = tracer.startSpan('invoke_agent planner', { kind: SpanKind.SERVER }, ROOT_CONTEXT);
  const context = trace.setSpan(ROOT_CONTEXT, root);
  const insight = tracer.startSpan('insight.decision', {
    kind: SpanKind.CLIENT,
    attributes: { 'insight.type': 'decision', 'insight.confidence': 0.5, tokens: 17, final: true, files: ['a', 'b'] },
    links: [{ context: root.spanContext(), attributes: { kind: 'about' } }],
  }, context);
  insight.addEvent('evidence', { 'evidence.ref': 'ticket-1' });
  insight.setStatus({ code: SpanStatusCode.ERROR, message: 'no answer' });
  insight.end();
  root.end();
  await provider.forceFlush();
  await provider.shutdown();
  expect('every export succeeded', results.map((result) => [result.code, result.error]), [[0, undefined]]);
  return root.spanContext();
}

function attributes(pairs) {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, value]));
}

// Search results: immediately if the spans were sent to Baton, otherwise as soon as all have been forwarded.
async function search(parameters, spans) {
  const end = Date.now() + FORWARD_TIMEOUT;
  for (;;) {
    const { traces } = await ask('/api/search', parameters);
    const here = traces.flatMap((one) => Object.values(one.serviceStats)).reduce((sum, one) => sum + one.spanCount, 0);
    if (http === url || here === spans || Date.now() > end) return traces;
    await new Promise((done) => { setTimeout(done, 100); });
  }
}

async function check(exporter, service) {
  const root = await emit(exporter, service);
  const query = `{ resource.service.name = "${service}" && status = error && span.tokens > 16 } | select(span.files)`;
  const traces = await search({ q: query, strict: '1' }, 2);
  expect('one trace is found', traces.map((one) => one.traceID.padStart(32, '0')), [root.traceId]);
  expect('its root', [traces[0].rootServiceName, traces[0].rootTraceName], [service, 'invoke_agent planner']);
  const { batches } = await ask(`/api/traces/${root.traceId}`);
  const [{ resource, scopeSpans: [{ scope, spans }] }] = batches;
  expect('the service', attributes(resource.attributes)['service.name'], { stringValue: service });
  expect('the scope', [scope.name, scope.version], ['baton.tests', '1.2.3']);
  const insight = spans.find((span) => span.name === 'insight.decision');
  const base64 = (hex) => Buffer.from(hex, 'hex').toString('base64');
  expect('ids', [insight.traceId, insight.parentSpanId], [root.traceId, root.spanId].map(base64));
  expect('kind and status', [insight.kind, insight.status],
    ['SPAN_KIND_CLIENT', { message: 'no answer', code: 'STATUS_CODE_ERROR' }]);
  expect('attributes', attributes(insight.attributes), {
    'insight.type': { stringValue: 'decision' },
    'insight.confidence': { doubleValue: 0.5 },
    tokens: { intValue: '17' },
    final: { boolValue: true },
    files: { arrayValue: { values: [{ stringValue: 'a' }, { stringValue: 'b' }] } },
  });
  expect('the event', insight.events.map(({ name }) => name), ['evidence']);
  expect('the link', [insight.links[0].traceId, insight.links[0].spanId], [root.traceId, root.spanId].map(base64));
}

const checks = [
  ['JSON', () => new JsonExporter({ url: `${http}/v1/traces` })],
  ['JSON with gzip', () => new JsonExporter({ url: `${http}/v1/traces`, compression: 'gzip' })],
  ['protobuf', () => new ProtobufExporter({ url: `${http}${http === url ? '/otlp' : ''}/v1/traces` })],
  ['protobuf with gzip', () => new ProtobufExporter({ url: `${http}/v1/traces`, compression: 'gzip' })],
  ['gRPC', () => new GrpcExporter({ url: grpc })],
  ['gRPC with gzip', () => new GrpcExporter({ url: grpc, compression: 'gzip' })],
].map(([way, exporter]) => [`spans as ${way}`, () => check(exporter(), `${name}-${way.replaceAll(' ', '-')}`)]);

process.exit(await run(checks));
