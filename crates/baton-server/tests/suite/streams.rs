//! Task streams: order, event numbers, live text and resumption.

use crate::world::{client, configured, engine, message, options, weather};
use axum::body::Body;
use baton_client::{Client, ClientError, EventStream, SendRequest, StreamEvent};
use baton_server::app;
use baton_wire::a2a::v1::TaskState;
use http::Request;
use http_body_util::BodyExt as _;
use std::time::Duration;
use tower::ServiceExt as _;

async fn all(mut stream: EventStream) -> Vec<StreamEvent> {
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event.unwrap());
    }
    assert!(stream.is_settled());
    events
}

fn shown(events: &[StreamEvent]) -> String {
    let mut lines = String::new();
    for event in events {
        let number = event.number.map_or("live".to_owned(), |number| format!("{number:>4}"));
        lines.push_str(&format!("{number} {}\n", serde_json::to_string(&event.item).unwrap()));
    }
    lines
}

#[tokio::test]
async fn a_streamed_send_shows_every_step() {
    let stream = client().send_streaming("weather", SendRequest::new(message("look"))).await.unwrap();
    let shown = shown(&all(stream).await);
    insta::with_settings!({filters => vec![(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "[moment]")]}, {
        insta::assert_snapshot!(shown);
    });
}

#[tokio::test]
async fn on_the_wire_every_event_is_one_frame_with_one_data_line() {
    let send = r#"{"jsonrpc":"2.0","id":"a b","method":"SendStreamingMessage","params":
        {"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"Two\nlines"}]}}}"#;
    let request = Request::post("/").header("host", "localhost").header("content-type", "application/a2a+json");
    let response = weather().oneshot(request.body(Body::from(send)).unwrap()).await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut body = response.into_body();
    let mut numbers = Vec::new();
    while let Some(frame) = body.frame().await {
        let bytes = frame.unwrap().into_data().unwrap();
        let text = std::str::from_utf8(&bytes).unwrap().strip_suffix("\n\n").unwrap();
        let (number, data) = match text.strip_prefix("id: ") {
            Some(rest) => rest.split_once('\n').unwrap(),
            None => ("live", text),
        };
        assert!(data.starts_with(r#"data: {"jsonrpc":"2.0","id":"a b","result":{"#) && !data.contains('\n'), "{text}");
        numbers.push(number.to_owned());
    }
    assert_eq!(numbers, ["1", "2", "4", "5"]);
}

#[tokio::test]
async fn live_text_becomes_the_answer() {
    let client = client();
    let events = all(client.send_streaming("weather", SendRequest::new(message("It is sunny"))).await.unwrap()).await;
    let mut text = String::new();
    let mut artifact = None;
    for update in events.iter().filter_map(|event| event.item.artifact_update.as_ref()) {
        let piece = update.artifact.parts[0].text.as_deref().unwrap();
        text = if update.append { text + piece } else { piece.to_owned() };
        artifact = Some(update.artifact.artifact_id.clone());
    }
    let task = client.get("weather", events[0].item.task.as_ref().unwrap().id.as_ref(), None).await.unwrap();
    let answer = &task.artifacts.unwrap()[0];
    assert_eq!((answer.parts[0].text.as_deref(), Some(&answer.artifact_id)), (Some(text.as_str()), artifact.as_ref()));
    assert_eq!(text, "It is sunny");
}

#[tokio::test]
async fn a_stream_resumes_after_any_event() {
    let client = client();
    let events = all(client.send_streaming("weather", SendRequest::new(message("look"))).await.unwrap()).await;
    let task = events[0].item.task.clone().unwrap().id.into_owned();
    let numbered: Vec<_> = events.iter().filter(|event| event.number.is_some()).collect();
    for (index, seen) in numbered.iter().enumerate() {
        let resumed = all(client.subscribe("weather", &task, seen.number).await.unwrap()).await;
        assert_eq!(resumed[0].item.task.as_ref().unwrap().id, task);
        assert_eq!(resumed[0].number, seen.number);
        let rest: Vec<_> = resumed[1..].iter().filter(|event| event.number.is_some()).collect();
        assert_eq!(rest, numbered[index + 1..], "after {:?}", seen.number);
    }
    let refused = client.subscribe("weather", &task, None).await.err().unwrap();
    assert_eq!(refused.refusal().unwrap().code, -32004);
}

#[tokio::test]
async fn every_subscriber_sees_the_same_and_a_subscription_outlives_a_question() {
    let client = client();
    let asked = client.send("weather", SendRequest::new(message("ask"))).await.unwrap();
    let mut streams = Vec::new();
    for _ in 0..3 {
        let mut stream = client.subscribe("weather", &asked.id, None).await.unwrap();
        let first = stream.next().await.unwrap().unwrap();
        assert_eq!(first.item.task.unwrap().status.state, TaskState::InputRequired);
        streams.push(stream);
    }
    let mut answer = message("Oakland");
    answer.task = Some(asked.id.into_owned().into());
    client.send("weather", SendRequest::new(answer)).await.unwrap();
    let mut seen = Vec::new();
    for stream in streams {
        let events = all(stream).await;
        seen.push(events.into_iter().filter(|event| event.number.is_some()).collect::<Vec<_>>());
    }
    let last = seen[0].last().unwrap().item.status_update.as_ref().unwrap();
    assert_eq!(last.status.state, TaskState::Completed);
    assert!(seen.iter().all(|events| *events == seen[0]));
}

#[tokio::test]
async fn cancel_clears_streamed_text() {
    let client = client();
    let mut stream = client.send_streaming("weather", SendRequest::new(message("hang"))).await.unwrap();
    let mut texts = Vec::new();
    let mut ended = false;
    while let Some(event) = stream.next().await {
        let item = event.unwrap().item;
        if let Some(update) = item.artifact_update {
            texts.push(update.artifact.parts[0].text.clone().unwrap().into_owned());
            if !ended {
                let task = stream.task().unwrap().to_owned();
                client.cancel("weather", &task).await.unwrap();
                ended = true;
            }
        }
    }
    assert_eq!(stream.state(), TaskState::Canceled);
    assert_eq!(texts, ["Hm", ""]);
}

#[tokio::test(start_paused = true)]
async fn idle_stream_sends_keep_alive() {
    let options = configured(options(), |options| {
        options.http.keep_alive = Duration::from_secs(15);
    });
    let client = Client::in_memory(app(engine(&["weather"]), options)).with_idle_timeout(Duration::from_secs(20));
    let mut stream = client.send_streaming("weather", SendRequest::new(message("hang"))).await.unwrap();
    let watch = tokio::time::timeout(Duration::from_secs(300), async {
        while let Some(event) = stream.next().await {
            event.unwrap();
        }
    });
    assert!(watch.await.is_err(), "the stream should outlive its idle timeout on comments alone");
}

#[tokio::test]
async fn a_thousand_idle_streams_leave_room_for_work_and_one_more_is_refused() {
    let options = configured(options(), |options| {
        options.http.max_streams = 1000;
        options.http.principal_share = 100;
    });
    let client = Client::in_memory(app(engine(&["weather"]), options));
    let request = SendRequest { return_immediately: true, ..SendRequest::new(message("hang")) };
    let task = client.send("weather", request).await.unwrap();
    let mut streams = Vec::new();
    for _ in 0..1000 {
        let mut stream = client.subscribe("weather", &task.id, None).await.unwrap();
        stream.next().await.unwrap().unwrap();
        streams.push(stream);
    }
    let refused = client.subscribe("weather", &task.id, None).await.err().unwrap();
    assert_eq!(refused.refusal().unwrap().status, 503);
    let done = client.send("weather", SendRequest::new(message("Hello"))).await.unwrap();
    assert_eq!(done.status.state, TaskState::Completed);
    streams.pop();
    assert!(client.subscribe("weather", &task.id, None).await.is_ok());
}

#[tokio::test]
async fn shutdown_ends_streams() {
    let options = options();
    let shutdown = options.http.shutdown.clone();
    let client = Client::in_memory(app(engine(&["weather"]), options));
    let mut stream = client.send_streaming("weather", SendRequest::new(message("hang"))).await.unwrap();
    stream.next().await.unwrap().unwrap();
    shutdown.cancel();
    while let Some(event) = stream.next().await {
        event.unwrap();
    }
    assert!(!stream.is_settled());
}

#[tokio::test]
async fn a_stream_that_cannot_begin_is_refused_in_plain_json() {
    let client = Client::in_memory(weather());
    let mut lost = message("Hello");
    lost.task = Some("nothing".into());
    let error = client.send_streaming("weather", SendRequest::new(lost)).await.err().unwrap();
    assert!(matches!(error, ClientError::Refused(_)));
    assert_eq!(error.refusal().unwrap().code, -32001);
}
