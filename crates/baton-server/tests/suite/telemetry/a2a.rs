//! Spans of A2A requests: every binding and dialect uses the method names of 1.0.

use super::{PARENT, collector::shown, traced};
use crate::{
    bindings::{Binding, Headers, Op, ask, headers, open, raw},
    world::configured,
    world::{engine_on, options},
};
use axum::Router;
use baton_engine::EngineOptions;
use baton_journal::MemoryJournal;
use baton_ports::Journal as _;
use baton_server::app;
use baton_types::{StreamId, TaskId, TraceContext};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::{fmt::Write as _, sync::Arc};

const TRACED: Headers<'static> = &[("traceparent", PARENT)];

fn send_params(text: &str, at_once: bool) -> Value {
    json!({"message": {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": text}]},
        "configuration": {"returnImmediately": at_once}})
}

/// Starts a task that runs until it is canceled.
async fn start_hanging_task(app: &Router) -> Value {
    ask(app, Binding::JsonRpc, Op::Send, &send_params("hang", true), &[]).await.unwrap().task().clone()
}

#[tokio::test]
async fn every_operation_of_every_binding() {
    let parent = TraceContext::parse(PARENT).unwrap();
    let mut seen = String::new();
    for binding in Binding::ALL {
        let (app, spans) = traced();
        let task = start_hanging_task(&app).await;
        drop(spans.take());
        let config = json!({"taskId": task["id"], "id": "c", "url": "https://example.com/hook"});
        let which = json!({"taskId": task["id"], "id": "c"});
        for (op, params) in [
            (Op::Send, send_params("Hello", false)),
            (Op::Stream, send_params("Hello", false)),
            (Op::Get, json!({"id": task["id"]})),
            (Op::List, json!({})),
            (Op::Subscribe, json!({"id": task["id"]})),
            (Op::CreatePush, config),
            (Op::GetPush, which.clone()),
            (Op::ListPush, json!({"taskId": task["id"]})),
            (Op::DeletePush, which),
            (Op::Card, json!({})),
            (Op::Cancel, json!({"id": task["id"]})),
        ] {
            let Some(response) = open(&app, binding, op, &params, TRACED).await else { continue };
            assert_eq!(response.status(), 200, "{binding:?} {op:?}");
            if op == Op::Subscribe {
                assert!(spans.take().is_empty(), "the stream is still open");
                let mut body = response.into_body();
                drop(body.frame().await);
                assert!(spans.take().is_empty(), "the stream is still open");
                drop(body);
            } else {
                drop(response.into_body().collect().await.unwrap());
            }
            let span = spans.one();
            assert_eq!((span.trace, span.parent), (parent.trace, Some(parent.span)), "{binding:?} {op:?}");
            assert_eq!(span.name, op.method(), "{binding:?}");
            assert!(span.end > span.start);
            let _ = writeln!(seen, "{}: {}", binding.name(), shown(&span));
        }
    }
    insta::with_settings!({filters => vec![(r"=id-\d+", "=[id]")]}, { insta::assert_snapshot!(seen) });
}

/// Trace context in message metadata is used without a header, and the stored message does not contain it.
#[tokio::test]
async fn trace_context_in_metadata_is_used_and_not_stored() {
    let parent = TraceContext::parse(PARENT).unwrap();
    for binding in Binding::ALL {
        let (app, spans) = traced();
        let mut params = send_params("Hello", false);
        params["message"]["metadata"] = json!({"kept": 1, "traceparent": PARENT});
        let sent = ask(&app, binding, Op::Send, &params, &[]).await.unwrap().task().clone();
        let span = spans.one();
        assert_eq!((span.trace, span.parent), (parent.trace, Some(parent.span)), "{binding:?}");
        let got = ask(&app, Binding::JsonRpc, Op::Get, &json!({"id": sent["id"]}), &[]).await.unwrap();
        assert_eq!(got.task()["history"][0]["metadata"], json!({"kept": 1}), "{binding:?}");
    }
    // A retry in another span is still the same request.
    let (app, spans) = traced();
    let mut tasks = Vec::new();
    for parent in [Some(PARENT), Some(&*PARENT.replace("00f067aa0ba902b7", "1111111111111111")), None] {
        let mut params = send_params("Hello", false);
        if let Some(parent) = parent {
            params["message"]["metadata"] = json!({"traceparent": parent});
        }
        let key = [("idempotency-key", "k")];
        let sent = ask(&app, Binding::JsonRpc, Op::Send, &params, &key).await.unwrap();
        tasks.push(sent.task()["id"].clone());
    }
    assert!(tasks.iter().all(|task| *task == tasks[0]), "{tasks:?}");
    assert_eq!(spans.take().len(), 3);
}

/// The header takes precedence over the message; an invalid header is ignored.
#[tokio::test]
async fn header_takes_precedence_over_message_metadata() {
    let other = "00-11111111111111111111111111111111-2222222222222222-01";
    for (header, metadata, expect) in [
        (Some(PARENT), Some(other), Some(PARENT)),
        (None, Some(other), Some(other)),
        (Some("00-zz-1-01"), Some(other), Some(other)),
        (Some("00-00000000000000000000000000000000-00f067aa0ba902b7-01"), None, None),
        (None, Some("nonsense"), None),
        (None, None, None),
    ] {
        let (app, spans) = traced();
        let mut params = send_params("Hello", false);
        if let Some(metadata) = metadata {
            params["message"]["metadata"] = json!({"traceparent": metadata});
        }
        let given: Vec<_> = header.iter().map(|header| ("traceparent", *header)).collect();
        ask(&app, Binding::JsonRpc, Op::Send, &params, &given).await.unwrap();
        let (span, expect) = (spans.one(), expect.and_then(TraceContext::parse));
        assert_eq!(span.parent, expect.map(|expect| expect.span), "{header:?} {metadata:?}");
        assert!(expect.is_none_or(|expect| expect.trace == span.trace), "{header:?} {metadata:?}");
        assert!(span.trace.is_valid());
    }
}

/// The task that a request creates belongs to its trace.
#[tokio::test]
async fn the_journal_has_the_trace_of_the_request() {
    let spans = Arc::new(super::SpanCollector::default());
    let journal = MemoryJournal::new();
    let engine = engine_on(Arc::new(journal.clone()), EngineOptions::default(), &["weather"]);
    let app = app(
        engine,
        configured(options(), |options| {
            options.http.tracer = spans.tracer();
        }),
    );
    let sent = ask(&app, Binding::Rest, Op::Send, &send_params("Hello", false), TRACED).await.unwrap();
    let id = TaskId::from(sent.task()["id"].as_str().unwrap());
    let events = journal.events(&StreamId::Task(id), 0, 10).await.unwrap();
    let kept = events[0].trace.as_deref().and_then(TraceContext::parse).unwrap();
    let span = spans.one();
    assert_eq!((kept.trace, kept.span), (span.trace, span.id));
}

#[tokio::test]
async fn span_of_an_unreadable_request_is_named_by_its_route() {
    let (app, spans) = traced();
    for (method, path, kind, body, expect) in [
        ("POST", "/agents/weather", "application/json", "{", "POST /agents/{agent}"),
        ("POST", "/agents/weather", "text/plain", "{}", "POST /agents/{agent}"),
        (
            "POST",
            "/agents/weather",
            "application/json",
            r#"{"jsonrpc":"2.0","id":1,"method":"Fly"}"#,
            "POST /agents/{agent}",
        ),
        ("POST", "/agents/weather/tasks/1:fly", "application/json", "{}", "POST /agents/{agent}/tasks/{task}"),
        ("POST", "/lf.a2a.v1.A2AService/Fly", "application/grpc", "", "POST /lf.a2a.v1.A2AService/{method}"),
    ] {
        drop(raw(&app, method, path, headers(&[("content-type", kind)]), body).await);
        let span = spans.one();
        assert_eq!((&*span.name, span.status), (expect, baton_types::SpanStatus::Unset), "{path} {body}");
    }
    let refused = ask(&app, Binding::JsonRpc, Op::Get, &json!({"id": "nobody"}), &[]).await.unwrap();
    assert!(refused.refusal.is_some());
    insta::assert_snapshot!(shown(&spans.one()));
}
