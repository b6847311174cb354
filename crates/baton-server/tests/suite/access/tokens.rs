//! Token management over the API.

use super::server::{TestServer, bearer, token};
use crate::bindings::{headers, raw};
use baton_api::CreateToken;
use baton_client::ClientError;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

fn named(name: &str) -> CreateToken {
    CreateToken { name: name.to_owned(), ..CreateToken::default() }
}

#[tokio::test]
async fn tokens_are_created_listed_and_revoked() {
    let server = TestServer::new();
    let admin = server.client(&token("acme", "root", "admin"));
    let made = admin.create_token(&named("laptop")).await.unwrap();
    assert!(!format!("{made:?}").contains("secret"), "{made:?}");
    let special = CreateToken {
        subject: Some("ci".to_owned()),
        tenant: Some("acme".to_owned()),
        scopes: Some(vec!["read".to_owned(), "call:weather".to_owned()]),
        expires_in_seconds: Some(60),
        ..named("build")
    };
    admin.create_token(&special).await.unwrap();
    admin.create_token(&CreateToken { never_expires: true, ..named("door") }).await.unwrap();
    admin.revoke_token("t1").await.unwrap();
    let listed = admin.tokens().await.unwrap();
    assert_eq!(admin.revoke_token("t1").await.unwrap(), listed[0]);
    let text = [serde_json::to_string(&made).unwrap(), serde_json::to_string(&listed).unwrap()];
    insta::assert_snapshot!(text.join("\n"));
    let ClientError::Refused(missing) = admin.revoke_token("t9").await.unwrap_err() else { panic!() };
    assert_eq!((missing.status, missing.baton_code.as_deref()), (404, Some("BTN-2018")));
}

#[tokio::test]
async fn token_management_requires_admin() {
    let server = TestServer::new();
    for scopes in ["", "read", "call", "read:weather call:weather"] {
        let client = server.client(&token("acme", "ann", scopes));
        let codes = [
            client.create_token(&named("x")).await.unwrap_err(),
            client.tokens().await.unwrap_err(),
            client.revoke_token("t1").await.unwrap_err(),
        ]
        .map(|error| error.refusal().unwrap().baton_code.clone().unwrap());
        assert_eq!(codes, ["BTN-1011"; 3], "{scopes}");
    }
    let without = TestServer::with_access(|access| access.tokens = None);
    let refused = without.client(&token("acme", "root", "admin")).tokens().await.unwrap_err();
    assert_eq!(refused.refusal().unwrap().baton_code.as_deref(), Some("BTN-1009"));
}

#[tokio::test]
async fn each_wrong_field_is_named() {
    let server = TestServer::new();
    let given = bearer(&token("acme", "root", "admin"));
    let given = headers(&[("authorization", &given), ("content-type", "application/json")]);
    let mut seen = String::new();
    for body in [
        json!({}),
        json!({"name": "two\nlines"}),
        json!({"name": " x "}),
        json!({"name": "x".repeat(65)}),
        json!({"name": "x", "subject": "", "tenant": "\t"}),
        json!({"name": "x", "scopes": []}),
        json!({"name": "x", "scopes": ["call", "fly", "read:UP"]}),
        json!({"name": "x", "expiresInSeconds": 0}),
        json!({"name": "x", "expiresInSeconds": -1}),
        json!({"name": "x", "expiresInSeconds": 1u64 << 60}),
        json!({"name": "x", "expiresInSeconds": 5, "neverExpires": true}),
        json!({"name": "x", "scope": "call"}),
        json!("x"),
    ] {
        let response = raw(&server.app, "POST", "/api/v1/tokens", given.clone(), body.to_string()).await;
        let status = response.status().as_u16();
        let answer = response.into_body().collect().await.unwrap().to_bytes();
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        let none = Vec::new();
        let violations = answer["error"]["details"][1]["fieldViolations"].as_array().unwrap_or(&none);
        let fields: Vec<&str> = violations.iter().map(|one| one["field"].as_str().unwrap()).collect();
        seen.push_str(&format!("{status} [{}] {}\n", fields.join(" "), answer["error"]["message"].as_str().unwrap()));
    }
    insta::assert_snapshot!(seen);
}
