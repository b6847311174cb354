//! Denials in the audit log: caller, address and reason.

use super::server::{RecordingAuditLog, TestServer, bearer, token, wait_until_idle};
use crate::bindings::{Binding, Op, ask, headers, open, raw};
use baton_client::Client;
use baton_http::{RateLimit, ServeOptions, serve};
use baton_ports::AccessDenial;
use http::HeaderMap;
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

fn line(denial: &AccessDenial) -> String {
    let AccessDenial { code, reason, method, path, principal, credential, .. } = denial;
    let who = principal.as_ref().map_or("nobody".to_owned(), |known| format!("{}/{}", known.tenant, known.subject));
    format!("{} {method} {path} {who} {} {reason}", code.code, credential.as_deref().unwrap_or("-"))
}

fn lines(audit: &RecordingAuditLog) -> Vec<String> {
    audit.take().iter().map(line).collect()
}

#[tokio::test(start_paused = true)]
async fn rejected_requests_are_audited() {
    let server = TestServer::with_access(|access| access.rate = Some(RateLimit { per_second: 1, burst: 3 }));
    let ann = bearer(&token("acme", "ann", "read:weather"));
    let known = || headers(&[("authorization", &ann)]);
    raw(&server.app, "GET", "/api/v1/tasks/x?token=in-the-query", HeaderMap::new(), "").await;
    raw(&server.app, "GET", "/agents/weather/tasks", headers(&[("authorization", "Bearer a-bad-secret")]), "").await;
    raw(&server.app, "GET", "/agents/clock/tasks", known(), "").await;
    raw(&server.app, "DELETE", "/api/v1/tokens/t1", known(), "").await;
    open(&server.app, Binding::Grpc, Op::Card, &json!({}), &[("authorization", &ann), ("baton-agent", "clock")]).await;
    raw(&server.app, "GET", "/agents/weather/tasks", known(), "").await;
    raw(&server.app, "GET", "/agents", headers(&[("host", "evil.example.com")]), "").await;
    raw(&server.app, "GET", "/agents/weather/tasks", headers(&[("authorization", "Bearer away")]), "").await;
    raw(&server.app, "GET", "/agents", HeaderMap::new(), "").await;
    wait_until_idle().await;
    let denials = server.audit.take();
    assert!(denials.is_sorted_by_key(|denial| denial.at) && denials[0].at.as_millis() > 0);
    let seen: Vec<String> = denials.iter().map(line).collect();
    let seen = seen.join("\n");
    assert!(!seen.contains("secret") && !seen.contains("in-the-query"), "{seen}");
    insta::assert_snapshot!(seen);
}

#[tokio::test(start_paused = true)]
async fn access_to_foreign_resources_is_audited_and_to_missing_ones_is_not() {
    let server = TestServer::new();
    let (owner, stranger) = (bearer(&token("acme", "ann", "call")), bearer(&token("acme", "bob", "admin")));
    let say = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hand over"}]}});
    let sent = ask(&server.app, Binding::JsonRpc, Op::Send, &say, &[("authorization", &owner)]).await.unwrap();
    let task = sent.task()["id"].as_str().unwrap().to_owned();
    wait_until_idle().await;
    let pairs = [("authorization", stranger.as_str()), ("baton-agent", "weather")];
    let known = || headers(&pairs[..1]);
    for binding in Binding::ALL {
        for op in [Op::Get, Op::Cancel, Op::Subscribe] {
            for (id, expect) in [(task.as_str(), 1), ("nothing", 0)] {
                open(&server.app, binding, op, &json!({"id": id}), &pairs).await.unwrap();
                wait_until_idle().await;
                let seen = lines(&server.audit);
                assert_eq!(seen.len(), expect, "{op:?} {binding:?} {seen:?}");
                let reason = format!("acme/bob token of bob task {task} belongs to another caller");
                assert!(seen.iter().all(|line| line.starts_with("BTN-2003 ") && line.ends_with(&reason)), "{seen:?}");
            }
        }
    }
    let events = server.client(&token("acme", "ann", "call")).events(&task, 0, 100).await.unwrap();
    let sent = events.iter().find(|event| event.kind == "task.handoff_sent").unwrap();
    let body: serde_json::Value = serde_json::from_str(sent.body.as_str()).unwrap();
    let handoff = body["handoff_sent"]["handoff"].as_str().unwrap();
    for path in [
        format!("/api/v1/tasks/{task}"),
        format!("/api/v1/tasks/{task}/events"),
        format!("/api/v1/handoffs/{handoff}"),
        "/api/v1/handoffs/nothing".to_owned(),
    ] {
        assert_eq!(raw(&server.app, "GET", &path, known(), "").await.status(), 404, "{path}");
        wait_until_idle().await;
        assert_eq!(lines(&server.audit).len(), usize::from(!path.contains("nothing")), "{path}");
    }
    // Requests of the owner are not audited.
    raw(&server.app, "GET", &format!("/api/v1/tasks/{task}"), headers(&[("authorization", &owner)]), "").await;
    wait_until_idle().await;
    assert_eq!(lines(&server.audit), Vec::<String>::new());
}

#[tokio::test]
async fn caller_address_is_audited() {
    let server = TestServer::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Client::tcp(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let stop = CancellationToken::new();
    let serving = tokio::spawn(serve(listener, server.app.clone(), ServeOptions::default(), stop.clone()));
    assert_eq!(client.task("x").await.unwrap_err().refusal().unwrap().status, 401);
    let known = client.with_token(&token("acme", "ann", "call")).unwrap();
    assert_eq!(known.task("x").await.unwrap_err().refusal().unwrap().status, 404);
    let denials = server.audit.take();
    assert_eq!(denials.len(), 1, "{denials:?}");
    assert_eq!(denials[0].remote, "127.0.0.1".parse().ok());
    stop.cancel();
    serving.await.unwrap().unwrap();
}
