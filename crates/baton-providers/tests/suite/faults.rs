//! Response faults that aimock does not support, for every kind of provider.

use crate::{
    calls::{collect_output, provider, user, weather},
    chunks::{content_type, exception, first, frame, nonsense},
    scripted_server::{Reply, ScriptedServer},
};
use baton_ports::{FinishReason, ModelError};
use baton_providers::ProviderTimeouts;
use baton_types::{ProviderKind, Usage};
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn broken_stream_is_interrupted_after_first_output() {
    for kind in ProviderKind::ALL {
        let server = ScriptedServer::new(Reply::cut(content_type(kind), &first(kind))).await;
        let heard = collect_output(provider(kind, &server.url).model("m").as_ref(), user("go")).await;
        assert_eq!(heard.text, "Half", "{kind:?}");
        assert!(matches!(heard.error, Some(ModelError::Interrupted(_))), "{kind:?}: {heard:?}");
    }
}

#[tokio::test]
async fn truncated_stream_is_interrupted() {
    for kind in ProviderKind::ALL {
        let server = ScriptedServer::new(Reply::stream(content_type(kind), &first(kind))).await;
        let heard = collect_output(provider(kind, &server.url).model("m").as_ref(), user("go")).await;
        assert!(matches!(heard.error, Some(ModelError::Interrupted(_))), "{kind:?}: {heard:?}");
    }
}

