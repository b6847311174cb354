//! Isolation of sessions, and scopes that each session operation requires.

use super::server::{TestServer, bearer, token};
use crate::{
    bindings::{headers, raw},
    world::message,
};
use baton_client::SendRequest;
use baton_types::Message;
use http_body_util::BodyExt as _;

/// Operations on one session: method, path suffix and a valid body.
const VERBS: [(&str, &str, &str); 8] = [
    ("GET", "", ""),
    ("GET", "/export", ""),
    ("GET", "/export?format=markdown", ""),
    ("PATCH", "", r#"{"title": "Mine"}"#),
    ("POST", "/fork", "{}"),
    ("DELETE", "/settings", ""),
    ("POST", "/settings/save", "{}"),
    ("DELETE", "?force=true", ""),
];

async fn ask(server: &TestServer, who: &str, method: &str, path: &str, body: &str) -> (u16, String) {
    let authorization = bearer(who);
    let given = [("authorization", authorization.as_str()), ("content-type", "application/json")];
    let response = raw(&server.app, method, path, headers(&given), body.to_owned()).await;
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(bytes.to_vec()).unwrap())
}

async fn server_with_session() -> TestServer {
    let server = TestServer::new();
    let owner = server.client(&token("acme", "ann", "call"));
    let said = Message { context: Some("secret".into()), ..message("my secret words") };
    owner.send("weather", SendRequest::new(said)).await.unwrap();
    server
}

#[tokio::test(start_paused = true)]
async fn foreign_session_looks_like_a_missing_one() {
    let server = server_with_session().await;
    let ann = token("acme", "ann", "call");
    for who in [token("acme", "bob", "call"), token("other", "ann", "call"), token("acme", "root", "admin")] {
        for agent in ["", "agent=weather"] {
            for (method, below, body) in VERBS {
                let mark = if below.contains('?') { "&" } else { "?" };
                let path = |name: &str| format!("/api/v1/sessions/{name}{below}{mark}{agent}");
                let foreign = ask(&server, &who, method, &path("secret"), body).await;
                let missing = ask(&server, &who, method, &path("nobodys"), body).await;
                assert_eq!((foreign.0, foreign.1.replace("secret", "nobodys")), missing, "{method} {below} by {who}");
                assert!(missing.0 >= 400 && !foreign.1.contains("words"), "{method} {below} by {who}: {foreign:?}");
            }
        }
        let listed = ask(&server, &who, "GET", "/api/v1/sessions", "").await;
        assert_eq!(listed, (200, r#"{"sessions":[],"total":0}"#.to_owned()));
    }
    let mine = ask(&server, &ann, "GET", "/api/v1/sessions/secret", "").await;
    assert!(mine.0 == 200 && mine.1.contains("my secret words"), "{mine:?}");
}

#[tokio::test(start_paused = true)]
async fn each_verb_needs_its_scope() {
    let server = server_with_session().await;
    let looks = ["GET"];
    for (scopes, may_look, may_change) in [
        ("read", true, false),
        ("read:weather", true, false),
        ("read:clock", false, false),
        ("call:clock", false, false),
        ("call:weather", true, true),
    ] {
        for (method, below, body) in VERBS {
            let saves = below.ends_with("/save");
            let may = !saves && if looks.contains(&method) { may_look } else { may_change };
            let path = format!("/api/v1/sessions/secret{below}");
            if may && method == "DELETE" && below.contains("force") {
                continue;
            }
            let (status, reply) = ask(&server, &token("acme", "ann", scopes), method, &path, body).await;
            assert_eq!(status != 403, may, "{scopes}: {method} {below} {status} {reply}");
        }
        let path = "/api/v1/sessions?agent=weather";
        let file = r#"{"format": "baton.session/1", "agent": "weather", "messages": []}"#;
        let (status, _) = ask(&server, &token("acme", "ann", scopes), "POST", path, file).await;
        assert_eq!(status != 403, may_change, "{scopes} imports");
        let path = "/api/v1/sessions";
        let (status, _) = ask(&server, &token("acme", "ann", scopes), "POST", path, file).await;
        assert_eq!(status != 403, may_change, "{scopes} imports a file that names its agent");
    }
    let (status, _) =
        ask(&server, &token("acme", "ann", "call:weather"), "DELETE", "/api/v1/sessions/secret?force=true", "").await;
    assert_eq!(status, 200);
}
