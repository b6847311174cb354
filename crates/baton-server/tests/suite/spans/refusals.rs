//! Errors in the format that exporters and Tempo clients expect.

use super::{FailingSpanStore, FullResponse, get, gzip, post, spans, surface, world};
use crate::{
    bindings::{Headers, framed},
    world::weather,
};
use axum::Router;
use baton_otlp::{Encoding, RpcStatus, write_export};
use baton_span_ports::SpanStoreError;
use prost::Message as _;
use std::fmt::Write as _;

const EXPORT: &str = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
const LOGS: &str = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";
const PROTOBUF: (&str, &str) = ("content-type", "application/x-protobuf");
const JSON: (&str, &str) = ("content-type", "application/json");
const GRPC: (&str, &str) = ("content-type", "application/grpc");

/// Status, `Retry-After` and message.
fn shown(got: &FullResponse) -> String {
    let retry = got.header("retry-after");
    if got.headers.contains_key("grpc-status") {
        use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};
        let details = got.header("grpc-status-details-bin").trim_end_matches('=');
        let details = RpcStatus::decode(BASE64_STANDARD_NO_PAD.decode(details).unwrap().as_slice()).unwrap_or_default();
        let kinds: Vec<_> = details.details.iter().map(|detail| detail.type_url.rsplit('.').next().unwrap()).collect();
        return format!("grpc {} {kinds:?} {}", got.header("grpc-status"), details.message);
    }
    let message = match got.header("content-type") {
        "application/x-protobuf" => {
            let status = RpcStatus::decode(got.body.as_slice()).unwrap();
            format!("protobuf {} {}", status.code, status.message)
        }
        other => format!("{other} {}", got.text()),
    };
    format!("{} retry={retry} {message}", got.status)
}

#[tokio::test]
async fn each_mistake_has_its_status() {
    let (app, _store) = world();
    let small = surface(FailingSpanStore::with(SpanStoreError::Busy), |options| options.http.max_body = 100);
    let damaged = surface(FailingSpanStore::with(SpanStoreError::Corrupt("block 7".to_owned())), |_| {});
    let broken = surface(FailingSpanStore::with(SpanStoreError::Unavailable("disk full".to_owned())), |_| {});
    let none = weather();
    let body = write_export(&spans(), Encoding::Protobuf);
    let json = write_export(&spans(), Encoding::Json);
    // An empty span takes two bytes inside of fields 1, 2 and 2.
    let bomb = gzip(&vec![0x0a; 65 * 1024 * 1024]);
    let lists = vec!["[]"; 1_000_000].join(",");
    let lists = gzip(format!("{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{lists}]}}]}}]}}").as_bytes());
    let busy = surface(FailingSpanStore::with(SpanStoreError::Busy), |_| {});
    let gzipped = ("content-encoding", "gzip");
    let strict = ("prefer", "handling=strict");
    type Case<'a> = (&'a str, &'a Router, &'a str, Vec<(&'a str, &'a str)>, Vec<u8>);
    let cases: Vec<Case<'_>> = vec![
        ("nothing", &app, "/v1/traces", vec![PROTOBUF], Vec::new()),
        ("no media type", &app, "/v1/traces", vec![], body.clone()),
        ("another media type", &app, "/v1/traces", vec![("content-type", "text/plain")], body.clone()),
        ("another packing", &app, "/v1/traces", vec![PROTOBUF, ("content-encoding", "br")], body.clone()),
        ("protobuf that is none", &app, "/v1/traces", vec![PROTOBUF], b"{}".to_vec()),
        ("JSON that is none", &app, "/v1/traces", vec![JSON], b"{\"resourceSpans\":[}".to_vec()),
        ("JSON with lists for objects", &app, "/v1/traces", vec![JSON, gzipped], lists),
        ("JSON of another shape", &app, "/v1/traces", vec![JSON], b"{\"resourceSpans\":1}".to_vec()),
        ("not packed", &app, "/v1/traces", vec![PROTOBUF, gzipped], body.clone()),
        ("packed too well", &app, "/v1/traces", vec![PROTOBUF, gzipped], bomb.clone()),
        ("too large", &small, "/v1/traces", vec![PROTOBUF], body.clone()),
        ("busy", &busy, "/v1/traces", vec![PROTOBUF], body.clone()),
        ("busy, in JSON", &busy, "/otlp/v1/traces", vec![JSON], json),
        ("disk full", &broken, "/v1/traces", vec![PROTOBUF], body.clone()),
        ("damaged", &damaged, "/v1/traces", vec![PROTOBUF], body.clone()),
        ("no store", &none, "/v1/traces", vec![PROTOBUF], body.clone()),
        ("logs", &app, "/v1/logs", vec![PROTOBUF], b"{}".to_vec()),
        ("logs that must be kept", &app, "/v1/logs", vec![PROTOBUF, strict], Vec::new()),
        ("metrics", &app, "/otlp/v1/metrics", vec![JSON], b"{\"resourceMetrics\":1}".to_vec()),
        ("metrics that must be kept", &app, "/otlp/v1/metrics", vec![JSON, strict], b"{}".to_vec()),
        ("metrics of another kind", &app, "/v1/metrics", vec![("content-type", "text/plain")], b"{}".to_vec()),
        ("gRPC without a message", &app, EXPORT, vec![GRPC], Vec::new()),
        ("gRPC with bytes that are none", &app, EXPORT, vec![GRPC], framed(b"{}")),
        ("gRPC packed otherwise", &app, EXPORT, vec![GRPC, ("grpc-encoding", "zstd")], framed(&body)),
        ("gRPC packed without saying so", &app, EXPORT, vec![GRPC], [&[1], &framed(&gzip(&body))[1..]].concat()),
        (
            "gRPC packed too well",
            &app,
            EXPORT,
            vec![GRPC, ("grpc-encoding", "gzip")],
            [&[1], &framed(&bomb)[1..]].concat(),
        ),
        ("gRPC, busy", &busy, EXPORT, vec![GRPC], framed(&body)),
        ("gRPC, disk full", &broken, EXPORT, vec![GRPC], framed(&body)),
        ("gRPC, no store", &none, EXPORT, vec![GRPC], framed(&body)),
        ("gRPC that is none", &app, EXPORT, vec![PROTOBUF], body.clone()),
        ("gRPC, logs", &app, LOGS, vec![GRPC], framed(b"{}")),
        ("gRPC, logs that must be kept", &app, LOGS, vec![GRPC, strict], framed(b"")),
        (
            "another service",
            &app,
            "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export",
            vec![GRPC],
            framed(&body),
        ),
    ];
    let mut told = String::new();
    for (what, app, path, headers, body) in cases {
        let got = post(app, path, &headers, body).await;
        let _ = writeln!(told, "{what}: {}", shown(&got));
    }
    insta::assert_snapshot!(told);
}

