//! Requests of HTTP tools.

use super::service::{Service, definition, get, reply};
use crate::calls::{agent, done};
use baton_types::{HttpBody, HttpTool};

const ARGUMENTS: &str =
    r#"{"city":"São Paulo","days":3,"big":12345678901234567890.10,"tags":["a b","c"],"none":null,"deep":{"x":[1]}}"#;

#[tokio::test]
async fn unplaced_arguments_become_query_body_or_form() {
    let service = Service::start().await;
    for (method, body) in [("GET", HttpBody::None), ("POST", HttpBody::Json), ("PUT", HttpBody::Form)] {
        let url = service.url("/cities/{city}?lang={lang}&v=2");
        let tool = get("look", HttpTool { body, ..definition(method, &url) });
        let output = done(&service.tools(), &agent("a", Vec::new()), &tool, ARGUMENTS).await;
        assert_eq!((output.output.as_str(), output.is_error), (r#"{"ok":true}"#, false));
    }
    let shown: Vec<String> = service
        .received()
        .iter()
        .map(|request| {
            let shown = ["accept", "content-type", "traceparent", "user-agent"]
                .into_iter()
                .filter_map(|name| Some(format!("\n{name}: {}", request.header(name)?)));
            format!("{} {}{}\n{}\n", request.method, request.path, shown.collect::<String>(), request.body)
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n"));
}

#[tokio::test]
async fn secrets_are_sent_and_never_shown() {
    let service = Service::start_with_script(|request| {
        let echoed = format!(r#"{{"you_sent":"{}"}}"#, request.header("authorization").unwrap_or_default());
        let status = if request.path == "/fail" { "500 Internal Server Error" } else { "200 OK" };
        reply(status, &[("content-type", "application/json")], echoed)
    })
    .await;
    let headers =
        vec![("Authorization".to_owned(), "Bearer env://TOKEN".to_owned()), ("X-Plain".to_owned(), "plain".to_owned())];
    for path in ["/echo", "/fail"] {
        let tool = get("look", HttpTool { headers: headers.clone(), ..definition("GET", &service.url(path)) });
        let output = done(&service.tools(), &agent("a", Vec::new()), &tool, "{}").await;
        assert!(output.output.as_str().contains("Bearer [secret]"), "{output:?}");
    }
    for request in service.received() {
        assert_eq!(request.header("authorization"), Some("Bearer s3cret-t0ken"));
        assert_eq!(request.header("x-plain"), Some("plain"));
    }
    let mut said = Vec::new();
    for (name, value) in [
        ("X-Key", "env://MISSING"),
        ("X-Key", "env://BROKEN"),
        ("X-Key", "env://"),
        ("Host", "evil.example.com"),
        ("not a name", "x"),
    ] {
        let headers = vec![(name.to_owned(), value.to_owned())];
        let tool = get("look", HttpTool { headers, ..definition("GET", &service.url("/never")) });
        let output = done(&service.tools(), &agent("a", Vec::new()), &tool, "{}").await;
        assert!(output.is_error);
        said.push(format!("{name}: {value}\n    {}", output.output.to_plain_text()));
    }
    assert_eq!(service.received().len(), 2, "no other request is sent");
    insta::assert_snapshot!(said.join("\n"));
}

#[tokio::test]
async fn redirects_stay_within_the_origin() {
    let elsewhere = Service::start().await;
    let away = elsewhere.url("/inside");
    let service = Service::start_with_script(move |request| match request.path.as_str() {
        "/within" => reply("302 Found", &[("location", "/end")], ""),
        "/away" => reply("307 Temporary Redirect", &[("location", &away)], ""),
        _ => reply("200 OK", &[("content-type", "text/plain")], "arrived"),
    })
    .await;
    let tools = service.tools();
    let tool = get("look", definition("GET", &service.url("/within")));
    assert_eq!(done(&tools, &agent("a", Vec::new()), &tool, "{}").await.output.to_plain_text(), "arrived");
    let tool = get("look", definition("GET", &service.url("/away")));
    let output = done(&tools, &agent("a", Vec::new()), &tool, "{}").await;
    assert!(output.is_error && output.output.as_str().contains("another origin"), "{output:?}");
    assert!(elsewhere.received().is_empty());
}
