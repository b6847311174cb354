//! Answers to pending approvals, and answers that are rejected without running a tool.

use super::fixture::{ApprovalFixture, snapshot, wait_until_idle};
use std::fmt::Write as _;

const ALLOW: &str = r#"{"decision":"allow_once"}"#;

fn at(task: &str) -> String {
    format!("/api/v1/approvals/{task}/call-1")
}

/// Each answer with a task of its own: the reply, the tools that ran, and the resulting task state.
#[tokio::test(start_paused = true)]
async fn answers_release_calls() {
    let fixture = ApprovalFixture::new();
    let digest = |text: &str| baton_types::Digest::compute(text.as_bytes());
    let right = format!(r#"{{"decision":"allow_once","digest":"{}"}}"#, digest(r#"{"amount":42.0}"#));
    let mut seen = String::new();
    for (text, body) in [
        ("pay", ALLOW),
        ("pay", &right),
        ("pay", r#"{"decision":"allow_once","key":"baton/approval"}"#),
        ("pay", r#"{"decision":"deny"}"#),
        ("form", r#"{"content":{"size":42}}"#),
        ("form", r#"{"decision":"allow_once","key":"size","content":{"size":42}}"#),
        ("form", r#"{"decision":"deny"}"#),
        ("visit", ALLOW),
        ("both", r#"{"answers":[{"key":"login","decision":"deny"},{"key":"size","content":{"size":42}}]}"#),
        ("ask", r#"{"text":"Tuesday"}"#),
    ] {
        let task = fixture.send("clerk", text).await;
        writeln!(seen, "{text}: {}", fixture.describe("ann", "POST", &at(&task), body).await.trim_end()).unwrap();
        writeln!(seen, "  {}\n  ran {:?}", fixture.task_state(&task).await, fixture.ran()).unwrap();
    }
    snapshot(|| insta::assert_snapshot!(seen));
}

/// No tool runs, and the approval remains pending.
#[tokio::test(start_paused = true)]
async fn rejected_answer_changes_nothing() {
    let fixture = ApprovalFixture::new();
    let (pay, form) = (fixture.send("clerk", "pay").await, fixture.send("clerk", "form").await);
    let (both, ask) = (fixture.send("clerk", "both").await, fixture.send("clerk", "ask").await);
    let mut seen = String::new();
    for (who, method, path, body) in [
        ("bob", "GET", at(&pay), ""),
        ("bob", "POST", at(&pay), ALLOW),
        ("ann", "GET", at("missing"), ""),
        ("ann", "POST", at("missing"), ALLOW),
        ("ann", "POST", format!("/api/v1/approvals/{pay}/call-7"), ALLOW),
        ("ann.read", "POST", at(&pay), ALLOW),
        ("ann.call/boss", "POST", at(&pay), ALLOW),
        ("ann.no", "POST", at(&pay), ALLOW),
        ("ann", "POST", at(&pay), r#"{"decision":"allow_once","digest":"of others"}"#),
        ("ann", "POST", at(&pay), r#"{"decision":"perhaps"}"#),
        ("ann", "POST", at(&pay), r#"{"decision":"allow_once","arguments":{"amount":1}}"#),
        ("ann", "POST", at(&pay), r#"{"decision":"allow_once","key":"size"}"#),
        ("ann", "POST", at(&pay), r#"{"decision":"allow_once","remote_task_id":"elsewhere"}"#),
        ("ann", "POST", at(&pay), r#"{"text":"yes"}"#),
        ("ann", "POST", at(&pay), "{}"),
        ("ann", "POST", at(&pay), "[]"),
        ("ann", "POST", at(&form), r#"{"content":{"size":"large"}}"#),
        ("ann", "POST", at(&form), ALLOW),
        ("ann", "POST", at(&form), r#"{"text":"42"}"#),
        ("ann", "POST", at(&both), r#"{"key":"size","content":{"size":42}}"#),
        ("ann", "POST", at(&both), r#"{"decision":"deny"}"#),
        ("ann", "POST", at(&ask), ALLOW),
        ("ann", "POST", at(&ask), r#"{"text":" "}"#),
    ] {
        seen.push_str(&fixture.describe(who, method, &path, body).await);
    }
    assert_eq!(fixture.ran(), [""; 0], "no tool ran");
    let waiting = fixture.client("ann").approvals(None, None, None).await.unwrap().approvals;
    assert_eq!(waiting.len(), 4, "all remain pending");
    snapshot(|| insta::assert_snapshot!(seen));
}

#[tokio::test(start_paused = true)]
async fn an_approval_is_answered_once() {
    let fixture = ApprovalFixture::new();
    let mut seen = String::new();
    for (text, body) in [("pay", ALLOW), ("ask", r#"{"text":"Tuesday"}"#)] {
        let task = fixture.send("clerk", text).await;
        let path = at(&task);
        let answers = (0..8).map(|_| fixture.request("ann", "POST", &path, body));
        let mut answers: Vec<u16> =
            futures_util::future::join_all(answers).await.into_iter().map(|(status, _)| status).collect();
        answers.sort_unstable();
        assert_eq!(answers, [200, 409, 409, 409, 409, 409, 409, 409], "{text}");
        wait_until_idle().await;
        assert_eq!(fixture.ran().len(), usize::from(text == "pay"));
        for (method, body) in [("POST", body), ("GET", "")] {
            seen.push_str(&fixture.describe("ann", method, &path, body).await);
        }
        let entry = fixture.client("ann").task(&task).await.unwrap();
        let said = entry
            .task
            .history
            .unwrap()
            .iter()
            .filter(|message| message.role == baton_wire::a2a::v1::Role::User)
            .count();
        assert_eq!(said, 2 + usize::from(text == "pay"), "the request, one answer, and the tool output");
    }
    let canceled = fixture.send("clerk", "pay").await;
    fixture.client("ann").cancel("clerk", &canceled).await.unwrap();
    seen.push_str(&fixture.describe("ann", "POST", &at(&canceled), ALLOW).await);
    assert_eq!(fixture.ran(), [""; 0]);
    snapshot(|| insta::assert_snapshot!(seen));
}

/// Parallel calls are answered separately; the turn continues after the last answer.
#[tokio::test(start_paused = true)]
async fn parallel_calls_are_answered_independently() {
    let fixture = ApprovalFixture::new();
    let task = fixture.send("clerk", "pay twice").await;
    assert_eq!(fixture.ran(), [r#"order {"now":true}"#], "tools without approval run meanwhile");
    let path = |call: u32| format!("/api/v1/approvals/{task}/call-{call}");
    let first = fixture.request("ann", "POST", &path(3), ALLOW).await;
    assert_eq!((first.0, first.1["state"].as_str()), (200, Some("input_required")));
    let (status, _) = fixture.request("ann", "POST", &path(3), ALLOW).await;
    assert_eq!((status, fixture.ran()), (409, Vec::new()), "an answered call rejects a second answer");
    let second = fixture.request("ann", "POST", &path(1), r#"{"decision":"deny"}"#).await;
    assert_eq!((second.0, second.1["state"].as_str()), (200, Some("working")));
    wait_until_idle().await;
    assert_eq!(fixture.ran(), [r#"pay {"amount":2}"#]);
}

/// `allow_session` applies to later calls in the same conversation and to no other conversation.
#[tokio::test(start_paused = true)]
async fn session_approval_applies_to_later_calls() {
    let fixture = ApprovalFixture::new();
    let say = |context: Option<&str>| {
        let mut message = crate::world::message("pay");
        message.context = context.map(Into::into);
        let client = fixture.client("ann");
        async move { client.send("clerk", baton_client::SendRequest::new(message)).await.unwrap() }
    };
    let first = say(Some("one")).await;
    let (status, _) = fixture.request("ann", "POST", &at(&first.id), r#"{"decision":"allow_session"}"#).await;
    assert_eq!(status, 200);
    wait_until_idle().await;
    say(Some("one")).await;
    assert_eq!(fixture.ran().len(), 2);
    say(None).await;
    assert_eq!(fixture.ran().len(), 0);
}

/// The answer goes to the child task, and the waiting parent task continues.
#[tokio::test(start_paused = true)]
async fn answer_to_a_child_task_resumes_its_parent() {
    let fixture = ApprovalFixture::new();
    for (text, body, ran) in [("let pay", ALLOW, 1), ("let ask", r#"{"text":"Tuesday"}"#, 0)] {
        let boss = fixture.send("boss", text).await;
        let waiting = fixture.client("ann").approvals(None, Some(&boss), None).await.unwrap().approvals;
        assert_eq!(waiting.len(), 1, "{text}");
        let (status, reply) =
            fixture.request("ann", "POST", &format!("/api/v1/approvals/{}", waiting[0].id), body).await;
        assert_eq!(status, 200, "{reply:#}");
        let task_state = fixture.task_state(&boss).await;
        assert!(task_state.starts_with("boss is completed"), "{task_state}");
        assert_eq!(fixture.ran().len(), ran);
    }
}
