//! Tool output for each kind of HTTP reply.

use super::service::{Service, definition, get, reply};
use crate::calls::{agent, done};
use baton_types::HttpTool;
use std::time::Duration;

const JSON: (&str, &str) = ("content-type", "application/json; charset=utf-8");
const TEXT: (&str, &str) = ("content-type", "text/plain");

fn answer(path: &str) -> Vec<u8> {
    match path {
        "/json" => reply("200 OK", &[JSON], r#"{ "n": 42.0, "big": 123456789012345678901 }"#),
        "/problem" => reply("200 OK", &[("content-type", "application/problem+json")], "[1]"),
        "/wrong" => reply("200 OK", &[JSON], "{not json"),
        "/deep" => reply("200 OK", &[JSON], format!("{}{}", "[".repeat(120), "]".repeat(120))),
        "/text" => reply("200 OK", &[TEXT], "42"),
        "/bare" => reply("200 OK", &[], "7"),
        "/latin" => reply("200 OK", &[TEXT], b"caf\xe9"),
        "/empty" => reply("204 No Content", &[], ""),
        "/image" => reply("200 OK", &[("content-type", "image/png")], [0_u8; 300]),
        "/huge-image" => reply("200 OK", &[("content-type", "image/png")], [0_u8; 9000]),
        "/packed" => reply("200 OK", &[TEXT, ("content-encoding", "gzip")], [31_u8, 139, 8]),
        "/unknown" => reply("200 OK", &[], [0_u8, 1, 2]),
        "/long" => reply("200 OK", &[TEXT], "ä".repeat(1000)),
        "/long-json" => reply("200 OK", &[JSON], format!("[{}1]", "1,".repeat(1000))),
        "/broken" => b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 50\r\n\r\nhalf".to_vec(),
        "/404" => reply("404 Not Found", &[JSON], r#"{"error":"no such city"}"#),
        "/403" => reply("403 Forbidden", &[], ""),
        "/503" => reply("503 Service Unavailable", &[TEXT], "x".repeat(5000)),
        "/304" => reply("304 Not Modified", &[], ""),
        "/closed" => b"nonsense\r\n\r\n".to_vec(),
        _ => Vec::new(),
    }
}

#[tokio::test]
async fn each_kind_of_reply_becomes_output() {
    let service = Service::start_with_script(|request| answer(&request.path)).await;
    let tools = service.tools();
    let paths = [
        "/json",
        "/problem",
        "/wrong",
        "/deep",
        "/text",
        "/bare",
        "/latin",
        "/empty",
        "/image",
        "/huge-image",
        "/packed",
        "/unknown",
        "/long",
        "/long-json",
        "/broken",
        "/404",
        "/403",
        "/503",
        "/304",
        "/closed",
    ];
    let mut shown = Vec::new();
    for path in paths {
        let tool = get("look", HttpTool { max_output: 512, ..definition("GET", &service.url(path)) });
        let output = done(&tools, &agent("a", Vec::new()), &tool, "{}").await;
        let text = output.output.as_str();
        let text = match text.char_indices().nth(900) {
            Some(_) => panic!("{path} exceeds its output limit: {text}"),
            None => text.replace("äääääää", "ä").replace("xxxxxxx", "x").replace("1,1,1,1,1,1,1,", "1,"),
        };
        shown.push(format!("{path}{}\n    {text}", if output.is_error { " (error)" } else { "" }));
    }
    insta::with_settings!({filters => vec![(r"127\.0\.0\.1:\d+", "SERVICE")]}, {
        insta::assert_snapshot!(shown.join("\n"));
    });
}

#[tokio::test]
async fn silent_service_times_out() {
    let service = Service::start_with_script(|_| Vec::new()).await;
    let timeout = Duration::from_millis(30);
    let tool = get("look", HttpTool { timeout, ..definition("GET", &service.url("/silent")) });
    let output = done(&service.tools(), &agent("a", Vec::new()), &tool, "{}").await;
    assert!(output.is_error && output.output.as_str().contains("timed out after 30ms"), "{output:?}");
    assert!(service.received().len() <= 1);
}

#[tokio::test]
async fn invalid_methods_are_not_sent() {
    let service = Service::start().await;
    for method in ["TRACE", "get", "CONNECT"] {
        let tool = get("look", definition(method, &service.url("/")));
        assert!(done(&service.tools(), &agent("a", Vec::new()), &tool, "{}").await.is_error);
    }
    assert!(service.received().is_empty());
}
