//! Routes of the OpenAI APIs require a JSON content type.

use crate::{
    bindings::{headers, raw},
    world::weather,
};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

#[tokio::test]
async fn bodies_require_a_json_content_type() {
    let app = weather();
    let asked = json!({"model": "weather", "input": "Hello"}).to_string();
    let chat = json!({"model": "weather", "messages": [{"role": "user", "content": "Hello"}]}).to_string();
    for (path, body) in [
        ("/v1/responses", &asked),
        ("/agents/weather/v1/responses", &asked),
        ("/v1/responses/input_tokens", &asked),
        ("/v1/responses/compact", &asked),
        ("/v1/chat/completions", &chat),
        ("/v1/conversations", &"{}".to_owned()),
    ] {
        for (content_type, taken) in [
            ("application/json", true),
            ("application/json; charset=utf-8", true),
            ("Application/JSON", true),
            ("application/vnd.api+json", true),
            ("text/plain", false),
            ("text/plain; application/json", false),
            ("application/x-www-form-urlencoded", false),
            ("multipart/form-data", false),
            ("application/+json", false),
            ("application/jsonp", false),
            ("", true),
        ] {
            let given = [("content-type", content_type)];
            let given = if content_type.is_empty() { headers(&[]) } else { headers(&given) };
            let response = raw(&app, "POST", path, given, body.clone()).await;
            let status = response.status();
            assert_eq!(status == 415, !taken, "{path} {content_type}: {status}");
            if !taken {
                let bytes = response.into_body().collect().await.unwrap().to_bytes();
                let refused: Value = serde_json::from_slice(&bytes).unwrap();
                assert_eq!(refused["error"]["type"], "invalid_request_error", "{path} {refused}");
                assert!(refused["error"]["message"].as_str().unwrap().contains("application/json"), "{refused}");
            }
        }
    }
}

#[tokio::test]
async fn requests_without_a_body_need_no_type() {
    let app = weather();
    for (path, expect) in [("/v1/conversations", 200), ("/v1/responses/resp_nothing/cancel", 404)] {
        assert_eq!(raw(&app, "POST", path, headers(&[]), "").await.status(), expect, "{path}");
    }
}
