//! Answers: what they do, and what is refused without anything being run.

use super::office::{Office, settled, snapshot};
use std::fmt::Write as _;

const ALLOW: &str = r#"{"decision":"allow_once"}"#;

fn at(task: &str) -> String {
    format!("/api/v1/approvals/{task}/call-1")
}

/// Each answer on a task of its own: the reply, what ran, and how the task stands then.
#[tokio::test(start_paused = true)]
async fn answers_release_calls() {
    let office = Office::new();
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
        let task = office.says("clerk", text).await;
        writeln!(seen, "{text}: {}", office.shown("ann", "POST", &at(&task), body).await.trim_end()).unwrap();
        writeln!(seen, "  {}\n  ran {:?}", office.stands(&task).await, office.ran()).unwrap();
    }
    snapshot(|| insta::assert_snapshot!(seen));
}

/// Nothing here runs anything, and the question waits on.
#[tokio::test(start_paused = true)]
async fn what_is_refused_changes_nothing() {
    let office = Office::new();
    let (pay, form) = (office.says("clerk", "pay").await, office.says("clerk", "form").await);
    let (both, ask) = (office.says("clerk", "both").await, office.says("clerk", "ask").await);
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
        seen.push_str(&office.shown(who, method, &path, body).await);
    }
    assert_eq!(office.ran(), [""; 0], "nothing ran");
    let waiting = office.client("ann").approvals(None, None, None).await.unwrap().approvals;
    assert_eq!(waiting.len(), 4, "all of them wait on");
    snapshot(|| insta::assert_snapshot!(seen));
}

#[tokio::test(start_paused = true)]
async fn an_approval_is_answered_once() {
    let office = Office::new();
    let mut seen = String::new();
    for (text, body) in [("pay", ALLOW), ("ask", r#"{"text":"Tuesday"}"#)] {
        let task = office.says("clerk", text).await;
        let path = at(&task);
        let answers = (0..8).map(|_| office.asked("ann", "POST", &path, body));
        let mut answers: Vec<u16> =
            futures_util::future::join_all(answers).await.into_iter().map(|(status, _)| status).collect();
        answers.sort_unstable();
        assert_eq!(answers, [200, 409, 409, 409, 409, 409, 409, 409], "{text}");
        settled().await;
        assert_eq!(office.ran().len(), usize::from(text == "pay"));
        for (method, body) in [("POST", body), ("GET", "")] {
            seen.push_str(&office.shown("ann", method, &path, body).await);
        }
        let entry = office.client("ann").task(&task).await.unwrap();
        let said = entry
            .task
            .history
            .unwrap()
            .iter()
            .filter(|message| message.role == baton_wire::a2a::v1::Role::User)
            .count();
        assert_eq!(said, 2 + usize::from(text == "pay"), "the request, one answer, and what the tool gave");
    }
    let canceled = office.says("clerk", "pay").await;
    office.client("ann").cancel("clerk", &canceled).await.unwrap();
    seen.push_str(&office.shown("ann", "POST", &at(&canceled), ALLOW).await);
    assert_eq!(office.ran(), [""; 0]);
    snapshot(|| insta::assert_snapshot!(seen));
}

/// Each of several calls is answered by itself; the last answer lets the turn go on.
#[tokio::test(start_paused = true)]
async fn several_calls_wait_beside_each_other() {
    let office = Office::new();
    let task = office.says("clerk", "pay twice").await;
    assert_eq!(office.ran(), [r#"order {"now":true}"#], "what needs no leave runs meanwhile");
    let path = |call: u32| format!("/api/v1/approvals/{task}/call-{call}");
    let first = office.asked("ann", "POST", &path(3), ALLOW).await;
    assert_eq!((first.0, first.1["state"].as_str()), (200, Some("input_required")));
    let (status, _) = office.asked("ann", "POST", &path(3), ALLOW).await;
    assert_eq!((status, office.ran()), (409, Vec::new()), "it waits for the other one, and takes no second answer");
    let second = office.asked("ann", "POST", &path(1), r#"{"decision":"deny"}"#).await;
    assert_eq!((second.0, second.1["state"].as_str()), (200, Some("working")));
    settled().await;
    assert_eq!(office.ran(), [r#"pay {"amount":2}"#]);
}

/// Leave for the session holds for the conversation, and for nobody else's.
#[tokio::test(start_paused = true)]
async fn leave_for_the_session_holds() {
    let office = Office::new();
    let say = |context: Option<&str>| {
        let mut message = crate::world::message("pay");
        message.context = context.map(Into::into);
        let client = office.client("ann");
        async move { client.send("clerk", baton_client::SendRequest::new(message)).await.unwrap() }
    };
    let first = say(Some("one")).await;
    let (status, _) = office.asked("ann", "POST", &at(&first.id), r#"{"decision":"allow_session"}"#).await;
    assert_eq!(status, 200);
    settled().await;
    say(Some("one")).await;
    assert_eq!(office.ran().len(), 2);
    say(None).await;
    assert_eq!(office.ran().len(), 0);
}

/// The child is answered directly, and whoever waits for it goes on.
#[tokio::test(start_paused = true)]
async fn an_answer_below_lets_the_chain_go_on() {
    let office = Office::new();
    for (text, body, ran) in [("let pay", ALLOW, 1), ("let ask", r#"{"text":"Tuesday"}"#, 0)] {
        let boss = office.says("boss", text).await;
        let waiting = office.client("ann").approvals(None, Some(&boss), None).await.unwrap().approvals;
        assert_eq!(waiting.len(), 1, "{text}");
        let (status, reply) = office.asked("ann", "POST", &format!("/api/v1/approvals/{}", waiting[0].id), body).await;
        assert_eq!(status, 200, "{reply:#}");
        let stands = office.stands(&boss).await;
        assert!(stands.starts_with("boss is completed"), "{stands}");
        assert_eq!(office.ran().len(), ran);
    }
}
