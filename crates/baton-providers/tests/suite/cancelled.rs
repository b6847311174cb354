//! Whoever drops an answer stops the one who writes it.

use crate::{
    ask::{provider, user},
    scripted::{Reply, Scripted},
};
use baton_ports::ModelEvent;
use baton_providers::ProviderKind;
use futures_util::StreamExt;
use std::time::Duration;

#[tokio::test]
async fn the_service_sees_the_connection_close_at_once() {
    let piece = r#"data: {"choices":[{"index":0,"delta":{"content":"Once upon"}}]}"#;
    let mut server = Scripted::new(Reply::hanging(&format!("{piece}\n\n"))).await;
    let model = provider(ProviderKind::OpenAi, &server.url).model("gpt-4o");
    let mut stream = model.call(user("tell me a story"));
    assert_eq!(stream.next().await, Some(Ok(ModelEvent::Text("Once upon".to_owned()))));
    drop(stream);
    let left = tokio::time::timeout(Duration::from_millis(100), server.left.recv()).await;
    assert_eq!(left, Ok(Some(())));
}

#[tokio::test]
async fn an_answer_that_never_begins_is_given_up_too() {
    let mut server = Scripted::new(Reply::Hanging(String::new())).await;
    let model = provider(ProviderKind::Anthropic, &server.url).model("claude-sonnet-4-5");
    let mut stream = model.call(user("tell me a story"));
    let waiting = tokio::select! {
        event = stream.next() => panic!("{event:?}"),
        request = server.requests.recv() => request,
    };
    assert!(waiting.is_some());
    drop(stream);
    let left = tokio::time::timeout(Duration::from_millis(100), server.left.recv()).await;
    assert_eq!(left, Ok(Some(())));
}
