//! Answers that break in ways that aimock does not, for every kind of provider.

use crate::{
    ask::{hear, provider, user, weather},
    scripted::{Reply, Scripted},
};
use baton_ports::{Finish, ModelError};
use baton_providers::{Patience, ProviderKind};
use baton_types::Usage;
use serde_json::json;
use std::time::Duration;

/// The first piece of a stream of text, as each service writes it, and the form of the stream.
fn first_piece(kind: ProviderKind) -> (&'static str, Vec<u8>) {
    let sse = "text/event-stream";
    let events = |text: &str| (sse, text.as_bytes().to_vec());
    match kind {
        ProviderKind::OpenAi | ProviderKind::Compatible => {
            events("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Half\"}}]}\n\n")
        }
        ProviderKind::OpenAiResponses => events(
            "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"item_id\":\"m\",\"output_index\":0,\"content_index\":0,\"delta\":\"Half\"}\n\n",
        ),
        ProviderKind::Anthropic => events(
            "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Half\"}}\n\n",
        ),
        ProviderKind::Gemini => {
            events("data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Half\"}],\"role\":\"model\"}}]}\n\n")
        }
        ProviderKind::Ollama => (
            "application/x-ndjson",
            b"{\"message\":{\"role\":\"assistant\",\"content\":\"Half\"},\"done\":false}\n".to_vec(),
        ),
        ProviderKind::Bedrock => ("application/vnd.amazon.eventstream", Vec::new()),
    }
}

fn kinds() -> impl Iterator<Item = ProviderKind> {
    // The frames of Bedrock have check sums, so that they are aimock's to write.
    ProviderKind::ALL.into_iter().filter(|kind| *kind != ProviderKind::Bedrock)
}

#[tokio::test]
async fn a_stream_that_breaks_is_interrupted_once_something_was_heard() {
    for kind in kinds() {
        let (form, piece) = first_piece(kind);
        let server = Scripted::new(Reply::cut(form, &piece)).await;
        let heard = hear(provider(kind, &server.url).model("m").as_ref(), user("go")).await;
        assert_eq!(heard.text, "Half", "{kind:?}");
        assert!(matches!(heard.error, Some(ModelError::Interrupted(_))), "{kind:?}: {heard:?}");
    }
}

#[tokio::test]
async fn a_stream_that_ends_too_soon_is_interrupted_too() {
    for kind in kinds() {
        let (_, piece) = first_piece(kind);
        let server = Scripted::new(Reply::events(&String::from_utf8_lossy(&piece))).await;
        let heard = hear(provider(kind, &server.url).model("m").as_ref(), user("go")).await;
        assert!(matches!(heard.error, Some(ModelError::Interrupted(_))), "{kind:?}: {heard:?}");
    }
}

#[tokio::test]
async fn a_piece_that_is_no_json_is_an_end_with_a_reason() {
    for kind in kinds() {
        let (_, mut piece) = first_piece(kind);
        piece.extend(if kind == ProviderKind::Ollama {
            &b"{oops\n"[..]
        } else {
            &b"event: content_block_delta\ndata: {oops\n\n"[..]
        });
        let server = Scripted::new(Reply::events(&String::from_utf8_lossy(&piece))).await;
        let heard = hear(provider(kind, &server.url).model("m").as_ref(), user("go")).await;
        assert_eq!(heard.text, "Half", "{kind:?}");
        assert!(matches!(heard.error, Some(ModelError::Interrupted(_))), "{kind:?}: {heard:?}");
    }
}

#[tokio::test]
async fn before_the_first_byte_nothing_was_reached() {
    for kind in ProviderKind::ALL {
        // Nobody listens at a port that was just given back.
        let gone =
            tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port").local_addr().expect("an address");
        let heard = hear(provider(kind, &format!("http://{gone}")).model("m").as_ref(), user("go")).await;
        assert!(matches!(heard.error, Some(ModelError::Unreachable(_))), "{kind:?}: {heard:?}");
        let server = Scripted::new(Reply::Broken(Vec::new())).await;
        let heard = hear(provider(kind, &server.url).model("m").as_ref(), user("go")).await;
        assert!(matches!(heard.error, Some(ModelError::Unreachable(_))), "{kind:?}: {heard:?}");
    }
}

