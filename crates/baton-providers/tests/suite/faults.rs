//! Answers that break in ways that aimock does not, for every kind of provider.

use crate::{
    ask::{hear, provider, user, weather},
    pieces::{first, form, frame, nonsense},
    scripted::{Reply, Scripted},
};
use baton_ports::{FinishReason, ModelError};
use baton_providers::{ProviderKind, ProviderTimeouts};
use baton_types::Usage;
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn a_stream_that_breaks_is_interrupted_once_something_was_heard() {
    for kind in ProviderKind::ALL {
        let server = Scripted::new(Reply::cut(form(kind), &first(kind))).await;
        let heard = hear(provider(kind, &server.url).model("m").as_ref(), user("go")).await;
        assert_eq!(heard.text, "Half", "{kind:?}");
        assert!(matches!(heard.error, Some(ModelError::Interrupted(_))), "{kind:?}: {heard:?}");
    }
}

#[tokio::test]
async fn a_stream_that_ends_too_soon_is_interrupted_too() {
    for kind in ProviderKind::ALL {
        let server = Scripted::new(Reply::stream(form(kind), &first(kind))).await;
        let heard = hear(provider(kind, &server.url).model("m").as_ref(), user("go")).await;
        assert!(matches!(heard.error, Some(ModelError::Interrupted(_))), "{kind:?}: {heard:?}");
    }
}

#[tokio::test]
async fn a_piece_that_cannot_be_read_is_an_end_with_a_reason() {
    for kind in ProviderKind::ALL {
        let server = Scripted::new(Reply::stream(form(kind), &[first(kind), nonsense(kind)].concat())).await;
        let heard = hear(provider(kind, &server.url).model("m").as_ref(), user("go")).await;
        assert_eq!(heard.text, "Half", "{kind:?}");
        assert!(matches!(heard.error, Some(ModelError::Interrupted(_))), "{kind:?}: {heard:?}");
    }
    // A frame whose sums do not fit, and one that says that it has no end.
    let mut damaged = frame("contentBlockDelta", br#"{"delta":{"text":"Half"},"contentBlockIndex":0}"#);
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    for piece in [damaged, [u32::MAX.to_be_bytes(), 0_u32.to_be_bytes(), 0_u32.to_be_bytes()].concat()] {
        let kind = ProviderKind::Bedrock;
        let server = Scripted::new(Reply::stream(form(kind), &[first(kind), piece].concat())).await;
        let heard = hear(provider(kind, &server.url).model("m").as_ref(), user("go")).await;
        assert!(matches!(&heard.error, Some(ModelError::Interrupted(_))), "{heard:?}");
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
        let server = Scripted::new(Reply::Hanging(Vec::new())).await;
        let patience = ProviderTimeouts {
            first_byte: Duration::from_millis(30),
            idle: Duration::from_millis(30),
            ..ProviderTimeouts::default()
        };
        let mut provider = provider(ProviderKind::OpenAi, &server.url).with_timeouts(patience);
        if way {
            provider = provider.without_streaming();
        }
        let heard = hear(provider.model("gpt-4o").as_ref(), user("go")).await;
        assert!(matches!(heard.error, Some(ModelError::TimedOut(_))), "{heard:?}");
    }
    let server = Scripted::new(Reply::hanging(form(ProviderKind::OpenAi), &first(ProviderKind::OpenAi))).await;
    let patience = ProviderTimeouts { idle: Duration::from_millis(30), ..ProviderTimeouts::default() };
    let model = provider(ProviderKind::OpenAi, &server.url).with_timeouts(patience).model("gpt-4o");
    let heard = hear(model.as_ref(), user("go")).await;
    assert!(matches!(heard.error, Some(ModelError::Interrupted(_))), "{heard:?}");
}

/// A server whose queue of connections is full: who knocks now is neither let in nor turned away.
#[cfg(target_os = "linux")]
async fn crowded() -> (tokio::net::TcpListener, Vec<tokio::net::TcpStream>) {
    let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
    socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let listener = socket.listen(1).expect("a listener");
    let address = listener.local_addr().expect("an address");
    let mut inside = Vec::new();
    while let Ok(entered) =
        tokio::time::timeout(Duration::from_millis(100), tokio::net::TcpStream::connect(address)).await
    {
        inside.push(entered.expect("a connection"));
        assert!(inside.len() < 64, "the queue of a listener has no end here");
    }
    (listener, inside)
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_connection_has_a_patience_of_its_own() {
    let (listener, _inside) = crowded().await;
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let patience = ProviderTimeouts { connect: Duration::from_millis(50), ..ProviderTimeouts::default() };
    let model = provider(ProviderKind::OpenAi, &url).with_timeouts(patience).model("gpt-4o");
    let begun = std::time::Instant::now();
    let heard = hear(model.as_ref(), user("go")).await;
    assert!(matches!(&heard.error, Some(ModelError::Unreachable(_))), "{heard:?}");
    assert!(begun.elapsed() < Duration::from_secs(5), "it waited {:?}", begun.elapsed());
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
            let error = ask(Reply::text(busy)).await;
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
    assert_eq!((heard.error, heard.finish), (None, Some(FinishReason::ToolCalls)));
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
