//! Push notifications: requests as receivers read them, and handling of their replies.

use crate::{
    fixtures::{completed_task, config, sender, stored},
    receiver::{Answer, Receiver, ScriptedResolver, client_with},
};
use baton_outbound::OutboundOptions;
use baton_ports::{NotificationOutcome, TaskNotification, WebhookError, WebhookSender as _};
use baton_push::PushSender;
use baton_telemetry::{SpanOrigin, SpanSink, TelemetrySettings, Tracer};
use baton_types::{
    A2aSettings, Json, PushAuthentication, PushDialect, Span, SpanKind, SpanStatus, TaskEvent, ToolExecution,
    ToolResult, TraceContext,
};
use http::StatusCode;
use std::sync::Arc;

const LOOPBACK: &[&str] = &["127.0.0.0/8"];

#[tokio::test]
async fn notifications_are_posted_in_the_dialect_of_their_receiver() {
    let receiver = Receiver::start(|_| Answer::status(200)).await;
    let sender = sender(LOOPBACK);
    let (view, last) = completed_task();
    let result = ToolResult {
        call: "c1".into(),
        name: "forecast".to_owned(),
        output: Json::parse(r#"{"degrees":21.0,"big":12345678901234567890123}"#).unwrap(),
        is_error: false,
    };
    let answered = TaskEvent::Answered { message: view.history[1].clone(), usage: baton_types::Usage::default() };
    let submitted = TaskEvent::Submitted {
        context: view.context.clone(),
        agent: view.agent.clone(),
        message: view.history[0].clone(),
        tool_execution: ToolExecution::Agent,
        parent: None,
        depth: 0,
        autonomous: false,
    };
    let events = [last, stored(TaskEvent::ToolFinished { result }), stored(answered), stored(submitted)];
    let notices = events.iter().map(|event| (PushDialect::V1, event)).chain([(PushDialect::V03, &events[0])]);
    for (dialect, event) in notices {
        let config = config(&receiver.url("/hook"), dialect);
        sender.check_receiver(&config).await.unwrap();
        assert_eq!(
            sender.notify(&config, TaskNotification { task: &view, event, a2a: A2aSettings::default() }).await,
            Ok(NotificationOutcome::Delivered)
        );
    }
    let version = env!("CARGO_PKG_VERSION");
    let shown: Vec<String> = receiver
        .received()
        .iter()
        .map(|got| {
            let headers = ["content-type", "authorization", "x-a2a-notification-token", "user-agent"]
                .map(|name| format!("{name}: {}", got.header(name).unwrap_or("-")).replace(version, "[version]"));
            let body = String::from_utf8(got.body.to_vec()).unwrap();
            format!("{} {}\n{}\n\n{body}\n", got.method, got.path, headers.join("\n"))
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n"));
}

#[tokio::test]
async fn events_that_the_dialect_omits_are_not_sent() {
    let receiver = Receiver::start(|_| Answer::status(200)).await;
    let (view, _) = completed_task();
    let hidden = stored(TaskEvent::ToolStarted { call: "c1".into(), effects: None, server: None });
    for dialect in [PushDialect::V1, PushDialect::V03] {
        let config = config(&receiver.url("/hook"), dialect);
        let notified = sender(LOOPBACK)
            .notify(&config, TaskNotification { task: &view, event: &hidden, a2a: A2aSettings::default() })
            .await;
        assert_eq!(notified, Ok(NotificationOutcome::NotApplicable));
    }
    assert!(receiver.received().is_empty());
}

#[tokio::test]
async fn incomplete_authentication_is_not_sent() {
    let receiver = Receiver::start(|_| Answer::status(200)).await;
    let (view, event) = completed_task();
    let notice = TaskNotification { task: &view, event: &event, a2a: A2aSettings::default() };
    let mut config = config(&receiver.url("/"), PushDialect::V1);
    config.token = None;
    for (scheme, credentials) in [("Bearer", None), ("Bearer", Some("")), ("", Some("secret"))] {
        let credentials = credentials.map(str::to_owned);
        config.authentication = Some(PushAuthentication { scheme: scheme.to_owned(), credentials });
        sender(LOOPBACK).notify(&config, notice).await.unwrap();
        let last = receiver.received().pop().unwrap();
        assert_eq!((last.header("authorization"), last.header("x-a2a-notification-token")), (None, None));
    }
    for (token, credentials) in [("a\r\nX-Evil: 1", "ok"), ("ok", "a\nb")] {
        config.token = Some(token.to_owned());
        let credentials = Some(credentials.to_owned());
        config.authentication = Some(PushAuthentication { scheme: "Bearer".to_owned(), credentials });
        let refused = sender(LOOPBACK).check_receiver(&config).await.unwrap_err();
        assert!(matches!(&refused, WebhookError::Forbidden(text) if text.contains("header")), "{refused:?}");
        assert_eq!(sender(LOOPBACK).notify(&config, notice).await, Err(refused));
    }
    assert_eq!(receiver.received().len(), 3);
}

#[tokio::test]
async fn only_2xx_counts_as_delivered() {
    let receiver = Receiver::start(|request| match request.path.trim_start_matches('/').parse::<u16>() {
        Ok(status @ (301 | 302)) => Answer::redirect(status, "/200"),
        Ok(status) => Answer::Reply(
            StatusCode::from_u16(status).unwrap(),
            Vec::new(),
            if status == 500 { "no ".repeat(500).into() } else { bytes::Bytes::new() },
        ),
        Err(_) => Answer::Silence,
    })
    .await;
    let (view, event) = completed_task();
    let sender = sender(LOOPBACK);
    for status in [200, 201, 202, 204, 299, 301, 302, 304, 400, 401, 404, 410, 429, 500, 503] {
        let config = config(&receiver.url(&format!("/{status}")), PushDialect::V1);
        match sender.notify(&config, TaskNotification { task: &view, event: &event, a2a: A2aSettings::default() }).await
        {
            Ok(notified) => assert_eq!((notified, status / 100), (NotificationOutcome::Delivered, 2)),
            Err(WebhookError::Failed(text)) => {
                assert!(text.contains(&status.to_string()) && status / 100 != 2, "{status}: {text}");
                assert!(text.chars().count() < 240, "{text}");
            }
            Err(other) => panic!("{status}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn rejected_receivers_are_reported_clearly() {
    let redirecting = Receiver::start(|_| Answer::redirect(307, "http://10.0.0.1/")).await;
    let names =
        ScriptedResolver::of(&[("inside.example", &[&["10.0.0.1"]]), ("outside.example", &[&["93.184.216.34"]])]);
    let client = client_with(LOOPBACK, names, &OutboundOptions::default());
    let sender = PushSender::new(|| Ok(client));
    let (view, event) = completed_task();
    let mut shown = String::new();
    for url in [
        "http://10.0.0.1/hook",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/hook",
        "https://inside.example/hook?secret=1",
        "https://missing.example/hook",
        "ftp://outside.example/",
        "https://me:secret@outside.example/",
        "hooks",
    ] {
        let config = config(url, PushDialect::V1);
        match sender.check_receiver(&config).await {
            Err(WebhookError::Forbidden(text)) => shown.push_str(&format!("{url}\n  {text}\n")),
            other => panic!("{url}: {other:?}"),
        }
        let notified =
            sender.notify(&config, TaskNotification { task: &view, event: &event, a2a: A2aSettings::default() }).await;
        let missing = url.contains("missing");
        assert!(
            matches!(&notified, Err(WebhookError::Forbidden(_)) if !missing)
                || matches!(&notified, Err(WebhookError::Failed(_)) if missing),
            "{url}: {notified:?}"
        );
    }
    insta::assert_snapshot!(shown);
    sender.check_receiver(&config("https://outside.example/hook", PushDialect::V03)).await.unwrap();
    let moved = config(&redirecting.url("/"), PushDialect::V1);
    sender.check_receiver(&moved).await.unwrap();
    let notified =
        sender.notify(&moved, TaskNotification { task: &view, event: &event, a2a: A2aSettings::default() }).await;
    assert!(matches!(notified, Err(WebhookError::Forbidden(_))), "{notified:?}");
}

#[tokio::test]
async fn secrets_echoed_by_the_receiver_are_redacted() {
    let receiver = Receiver::start(|request| {
        let echo = ["authorization", "x-a2a-notification-token"].map(|name| request.header(name).unwrap().to_owned());
        let padding = if request.path == "/cut" { "x".repeat(185) } else { String::new() };
        let body = format!("{padding}unknown: {} {}", echo[1], echo[0]);
        Answer::Reply(StatusCode::UNAUTHORIZED, Vec::new(), body.into())
    })
    .await;
    let (view, event) = completed_task();
    for (path, said) in [("/", "unknown: ... Bearer ..."), ("/cut", "xunknown: ...")] {
        let mut config = config(&receiver.url(path), PushDialect::V1);
        config.token = Some("tik-tok-token".to_owned());
        let refused = sender(LOOPBACK)
            .notify(&config, TaskNotification { task: &view, event: &event, a2a: A2aSettings::default() })
            .await
            .unwrap_err();
        assert!(refused.to_string().ends_with(said), "{refused}");
    }
}

/// Collects the emitted spans.
#[derive(Default)]
struct SpanCollector(std::sync::Mutex<Vec<Span>>);

impl SpanSink for SpanCollector {
    fn emit(&self, span: Span) {
        self.0.lock().unwrap().push(span);
    }

    fn now(&self) -> u64 {
        1
    }

    fn random_bytes(&self) -> [u8; 16] {
        [7; 16]
    }
}

#[tokio::test]
async fn notification_has_a_span_and_sends_its_context() {
    let receiver = Receiver::start(|got| Answer::status(if got.path.starts_with("/gone") { 410 } else { 200 })).await;
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let spans = Arc::new(SpanCollector::default());
    let tracer =
        Tracer::new(Arc::<SpanCollector>::clone(&spans), SpanOrigin::new(TelemetrySettings::default(), "test"));
    let sender = sender(LOOPBACK).with_tracer(tracer);
    let (view, mut event) = completed_task();
    event.trace = Some(parent.into());
    for (path, status) in [("/secret-path?key=secret", SpanStatus::Unset), ("/gone", SpanStatus::Error)] {
        let config = config(&receiver.url(path), PushDialect::V1);
        let _ =
            sender.notify(&config, TaskNotification { task: &view, event: &event, a2a: A2aSettings::default() }).await;
        let span = spans.0.lock().unwrap().pop().unwrap();
        let parent = TraceContext::parse(parent).unwrap();
        assert_eq!((span.trace, span.parent, span.kind), (parent.trace, Some(parent.span), SpanKind::Client));
        assert_eq!((&*span.name, span.status), ("POST", status));
        let sent = TraceContext::new(span.trace, span.id).to_string();
        assert_eq!(receiver.received().last().unwrap().header("traceparent"), Some(sent.as_str()));
        let said = format!("{:?}", span.attributes);
        assert!(said.contains("TASK_STATE_COMPLETED") && said.contains("127.0.0.1"), "{said}");
        assert!(!said.contains("secret") && !said.contains("hook"), "{said}");
    }
}