#[tokio::test]
async fn patience_ends() {
    for way in [false, true] {
        let server = Scripted::new(Reply::Hanging(String::new())).await;
        let patience = Patience { first: Duration::from_millis(30), next: Duration::from_millis(30) };
        let mut provider = provider(ProviderKind::OpenAi, &server.url).with_patience(patience);
        if way {
            provider = provider.without_streaming();
        }
        let heard = hear(provider.model("gpt-4o").as_ref(), user("go")).await;
        assert!(matches!(heard.error, Some(ModelError::Unreachable(_))), "{heard:?}");
    }
    let server = Scripted::new(Reply::hanging(&String::from_utf8_lossy(&first_piece(ProviderKind::OpenAi).1))).await;
    let patience = Patience { next: Duration::from_millis(30), ..Patience::default() };
    let model = provider(ProviderKind::OpenAi, &server.url).with_patience(patience).model("gpt-4o");
    let heard = hear(model.as_ref(), user("go")).await;
    assert!(matches!(heard.error, Some(ModelError::Interrupted(_))), "{heard:?}");
}

#[tokio::test]
async fn statuses_become_what_to_do() {
    let long = json!({"error": {"message": "prompt is too long: 300000 tokens > 200000 maximum"}});
    for kind in ProviderKind::ALL {
        for streaming in [true, false] {
            let ask = async |reply: Reply| {
                let server = Scripted::new(reply).await;
                let provider = provider(kind, &server.url);
                let provider = if streaming { provider } else { provider.without_streaming() };
                hear(provider.model("m").as_ref(), user("go")).await.error.expect("an error")
            };
            let error = ask(Reply::json("400 Bad Request", &long)).await;
            assert!(matches!(error, ModelError::TooLong(_)), "{kind:?}: {error:?}");
            let busy = "HTTP/1.1 503 Busy\r\nretry-after-ms: 1500\r\ncontent-length: 0\r\n\r\n";
            let error = ask(Reply::Whole(busy.to_owned())).await;
            let ModelError::Refused { status: 503, retry_after, .. } = error else { panic!("{kind:?}: {error:?}") };
            assert_eq!(retry_after, Some(Duration::from_millis(1500)));
        }
    }
}

#[tokio::test]
async fn calls_are_whole_whatever_a_server_does_with_them() {
    // Counted from 1, in pieces, and the reason to stop is a lie.
    let pieces = [
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"x","function":{"name":"get_weather","arguments":""}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{\"city\":"}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"\"Bonn\"}"}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
    ];
    let body: String = pieces.iter().map(|piece| format!("data: {piece}\n\n")).collect();
    let server = Scripted::new(Reply::events(&format!("{body}data: [DONE]\n\n"))).await;
    let mut call = user("go");
    call.tools = vec![weather()];
    let heard = hear(provider(ProviderKind::Compatible, &server.url).model("m").as_ref(), call).await;
    assert_eq!((heard.error, heard.finish), (None, Some(Finish::ToolCalls)));
    let calls: Vec<_> = heard.calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect();
    assert_eq!(calls, [("get_weather", r#"{"city":"Bonn"}"#)]);
}

#[tokio::test]
async fn ollama_counts() {
    let whole = r#"{"message":{"role":"assistant","content":"Hi"},"done":true,"done_reason":"stop","prompt_eval_count":21,"prompt_eval_cached_count":17,"eval_count":3}"#;
    for streaming in [true, false] {
        let server = Scripted::new(Reply::json("200 OK", &serde_json::from_str(whole).expect("JSON"))).await;
        let provider = provider(ProviderKind::Ollama, &server.url);
        let provider = if streaming { provider } else { provider.without_streaming() };
        let heard = hear(provider.model("qwen3").as_ref(), user("go")).await;
        let wanted = Usage { cached_tokens: 17, ..Usage::new(21, 3) };
        assert_eq!((heard.error, heard.text.as_str(), heard.usage), (None, "Hi", wanted));
    }
}