#[tokio::test]
async fn unreadable_chunk_is_interrupted() {
    for kind in ProviderKind::ALL {
        let server =
            ScriptedServer::new(Reply::stream(content_type(kind), &[first(kind), nonsense(kind)].concat())).await;
        let heard = collect_output(provider(kind, &server.url).model("m").as_ref(), user("go")).await;
        assert_eq!(heard.text, "Half", "{kind:?}");
        assert!(matches!(heard.error, Some(ModelError::Interrupted(_))), "{kind:?}: {heard:?}");
    }
    // A frame with wrong checksums, and one with an absurd length.
    let mut damaged = frame("contentBlockDelta", br#"{"delta":{"text":"Half"},"contentBlockIndex":0}"#);
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    for piece in [damaged, [u32::MAX.to_be_bytes(), 0_u32.to_be_bytes(), 0_u32.to_be_bytes()].concat()] {
        let kind = ProviderKind::Bedrock;
        let server = ScriptedServer::new(Reply::stream(content_type(kind), &[first(kind), piece].concat())).await;
        let heard = collect_output(provider(kind, &server.url).model("m").as_ref(), user("go")).await;
        assert!(matches!(&heard.error, Some(ModelError::Interrupted(_))), "{heard:?}");
    }
}

#[tokio::test]
async fn failure_before_the_first_byte_is_unreachable() {
    for kind in ProviderKind::ALL {
        // The port was just released, so connections to it are refused.
        let gone =
            tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port").local_addr().expect("an address");
        let heard = collect_output(provider(kind, &format!("http://{gone}")).model("m").as_ref(), user("go")).await;
        assert!(matches!(heard.error, Some(ModelError::Unreachable(_))), "{kind:?}: {heard:?}");
        let server = ScriptedServer::new(Reply::Broken(Vec::new())).await;
        let heard = collect_output(provider(kind, &server.url).model("m").as_ref(), user("go")).await;
        assert!(matches!(heard.error, Some(ModelError::Unreachable(_))), "{kind:?}: {heard:?}");
    }
}

#[tokio::test]
async fn exceptions_in_event_streams_are_refusals_before_output_and_interruptions_after() {
    let kind = ProviderKind::Bedrock;
    let long = "Input is too long for requested model.";
    for (name, text, status) in [
        ("throttlingException", "slow down", Some(429)),
        ("serviceUnavailableException", "later", Some(503)),
        ("modelStreamErrorException", "again", Some(500)),
        ("validationException", "no such tool", Some(400)),
        ("validationException", long, None),
    ] {
        let server = ScriptedServer::new(Reply::stream(content_type(kind), &exception(name, text))).await;
        let heard = collect_output(provider(kind, &server.url).model("m").as_ref(), user("go")).await;
        match (heard.error, status) {
            (Some(ModelError::Refused { status, message, .. }), Some(expected)) => {
                assert_eq!((status, message), (expected, format!("mine: {text}")), "{name}");
            }
            (Some(ModelError::TooLong(_)), None) => {}
            (other, _) => panic!("{name}: {other:?}"),
        }
        let body = [first(kind), exception(name, text)].concat();
        let server = ScriptedServer::new(Reply::stream(content_type(kind), &body)).await;
        let heard = collect_output(provider(kind, &server.url).model("m").as_ref(), user("go")).await;
        assert_eq!(
            (heard.text.as_str(), heard.error),
            ("Half", Some(ModelError::Interrupted(format!("mine: {text}"))))
        );
    }
}

#[tokio::test]
async fn first_byte_and_idle_timeouts_apply() {
    for kind in [ProviderKind::OpenAi, ProviderKind::Bedrock] {
        check_timeouts(kind).await;
    }
}

async fn check_timeouts(kind: ProviderKind) {
    for way in [false, true] {
        let server = ScriptedServer::new(Reply::Hanging(Vec::new())).await;
        let timeouts = ProviderTimeouts {
            first_byte: Duration::from_millis(30),
            idle: Duration::from_millis(30),
            ..ProviderTimeouts::default()
        };
        let mut provider = provider(kind, &server.url).with_timeouts(timeouts);
        if way {
            provider = provider.without_streaming();
        }
        let heard = collect_output(provider.model("gpt-4o").as_ref(), user("go")).await;
        assert!(matches!(heard.error, Some(ModelError::TimedOut(_))), "{heard:?}");
    }
    let server = ScriptedServer::new(Reply::hanging(content_type(kind), &first(kind))).await;
    let timeouts = ProviderTimeouts { idle: Duration::from_millis(30), ..ProviderTimeouts::default() };
    let model = provider(kind, &server.url).with_timeouts(timeouts).model("gpt-4o");
    let heard = collect_output(model.as_ref(), user("go")).await;
    assert!(matches!(heard.error, Some(ModelError::Interrupted(_))), "{heard:?}");
}

/// A server with a full connection queue: further connections are neither accepted nor refused.
#[cfg(target_os = "linux")]
async fn full_listener() -> (tokio::net::TcpListener, Vec<tokio::net::TcpStream>) {
    let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
    socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let listener = socket.listen(1).expect("a listener");
    let address = listener.local_addr().expect("an address");
    let mut connections = Vec::new();
    while let Ok(entered) =
        tokio::time::timeout(Duration::from_millis(100), tokio::net::TcpStream::connect(address)).await
    {
        connections.push(entered.expect("a connection"));
        assert!(connections.len() < 64, "the listener queue has no limit on this system");
    }
    (listener, connections)
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn connect_timeout_applies() {
    let (listener, _inside) = full_listener().await;
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let timeouts = ProviderTimeouts { connect: Duration::from_millis(50), ..ProviderTimeouts::default() };
    let model = provider(ProviderKind::OpenAi, &url).with_timeouts(timeouts).model("gpt-4o");
    let begun = std::time::Instant::now();
    let heard = collect_output(model.as_ref(), user("go")).await;
    assert!(matches!(&heard.error, Some(ModelError::Unreachable(_))), "{heard:?}");
    assert!(begun.elapsed() < Duration::from_secs(5), "it waited {:?}", begun.elapsed());
}

#[tokio::test]
async fn statuses_map_to_errors() {
    let long = json!({"error": {"message": "prompt is too long: 300000 tokens > 200000 maximum"}});
    for kind in ProviderKind::ALL {
        for streaming in [true, false] {
            let ask = async |reply: Reply| {
                let server = ScriptedServer::new(reply).await;
                let provider = provider(kind, &server.url);
                let provider = if streaming { provider } else { provider.without_streaming() };
                collect_output(provider.model("m").as_ref(), user("go")).await.error.expect("an error")
            };
            let error = ask(Reply::json("400 Bad Request", &long)).await;
            assert!(matches!(error, ModelError::TooLong(_)), "{kind:?}: {error:?}");
            let busy = "HTTP/1.1 503 Busy\r\nretry-after-ms: 1500\r\ncontent-length: 0\r\n\r\n";
            let error = ask(Reply::text(busy)).await;
            let ModelError::Refused { status: 503, advice, .. } = error else { panic!("{kind:?}: {error:?}") };
            assert_eq!(advice.wait, Some(Duration::from_millis(1500)));
        }
    }
}

#[tokio::test]
async fn tool_calls_are_assembled_from_any_stream_format() {
    // Indexes start at 1, the call is sent in chunks, and the finish reason is wrong.
    let pieces = [
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"x","function":{"name":"get_weather","arguments":""}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{\"city\":"}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"\"Bonn\"}"}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
    ];
    let body: String = pieces.iter().map(|piece| format!("data: {piece}\n\n")).collect();
    let server = ScriptedServer::new(Reply::events(&format!("{body}data: [DONE]\n\n"))).await;
    let mut call = user("go");
    call.tools = vec![weather()];
    let heard = collect_output(provider(ProviderKind::Compatible, &server.url).model("m").as_ref(), call).await;
    assert_eq!((heard.error, heard.finish), (None, Some(FinishReason::ToolCalls)));
    let calls: Vec<_> = heard.calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect();
    assert_eq!(calls, [("get_weather", r#"{"city":"Bonn"}"#)]);
}

#[tokio::test]
async fn ollama_usage_is_read() {
    let whole = r#"{"message":{"role":"assistant","content":"Hi"},"done":true,"done_reason":"stop","prompt_eval_count":21,"prompt_eval_cached_count":17,"eval_count":3}"#;
    for streaming in [true, false] {
        let server = ScriptedServer::new(Reply::json("200 OK", &serde_json::from_str(whole).expect("JSON"))).await;
        let provider = provider(ProviderKind::Ollama, &server.url);
        let provider = if streaming { provider } else { provider.without_streaming() };
        let heard = collect_output(provider.model("qwen3").as_ref(), user("go")).await;
        let wanted = Usage { cached_tokens: 17, ..Usage::new(21, 3) };
        assert_eq!((heard.error, heard.text.as_str(), heard.usage), (None, "Hi", wanted));
    }
}
