//! An argument stays in its place in the URL, whatever its value.

use super::service::{Service, get};
use crate::calls::{agent, done};
use baton_toolhost::UrlTemplate;
use baton_types::Json;
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};

#[test]
fn invalid_urls_are_rejected() {
    let shown: Vec<String> = [
        "https://api.example.com/v1/{city}?units={units}",
        "http://127.0.0.1:8080",
        "http://[::1]:8080/{a}{b}/c",
        "https://{host}/x",
        "https://api.example.com:{port}/x",
        "https://user@api.example.com/x",
        "ftp://api.example.com/x",
        "/v1/{city}",
        "https://api.example.com/{city",
        "https://api.example.com/city}",
        "https://api.example.com/{}",
        "https://api.example.com/{a b}",
        "https://api.example.com/a/../b",
        "https://api.example.com/%2E%2e/b",
        "https://api.example.com/x#{part}",
        "https://api.example.com/a b",
    ]
    .into_iter()
    .map(|url| match UrlTemplate::parse(url) {
        Ok(template) => {
            let names: Vec<&str> = template.names().collect();
            format!("{url}\n    host {}, arguments {names:?}", template.host())
        }
        Err(error) => format!("{url}\n    refused: {error}"),
    })
    .collect();
    insta::assert_snapshot!(shown.join("\n"));
}

fn special_texts() -> impl Strategy<Value = String> {
    let special = prop::sample::select(vec![
        "/",
        "..",
        ".",
        "?",
        "#",
        "@",
        "&",
        "=",
        "%",
        "%2e",
        "%2F",
        "\r\n",
        "\n",
        "\\",
        ":",
        ";",
        "+",
        " ",
        "\0",
        "ü",
        "a",
        "{city}",
        "//evil.example.com",
        "http://evil.example.com/",
    ]);
    prop_oneof![prop::collection::vec(special, 0..6).prop_map(|parts| parts.concat()), any::<String>()]
}

fn decoded(text: &str) -> String {
    let query = format!("x={}", text.replace('+', "%2B"));
    form_urlencoded::parse(query.as_bytes()).next().unwrap().1.into_owned()
}

#[test]
fn argument_never_leaves_its_place() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let service = runtime.block_on(Service::start());
    let tools = service.tools();
    let url = service.url("/v1/{first}/x-{second}/end?fixed=1&q={third}");
    let tool = get("look", super::service::definition("GET", &url));
    let mut runner = TestRunner::new(Config { cases: 200, failure_persistence: None, ..Config::default() });
    let ran = runner.run(&(special_texts(), special_texts(), special_texts()), |(first, second, third)| {
        let arguments =
            serde_json::json!({"first": first, "second": second, "third": third, "more": third}).to_string();
        let before = service.received().len();
        let output = runtime.block_on(done(&tools, &agent("a", Vec::new()), &tool, &arguments));
        let received = service.received().split_off(before);
        if matches!(first.as_str(), "" | "." | "..") {
            assert!(output.is_error && received.is_empty(), "{output:?} {received:?}");
            return Ok(());
        }
        let [request] = received.as_slice() else { panic!("{output:?}") };
        let (path, query) = request.path.split_once('?').unwrap();
        let segments: Vec<&str> = path.split('/').collect();
        assert_eq!(segments.len(), 5, "{path}");
        assert_eq!((segments[1], segments[4]), ("v1", "end"));
        assert_eq!(decoded(segments[2]), first);
        assert_eq!(decoded(segments[3]), format!("x-{second}"));
        let pairs: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let expected = [("fixed", "1"), ("q", third.as_str()), ("more", third.as_str())];
        assert_eq!(pairs, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(request.header("host"), Some(service.host().as_str()));
        Ok(())
    });
    ran.unwrap();
}

#[tokio::test]
async fn unsuitable_arguments_are_named() {
    let service = Service::start().await;
    let url = service.url("/{a}{b}/x?q={q}");
    let tool = get("look", super::service::definition("GET", &url));
    let mut said = Vec::new();
    for arguments in [
        r#"{"a":"."}"#,
        r#"{"a":".","b":"."}"#,
        r#"{"a":"","b":""}"#,
        r#"{"a":{"x":1},"b":"b"}"#,
        r#"{"a":null,"b":"b"}"#,
        r#"["a"]"#,
    ] {
        let output = done(&service.tools(), &agent("a", Vec::new()), &tool, arguments).await;
        assert!(output.is_error);
        said.push(format!("{arguments}\n    {}", output.output.to_plain_text()));
    }
    let long = Json::from_serializable(&serde_json::json!({"a": "x".repeat(9000), "b": "b"})).unwrap();
    let output = done(&service.tools(), &agent("a", Vec::new()), &tool, long.as_str()).await;
    said.push(format!("9000 characters\n    {}", output.output.to_plain_text()));
    assert!(service.received().is_empty());
    insta::assert_snapshot!(said.join("\n"));
}
