//! The events of streams, and their ends.

use super::{
    operations::{BINDINGS, Op, Rejection, send_params},
    sut::Sut,
};
use serde_json::{Value, json};
use std::time::Duration;

fn states(events: &[Value]) -> Vec<&str> {
    let state = |event: &'_ Value| event["statusUpdate"]["status"]["state"].as_str().map(str::to_owned);
    let mut seen: Vec<&str> = Vec::new();
    for event in events {
        if state(event).is_some()
            && let Some(state) = event["statusUpdate"]["status"]["state"].as_str()
            && seen.last() != Some(&state)
        {
            seen.push(state);
        }
    }
    seen
}

/// The text of the artifact with that name, assembled from its chunks.
fn text(events: &[Value], name: &str) -> String {
    let mut text = String::new();
    for update in
        events.iter().map(|event| &event["artifactUpdate"]).filter(|update| update["artifact"]["name"] == name)
    {
        let piece = update["artifact"]["parts"][0]["text"].as_str().expect("text");
        text = if update["append"] == true { text + piece } else { piece.to_owned() };
    }
    text
}

#[tokio::test]
async fn streamed_send_shows_statuses_artifacts_and_completion() {
    let sut = Sut::start(None).await;
    for (name, artifact, content) in [
        ("tck-stream-001", "output", "Generated text content"),
        ("tck-stream-003", "output", "Generated text content"),
        ("tck-stream-ordering-001", "output", "Generated text content"),
        ("tck-stream-artifact-text", "output", "Generated text content"),
        ("tck-stream-basic", "output", "Generated text content"),
        ("tck-stream-002", "answer", "Hello from TCK"),
        ("tck-stream-artifact-chunked", "answer", "chunk-1 chunk-2"),
        ("tck-stream-chunked", "answer", "chunk-1 chunk-2"),
    ] {
        for binding in BINDINGS {
            for params in [send_params(&format!("{name}-1f2e3d4c"), "Anything"), send_params("m", name)] {
                let events = sut.stream(binding, &params).await.expect("a stream").all().await;
                assert!(events[0]["task"]["id"].is_string(), "the task comes first: {}", events[0]);
                assert!(events[1..].iter().all(|event| event.get("task").is_none() && event.get("message").is_none()));
                let seen = states(&events);
                assert_eq!(seen.last(), Some(&"TASK_STATE_COMPLETED"), "{name} {binding:?} {events:#?}");
                let begun = events[0]["task"]["status"]["state"] == "TASK_STATE_WORKING";
                assert!(begun || seen[0] == "TASK_STATE_WORKING", "{name} {binding:?} {seen:?}");
                assert!(events.last().is_some_and(|last| last.get("statusUpdate").is_some()));
                assert_eq!(text(&events, artifact), content, "{name} {binding:?} {events:#?}");
            }
        }
    }
    for binding in BINDINGS {
        let file = send_params("tck-stream-artifact-file-1", "Anything");
        let events = sut.stream(binding, &file).await.expect("a stream").all().await;
        let part = events
            .iter()
            .map(|event| &event["artifactUpdate"]["artifact"]["parts"][0])
            .find(|part| part.get("raw").is_some());
        let expect =
            json!({"raw": "R2VuZXJhdGVkIGZpbGUgY29udGVudAo=", "filename": "output.txt", "mediaType": "text/plain"});
        assert_eq!(part, Some(&expect), "{binding:?}");
        // A message without a task is the only event of its stream.
        let events =
            sut.stream(binding, &send_params("tck-message-response", "x")).await.expect("a stream").all().await;
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!(events[0]["message"]["parts"], json!([{"text": "Direct message response"}]), "{binding:?}");
        // A question ends the stream.
        let events = sut.stream(binding, &send_params("tck-input-required", "x")).await.expect("a stream").all().await;
        assert_eq!(states(&events).last(), Some(&"TASK_STATE_INPUT_REQUIRED"), "{binding:?}");
    }
}

#[tokio::test]
async fn subscription_starts_with_the_task_and_ends_at_its_completion() {
    let sut = Sut::start(None).await;
    for binding in BINDINGS {
        let asked = sut.call(binding, Op::Send, &send_params("tck-input-required-1", "x")).await.expect("a task");
        let task = asked["task"]["id"].as_str().expect("an id").to_owned();
        let mut streams = Vec::new();
        for _ in 0..2 {
            let mut events = sut.subscribe(binding, &task).await.expect("a stream");
            let first = events.next().await.expect("the task");
            assert_eq!(
                (&first["task"]["id"], &first["task"]["status"]["state"]),
                (&json!(task), &json!("TASK_STATE_INPUT_REQUIRED"))
            );
            streams.push(events);
        }
        // A disconnected subscriber affects neither the other one nor the task.
        drop(streams.pop());
        let mut further = send_params("tck-complete-task-2", "x");
        further["message"]["taskId"] = task.clone().into();
        sut.call(binding, Op::Send, &further).await.expect("done");
        let rest = tokio::time::timeout(Duration::from_secs(15), streams.remove(0).all()).await.expect("it ends");
        assert_eq!(states(&rest).last(), Some(&"TASK_STATE_COMPLETED"), "{binding:?} {rest:?}");

        assert_eq!(sut.subscribe(binding, &task).await.err(), Some(Rejection("UNSUPPORTED_OPERATION".to_owned())));
        assert_eq!(sut.subscribe(binding, "nothing").await.err(), Some(Rejection("TASK_NOT_FOUND".to_owned())));
        let refused = sut.stream(binding, &further).await.err();
        assert_eq!(refused, Some(Rejection("UNSUPPORTED_OPERATION".to_owned())));
    }
}

#[tokio::test]
async fn stream_shows_the_task_before_the_agent_answers() {
    let sut = Sut::start(None).await;
    for binding in BINDINGS {
        let mut events = sut.stream(binding, &send_params("tck-cancel-1", "x")).await.expect("a stream");
        let first = tokio::time::timeout(Duration::from_secs(15), events.next()).await.expect("no silence");
        let task = first.expect("the task")["task"]["id"].clone();
        assert!(task.is_string(), "{binding:?}");
        sut.call(binding, Op::Cancel, &json!({"id": task})).await.expect("it is canceled");
        let rest = tokio::time::timeout(Duration::from_secs(15), events.all()).await.expect("it ends");
        assert_eq!(states(&rest).last(), Some(&"TASK_STATE_CANCELED"), "{binding:?} {rest:?}");
    }
}
