//! Questions of remote agents.

use super::fixture::{ApprovalFixture, snapshot};
use baton_ports::{BoxFuture, PeerError, PeerEvent, PeerGateway, PeerOutcome, PeerRequest, PeerStream};
use baton_types::{AgentName, Json, Message, Part, PartContent, Role, TaskState};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// Returns questions for the first message of a task and completes it with any answer.
#[derive(Default)]
struct FakePeerGateway {
    received: Mutex<Vec<Vec<Part>>>,
}

fn outcome(state: TaskState, parts: Vec<Part>) -> PeerStream {
    let message = Some(Message::new("m".into(), Role::Agent, parts));
    let taken = PeerEvent::Accepted { task: "there".to_owned(), context: "talk".to_owned() };
    let settled = PeerEvent::Settled(Box::new(PeerOutcome { state, message, artifacts: Vec::new() }));
    Box::pin(futures_util::stream::iter([Ok(taken), Ok(settled)]))
}

fn question_parts(what: &str) -> Vec<Part> {
    let approval = |task: Option<&str>, digest: &str| {
        let mut entry = json!({"call_id": "call-1", "key": "baton/approval", "agent": "teller", "tool": "wire",
            "message": "May the tool 'wire' run?", "approval": {"to": digest}, "digest": digest});
        if let Some(task) = task {
            entry["task_id"] = task.into();
        }
        entry
    };
    match what {
        "words" => vec![Part::text("Which day?")],
        "deep words" => {
            vec![Part::data(json!({"input_requests": [{"task_id": "deep", "message": "Which day?"}]}).into())]
        }
        _ => {
            let requests = [approval(None, "d1"), approval(Some("deep"), "d2"), approval(Some("deeper"), "d3")];
            vec![Part::text("May they?"), Part::data(json!({ "input_requests": requests }).into())]
        }
    }
}

impl PeerGateway for FakePeerGateway {
    fn send_message<'a>(&'a self, _: &'a AgentName, ask: PeerRequest) -> BoxFuture<'a, Result<PeerStream, PeerError>> {
        let stream = match ask.task {
            None => outcome(TaskState::InputRequired, question_parts(&ask.message.text())),
            Some(_) => outcome(TaskState::Completed, vec![Part::text("done")]),
        };
        self.received.lock().unwrap().push(ask.message.parts);
        Box::pin(std::future::ready(Ok(stream)))
    }

    fn resume<'a>(
        &'a self,
        _: &'a AgentName,
        _: PeerRequest,
        _: Option<String>,
    ) -> BoxFuture<'a, Result<PeerStream, PeerError>> {
        Box::pin(std::future::ready(Err(PeerError::Lost("nothing".to_owned()))))
    }

    fn find_task<'a>(&'a self, _: &'a AgentName, _: PeerRequest) -> BoxFuture<'a, Result<Option<String>, PeerError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    fn cancel<'a>(&'a self, _: &'a AgentName, _: &'a str) -> BoxFuture<'a, Result<(), PeerError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn handle_notification<'a>(&'a self, _: &'a str, _: Option<&'a str>) -> BoxFuture<'a, bool> {
        Box::pin(std::future::ready(false))
    }
}

impl FakePeerGateway {
    /// Parts of the last message, as JSON.
    fn last(&self) -> Vec<Value> {
        let received = self.received.lock().unwrap().last().cloned().unwrap();
        let shown = |part: Part| match part.content {
            PartContent::Text(text) => Json::string(&text).to_value(),
            PartContent::Data(data) => data.to_value(),
            other => panic!("{other:?}"),
        };
        received.into_iter().map(shown).collect()
    }
}

/// Remote calls are distinguished by their remote task, and answers are sent to that task.
#[tokio::test(start_paused = true)]
async fn questions_of_remote_agents_are_answered_at_the_peer() {
    let abroad = Arc::new(FakePeerGateway::default());
    let fixture = ApprovalFixture::with(Arc::<FakePeerGateway>::clone(&abroad));
    let task = fixture.send("abroad", "pay").await;
    let (_, list) = fixture.request("ann", "GET", "/api/v1/approvals", "").await;
    snapshot(|| insta::assert_snapshot!(format!("{list:#}")));
    let place = format!("/api/v1/approvals/{task}");
    let allow = r#"{"decision":"allow_session"}"#;
    let (status, reply) =
        fixture.request("ann", "POST", &format!("{place}/call-1@deep"), r#"{"decision":"deny","digest":"d1"}"#).await;
    assert_eq!((status, abroad.received.lock().unwrap().len()), (400, 1), "{reply:#}");
    let (status, _) = fixture
        .request("ann", "POST", &format!("{place}/call-1"), r#"{"decision":"deny","remote_task_id":"nowhere"}"#)
        .await;
    assert_eq!(status, 404, "the call id exists, but not in that task");
    let (_, shown) = fixture.request("ann", "GET", &format!("{place}/call-1"), "").await;
    assert_eq!(shown["digest"], "d1", "the plain call id selects the call without a task");
    let (status, reply) = fixture.request("ann", "POST", &format!("{place}/call-1@deep"), allow).await;
    assert_eq!(status, 200, "{reply:#}");
    assert_eq!(fixture.task_state(&task).await, "abroad is completed: done");
    let entry = json!({"task_id": "deep", "call_id": "call-1", "key": "baton/approval", "decision": "allow_session", "digest": "d2"});
    assert_eq!(abroad.last(), [json!({ "input_responses": [entry] })]);
    let (status, _) = fixture.request("ann", "POST", &format!("{place}/call-1@deep"), allow).await;
    assert_eq!((status, abroad.received.lock().unwrap().len()), (409, 2));

    for (text, call, said) in [
        ("words", "-", json!("Tuesday")),
        ("deep words", "-@deep", json!({"input_responses": [{"task_id": "deep", "content": {"text": "Tuesday"}}]})),
    ] {
        let task = fixture.send("abroad", text).await;
        let path = format!("/api/v1/approvals/{task}/{call}");
        let (status, reply) = fixture.request("ann", "POST", &path, r#"{"text":"Tuesday"}"#).await;
        assert_eq!(status, 200, "{reply:#}");
        assert_eq!(fixture.task_state(&task).await, "abroad is completed: done");
        assert_eq!(abroad.last(), [said]);
        assert_eq!(fixture.request("ann", "POST", &path, r#"{"text":"Friday"}"#).await.0, 409);
    }
}
