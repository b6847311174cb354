//! Agent cards, agent lists, probes and their cache headers.

use crate::world::{client, configured, engine, options, weather};
use axum::{Router, body::Body};
use baton_client::Client;
use baton_server::app;
use http::{Request, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use tower::ServiceExt as _;

async fn get(app: &Router, path: &str, headers: &[(&str, &str)]) -> Response<Body> {
    let mut request = Request::builder().uri(path);
    let host = [("host", "127.0.0.1:8700")];
    let given = if headers.iter().any(|(name, _)| *name == "host") { &[][..] } else { &host };
    for (name, value) in given.iter().chain(headers) {
        request = request.header(*name, *value);
    }
    app.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap()
}

async fn text(response: Response<Body>) -> String {
    String::from_utf8(response.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap()
}

#[tokio::test]
async fn cards_are_cacheable() {
    let app = weather();
    let path = "/agents/weather/.well-known/agent-card.json";
    let first = get(&app, path, &[]).await;
    let header = |response: &Response<Body>, name| response.headers()[name].to_str().unwrap().to_owned();
    let (etag, modified) = (header(&first, header::ETAG), header(&first, header::LAST_MODIFIED));
    assert_eq!(modified, "Sun, 15 Nov 2026 19:26:00 GMT");
    assert!(header(&first, header::CACHE_CONTROL).contains("max-age="));
    insta::assert_snapshot!(text(first).await);
    for (name, value, status) in [
        ("if-none-match", etag.as_str(), StatusCode::NOT_MODIFIED),
        ("if-none-match", "\"other\"", StatusCode::OK),
        ("if-modified-since", modified.as_str(), StatusCode::NOT_MODIFIED),
        ("if-modified-since", "Sun, 15 Nov 2026 19:25:59 GMT", StatusCode::OK),
        ("if-modified-since", "once upon a time", StatusCode::OK),
    ] {
        let response = get(&app, path, &[(name, value)]).await;
        assert_eq!(response.status(), status, "{name}: {value}");
        assert_eq!(text(response).await.is_empty(), status == StatusCode::NOT_MODIFIED);
    }
}

#[tokio::test]
async fn one_agent_answers_at_the_root_and_two_do_not() {
    let one = weather();
    let two = app(engine(&["weather", "other"]), options());
    // Clients that resolve the card path relative to /agents/weather request it below /agents.
    for path in ["/.well-known/agent-card.json", "/.well-known/agent.json", "/agents/.well-known/agent-card.json"] {
        let shown = get(&one, path, &[]).await;
        assert_eq!(
            (shown.status(), text(shown).await),
            (StatusCode::OK, text(get(&one, "/agents/weather", &[]).await).await)
        );
        let refused = get(&two, path, &[]).await;
        assert_eq!(refused.status(), StatusCode::NOT_FOUND);
        let addresses = "http://127.0.0.1:8700/agents/weather/, http://127.0.0.1:8700/agents/other/";
        assert!(text(refused).await.contains(addresses));
    }
    // Path of the extended card in 0.2.
    for (app, path) in [(&one, ""), (&one, "/agents/weather"), (&two, "/agents/weather")] {
        let extended = get(app, &format!("{path}/agent/authenticatedExtendedCard"), &[]).await;
        assert!(text(extended).await.contains("tool:get_weather"), "{path}");
    }
    let page = text(get(&two, "/", &[]).await).await;
    assert!(page.contains("Knows &lt;the&gt; weather") && page.contains("/agents/other"), "{page}");
}

#[tokio::test]
async fn agents_are_listed_under_the_public_url() {
    let options = configured(options(), |options| {
        options.http.public_url = Some("https://agents.example.com/b/".to_owned());
    });
    let client = Client::in_memory(app(engine(&["weather"]), options));
    let agents = client.agents().await.unwrap();
    assert_eq!(agents[0].url, "https://agents.example.com/b/agents/weather/");
    assert_eq!(agents[0].card_url, "https://agents.example.com/b/agents/weather/.well-known/agent-card.json");
    // Interface URLs have no trailing slash, because clients append paths.
    let interface = &client.card("weather").await.unwrap().supported_interfaces[0];
    assert_eq!(interface.url, "https://agents.example.com/b/agents/weather");
}

#[tokio::test]
async fn probes_and_pages_that_do_not_exist() {
    assert_eq!(client().health().await.unwrap().status, "ok");
    let app = weather();
    for path in ["/healthz", "/health", "/readyz"] {
        assert_eq!(get(&app, path, &[("host", "any.name")]).await.status(), StatusCode::OK);
    }
    assert_eq!(get(&app, "/nowhere", &[]).await.status(), StatusCode::NOT_FOUND);
    assert_eq!(get(&app, "/agents/nobody", &[]).await.status(), StatusCode::NOT_FOUND);
    assert_eq!(get(&app, "/agents/weather/a2a", &[]).await.status(), StatusCode::METHOD_NOT_ALLOWED);
    let refused = get(&app, "/agents", &[("origin", "https://evil.example.com")]).await;
    assert_eq!(refused.status(), StatusCode::FORBIDDEN);
    assert!(text(refused).await.contains("BTN-1005"));
    // OpenAI clients understand only OpenAI's error format.
    let refused = get(&app, "/v1/models", &[("origin", "https://evil.example.com")]).await;
    assert_eq!(refused.status(), StatusCode::FORBIDDEN);
    let error: serde_json::Value = serde_json::from_str(&text(refused).await).unwrap();
    assert!(error["error"]["type"].is_string() && error["error"]["message"].to_string().contains("evil"), "{error}");
}
