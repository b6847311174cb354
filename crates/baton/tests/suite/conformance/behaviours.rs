//! The behaviours of the agent, selected by the prefix of the message id or of the text.

use super::{
    operations::{BINDINGS, Binding, Op, send_params},
    sut::Sut,
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The expected outcome of a send.
enum ExpectedOutcome {
    /// Completed, with this status message.
    StatusMessage(&'static str),
    /// Completed, with an artifact of this one part.
    Artifact(Value),
    /// A message without a task.
    Message(&'static str),
    /// A task in this state.
    State(&'static str),
}

fn table() -> Vec<(&'static str, ExpectedOutcome)> {
    let text = || ExpectedOutcome::Artifact(json!({"text": "Generated text content"}));
    let file = |content: &str, value: &str| {
        ExpectedOutcome::Artifact(json!({content: value, "filename": "output.txt", "mediaType": "text/plain"}))
    };
    let bytes = "R2VuZXJhdGVkIGZpbGUgY29udGVudAo=";
    vec![
        ("tck-complete-task", ExpectedOutcome::StatusMessage("Hello from TCK")),
        ("tck-artifact-text", text()),
        ("tck-artifact-file", file("raw", bytes)),
        ("tck-artifact-file-url", file("url", "https://example.com/output.txt")),
        ("tck-artifact-data", ExpectedOutcome::Artifact(json!({"data": {"key": "value", "count": 42}}))),
        ("tck-message-response", ExpectedOutcome::Message("Direct message response")),
        ("tck-input-required", ExpectedOutcome::State("TASK_STATE_INPUT_REQUIRED")),
        ("tck-reject-task", ExpectedOutcome::State("TASK_STATE_REJECTED")),
        ("tck-stream-001", text()),
        ("tck-stream-002", ExpectedOutcome::StatusMessage("Hello from TCK")),
        ("tck-stream-003", text()),
        ("tck-stream-ordering-001", text()),
        ("tck-stream-artifact-text", text()),
        ("tck-stream-artifact-file", file("raw", bytes)),
        ("tck-stream-artifact-chunked", ExpectedOutcome::StatusMessage("chunk-1 chunk-2")),
        ("tck-multi-turn", ExpectedOutcome::State("TASK_STATE_INPUT_REQUIRED")),
        ("tck-stream-basic", text()),
        ("tck-stream-chunked", ExpectedOutcome::StatusMessage("chunk-1 chunk-2")),
        ("tck-task-failure", ExpectedOutcome::State("TASK_STATE_FAILED")),
        ("something-else", ExpectedOutcome::StatusMessage("Hello from TCK")),
    ]
}

fn check(name: &str, answer: &Value, ends: &ExpectedOutcome) {
    let task = &answer["task"];
    let state = task["status"]["state"].as_str().unwrap_or_default();
    match ends {
        ExpectedOutcome::Message(text) => {
            assert_eq!(answer["message"]["parts"], json!([{"text": text}]), "{name}: {answer}");
            assert_eq!((&answer["message"]["role"], answer.get("task")), (&json!("ROLE_AGENT"), None), "{name}");
            assert!(answer["message"]["contextId"].is_string() && answer["message"].get("taskId").is_none(), "{name}");
        }
        ExpectedOutcome::StatusMessage(text) => {
            assert_eq!((state, &task["status"]["message"]["parts"][0]["text"]), ("TASK_STATE_COMPLETED", &json!(text)));
        }
        ExpectedOutcome::Artifact(part) => {
            assert_eq!(state, "TASK_STATE_COMPLETED", "{name}: {answer}");
            assert_eq!(task["artifacts"][0]["parts"], json!([part]), "{name}: {answer}");
        }
        ExpectedOutcome::State(expect) => assert_eq!(state, *expect, "{name}: {answer}"),
    }
}

#[tokio::test]
async fn behaviour_is_selected_by_message_id_or_text() {
    let sut = Sut::start(None).await;
    for (name, ends) in table() {
        for binding in BINDINGS {
            let by_id = send_params(&format!("{name}-1f2e3d4c-{binding:?}"), "Anything");
            check(name, &sut.call(binding, Op::Send, &by_id).await.expect("an answer"), &ends);
            let by_text = send_params("00000000-0000-4000-8000-000000000000", &format!("{name} please"));
            check(name, &sut.call(binding, Op::Send, &by_text).await.expect("an answer"), &ends);
        }
    }
}

#[tokio::test]
async fn tasks_work_until_canceled_or_for_the_given_seconds() {
    let sut = Sut::start(None).await;
    let long = async {
        for (index, name) in ["tck-long-running", "test-resubscribe-message-id"].into_iter().enumerate() {
            let binding = BINDINGS[index];
            let start = Instant::now();
            let answer = sut.call(binding, Op::Send, &send_params(name, "Anything")).await.expect("an answer");
            assert_eq!(answer["task"]["status"]["state"], "TASK_STATE_COMPLETED");
            assert!(start.elapsed() >= Duration::from_secs(4), "{name} took {:?}", start.elapsed());
        }
    };
    let canceled = async {
        for binding in BINDINGS {
            let mut params = send_params("m", "tck-cancel");
            params["configuration"] = json!({"returnImmediately": true});
            let begun = sut.call(binding, Op::Send, &params).await.expect("a task");
            let task = json!({"id": begun["task"]["id"]});
            until_working(&sut, binding, &task).await;
            for _ in 0..2 {
                let canceled = sut.call(binding, Op::Cancel, &task).await.expect("canceled");
                assert_eq!(canceled["status"]["state"], "TASK_STATE_CANCELED", "{binding:?}");
            }
        }
    };
    tokio::join!(long, canceled);
}

/// The first event has the accepted task; the `working` status follows.
async fn until_working(sut: &Sut, binding: Binding, task: &Value) {
    let mut events = sut.subscribe(binding, task["id"].as_str().expect("an id")).await.expect("a stream");
    while let Some(event) = events.next().await {
        let inner = event.get("task").or(event.get("statusUpdate"));
        if inner.is_some_and(|inner| inner["status"]["state"] == "TASK_STATE_WORKING") {
            return;
        }
    }
    panic!("it never worked");
}

#[tokio::test]
async fn task_id_alone_continues_a_conversation() {
    let sut = Sut::start(None).await;
    for binding in BINDINGS {
        let asked =
            sut.call(binding, Op::Send, &send_params("tck-input-required-1", "first words")).await.expect("a task");
        let (task, context) = (asked["task"]["id"].clone(), asked["task"]["contextId"].clone());
        let further = |id: &str, text: &str| {
            let mut params = send_params(id, text);
            params["message"]["taskId"] = task.clone();
            params
        };
        let again =
            sut.call(binding, Op::Send, &further("tck-input-required-2", "second words")).await.expect("a task");
        assert_eq!(again["task"]["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
        let done = sut.call(binding, Op::Send, &further("tck-complete-task-3", "last words")).await.expect("a task");
        assert_eq!(
            (&done["task"]["id"], &done["task"]["contextId"], &done["task"]["status"]["state"]),
            (&task, &context, &json!("TASK_STATE_COMPLETED"))
        );
        let got = sut.call(binding, Op::Get, &json!({"id": task})).await.expect("the task");
        let history = got["history"].as_array().expect("history").iter();
        let said: Vec<_> = history
            .filter(|message| message["role"] == "ROLE_USER")
            .map(|message| message["parts"][0]["text"].as_str().expect("text"))
            .collect();
        assert_eq!(said, ["first words", "second words", "last words"], "{binding:?}");
        let bare = sut.call(binding, Op::Get, &json!({"id": task, "historyLength": 0})).await.expect("the task");
        assert_eq!(bare.get("history"), None);
        for (wanted, expect) in [(1, 1), (2, 2), (100, got["history"].as_array().expect("history").len())] {
            let some = sut.call(binding, Op::Get, &json!({"id": task, "historyLength": wanted})).await.expect("it");
            assert_eq!(some["history"].as_array().expect("history").len(), expect);
        }
        // The task asks one question; any answer completes it.
        let mut params = send_params("m", "tck-multi-turn");
        let asked = sut.call(binding, Op::Send, &params).await.expect("a task");
        params["message"]["taskId"] = asked["task"]["id"].clone();
        params["message"]["parts"][0]["text"] = "an answer".into();
        let done = sut.call(binding, Op::Send, &params).await.expect("a task");
        assert_eq!(done["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{binding:?}");
    }
}