#[tokio::test]
async fn each_span_query_error_has_its_status() {
    let (app, _store) = super::filled().await;
    let broken = surface(FailingSpanStore::with(SpanStoreError::Unavailable("disk full".to_owned())), |_| {});
    let busy = surface(FailingSpanStore::with(SpanStoreError::Busy), |_| {});
    let none = weather();
    let mut told = String::new();
    for (app, path, pairs) in [
        (&app, "/tempo/api/search", vec![("q", "{ insight.type = \"decision\" }"), ("strict", "1")]),
        (&app, "/tempo/api/search", vec![("q", "{ .a = }"), ("strict", "1")]),
        (&app, "/tempo/api/search", vec![("q", "{ } | rate()")]),
        (&app, "/tempo/api/search", vec![("q", "{ } | count() > sum(.a)")]),
        (&app, "/tempo/api/search", vec![("q", "{ }"), ("limit", "many")]),
        (&app, "/tempo/api/search", vec![("q", "{ }"), ("start", "5"), ("end", "4")]),
        (&app, "/tempo/api/search", vec![("tags", "a")]),
        (&app, "/tempo/api/search", vec![("minDuration", "long")]),
        (&app, "/tempo/api/traces/0a0a", vec![]),
        (&app, "/tempo/api/traces/no-hex", vec![]),
        (&app, "/tempo/api/v2/search/tags", vec![("scope", "elsewhere")]),
        (&app, "/tempo/api/v2/search/tag/a%20=%201%20}%20||%20{%20b/values", vec![]),
        (&app, "/tempo/api/metrics/query", vec![]),
        (&app, "/tempo/api/metrics/query", vec![("q", "{ } | rate() by")]),
        (&app, "/tempo/api/metrics/query_range", vec![("q", "{ status = error }")]),
        (&app, "/tempo/api/metrics/query_range", vec![("q", "{ insight.type = 1 } | rate()"), ("strict", "1")]),
        (&app, "/tempo/api/metrics/query_range", vec![RATE, ("start", "1794767304664")]),
        (&app, "/tempo/api/metrics/query_range", vec![RATE, ("start", "20"), ("end", "20")]),
        (&app, "/tempo/api/metrics/query_range", vec![RATE, ("since", "a while")]),
        (&app, "/tempo/api/metrics/query_range", vec![RATE, ("end", "5000"), ("start", "0"), ("step", "0")]),
        (&app, "/tempo/api/metrics/query_range", vec![RATE, ("end", "86400"), ("start", "0"), ("step", "1s")]),
        (&app, "/tempo/api/metrics/query_range", vec![RATE, ("start", "0"), ("end", "9"), ("exemplars", "many")]),
        (&busy, "/tempo/api/metrics/query", vec![RATE, ("start", "0"), ("end", "9")]),
        (&none, "/tempo/api/metrics/query", vec![RATE]),
        (&app, "/api/v1/spans/tail", vec![("q", "{ } >> { }")]),
        (&app, "/api/v1/spans/tail", vec![("q", "{ ")]),
        (&busy, "/tempo/api/search", vec![]),
        (&busy, "/tempo/api/v2/traces/0a", vec![]),
        (&busy, "/api/v1/spans/stats", vec![]),
        (&broken, "/tempo/api/v2/traces/0a", vec![]),
        (&broken, "/api/v1/spans/stats", vec![]),
        (&none, "/tempo/api/echo", vec![]),
        (&none, "/api/v1/spans/stats", vec![]),
        (&broken, "/api/v1/spans/export", vec![]),
        (&none, "/api/v1/spans/export", vec![]),
    ] {
        let got = get(app, &super::with_query(path, &pairs), NOTHING).await;
        let _ = writeln!(told, "{path} {pairs:?}\n  {}", shown(&got));
    }
    insta::assert_snapshot!(told);
}

const NOTHING: Headers<'static> = &[];

const RATE: (&str, &str) = ("q", "{ } | rate()");
