//! The audit log: who was turned away, from where, and why.

use super::house::{Denied, House, bearer, settled, token};
use crate::speak::{Binding, Op, ask, headers, open, raw};
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

fn lines(denied: &Denied) -> Vec<String> {
    denied.take().iter().map(line).collect()
}

#[tokio::test(start_paused = true)]
async fn everybody_who_is_turned_away_is_written_down() {
    let house = House::with(|access| access.rate = Some(RateLimit { per_second: 1, burst: 3 }));
    let ann = bearer(&token("acme", "ann", "read:weather"));
    let known = || headers(&[("authorization", &ann)]);
    raw(&house.app, "GET", "/api/v1/tasks/x?token=in-the-query", HeaderMap::new(), "").await;
    raw(&house.app, "GET", "/agents/weather/tasks", headers(&[("authorization", "Bearer a-bad-secret")]), "").await;
    raw(&house.app, "GET", "/agents/clock/tasks", known(), "").await;
    raw(&house.app, "DELETE", "/api/v1/tokens/t1", known(), "").await;
    open(&house.app, Binding::Grpc, Op::Card, &json!({}), &[("authorization", &ann), ("baton-agent", "clock")]).await;
    raw(&house.app, "GET", "/agents/weather/tasks", known(), "").await;
    raw(&house.app, "GET", "/agents", headers(&[("host", "evil.example.com")]), "").await;
    raw(&house.app, "GET", "/agents/weather/tasks", headers(&[("authorization", "Bearer away")]), "").await;
    raw(&house.app, "GET", "/agents", HeaderMap::new(), "").await;
    settled().await;
    let denials = house.denied.take();
    assert!(denials.is_sorted_by_key(|denial| denial.at) && denials[0].at.as_millis() > 0);
    let seen: Vec<String> = denials.iter().map(line).collect();
    let seen = seen.join("\n");
    assert!(!seen.contains("secret") && !seen.contains("in-the-query"), "{seen}");
    insta::assert_snapshot!(seen);
}

#[tokio::test(start_paused = true)]
async fn looking_for_what_is_somebody_elses_is_written_down_and_for_nothing_is_not() {
    let house = House::new();
    let (owner, stranger) = (bearer(&token("acme", "ann", "call")), bearer(&token("acme", "bob", "admin")));
    let say = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hand over"}]}});
    let sent = ask(&house.app, Binding::JsonRpc, Op::Send, &say, &[("authorization", &owner)]).await.unwrap();
    let task = sent.task()["id"].as_str().unwrap().to_owned();
    settled().await;
    let pairs = [("authorization", stranger.as_str()), ("baton-agent", "weather")];
    let known = || headers(&pairs[..1]);
    for binding in Binding::ALL {
        for op in [Op::Get, Op::Cancel, Op::Subscribe] {
            for (id, expect) in [(task.as_str(), 1), ("nothing", 0)] {
                open(&house.app, binding, op, &json!({"id": id}), &pairs).await.unwrap();
                settled().await;
                let seen = lines(&house.denied);
                assert_eq!(seen.len(), expect, "{op:?} {binding:?} {seen:?}");
                let reason = format!("acme/bob token of bob task {task} belongs to another caller");
                assert!(seen.iter().all(|line| line.starts_with("BTN-2003 ") && line.ends_with(&reason)), "{seen:?}");
            }
        }
    }
    let events = house.client(&token("acme", "ann", "call")).events(&task, 0, 100).await.unwrap();
    let sent = events.iter().find(|event| event.kind == "task.handoff_sent").unwrap();
    let body: serde_json::Value = serde_json::from_str(sent.body.as_str()).unwrap();
    let handoff = body["handoff_sent"]["handoff"].as_str().unwrap();
    for path in [
        format!("/api/v1/tasks/{task}"),
        format!("/api/v1/tasks/{task}/events"),
        format!("/api/v1/handoffs/{handoff}"),
        "/api/v1/handoffs/nothing".to_owned(),
    ] {
        assert_eq!(raw(&house.app, "GET", &path, known(), "").await.status(), 404, "{path}");
        settled().await;
        assert_eq!(lines(&house.denied).len(), usize::from(!path.contains("nothing")), "{path}");
    }
    // The owner is nobody to write about.
    raw(&house.app, "GET", &format!("/api/v1/tasks/{task}"), headers(&[("authorization", &owner)]), "").await;
    settled().await;
    assert_eq!(lines(&house.denied), Vec::<String>::new());
}

#[tokio::test]
async fn the_address_of_the_caller_is_written_down() {
    let house = House::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Client::tcp(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let stop = CancellationToken::new();
    let serving = tokio::spawn(serve(listener, house.app.clone(), ServeOptions::default(), stop.clone()));
    assert_eq!(client.task("x").await.unwrap_err().refusal().unwrap().status, 401);
    let known = client.with_token(&token("acme", "ann", "call")).unwrap();
    assert_eq!(known.task("x").await.unwrap_err().refusal().unwrap().status, 404);
    let denials = house.denied.take();
    assert_eq!(denials.len(), 1, "{denials:?}");
    assert_eq!(denials[0].remote, "127.0.0.1".parse().ok());
    stop.cancel();
    serving.await.unwrap().unwrap();
}
