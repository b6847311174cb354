//! Limits of `/v1/responses` and `/v1/conversations`: expanded request size and conversation size.

use crate::{
    bindings::{headers, raw},
    world::configured,
    world::{engine, engine_on, options},
};
use axum::{Router, body::Body};
use baton_engine::EngineOptions;
use baton_journal::MemoryJournal;
use baton_server::app;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::{convert::Infallible, sync::Arc};
use tokio::sync::oneshot;

async fn ask(app: &Router, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let given = headers(&[("content-type", "application/json")]);
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let response = raw(app, method, path, given, body).await;
    let status = response.status().as_u16();
    let bytes = response.collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&bytes).unwrap())
}

async fn post(app: &Router, path: &str, body: Value) -> (u16, Value) {
    ask(app, "POST", path, &body).await
}

async fn get(app: &Router, path: &str) -> (u16, Value) {
    ask(app, "GET", path, &Value::Null).await
}

#[tokio::test]
async fn referenced_items_count_like_inline_items() {
    let app = app(
        engine(&["weather"]),
        configured(options(), |options| {
            options.http.max_body = 64 * 1024;
        }),
    );
    let (status, first) = post(&app, "/v1/responses", json!({"input": "x".repeat(4000)})).await;
    assert_eq!(status, 200, "{first}");
    let id = first["output"][0]["id"].as_str().unwrap();
    let naming = |count: usize| {
        let named = (0..count).map(|_| json!({"type": "item_reference", "id": id}));
        let last = json!({"role": "user", "content": "Hello"});
        json!({"input": named.chain([last]).collect::<Vec<_>>(), "metadata": {"kept": "as it was"}})
    };
    let (status, answer) = post(&app, "/v1/responses", naming(3)).await;
    assert_eq!((status, &answer["metadata"]["kept"]), (200, &json!("as it was")), "{answer}");
    let (_, input) =
        get(&app, &format!("/v1/responses/{}/input_items?order=asc", answer["id"].as_str().unwrap())).await;
    assert_eq!(input["data"].as_array().unwrap().len(), 4);
    assert_eq!(input["data"][0]["content"][0]["text"].as_str().unwrap().len(), 4000);
    // About 3 KB of references to 160 KB of items.
    let bomb = naming(40);
    assert!(bomb.to_string().len() < 8 * 1024);
    let mut compact = bomb.clone();
    compact["model"] = json!("weather");
    for (path, body) in
        [("/v1/responses", bomb.clone()), ("/v1/responses/input_tokens", bomb), ("/v1/responses/compact", compact)]
    {
        let (status, refused) = post(&app, path, body).await;
        assert_eq!((status, &refused["error"]["code"]), (413, &json!("request_too_large")), "{path}: {refused}");
        assert!(refused["error"]["message"].as_str().unwrap().contains("BTN-1002"), "{refused}");
    }
}

#[tokio::test]
async fn referenced_items_count_against_the_body_budget() {
    let bounds = configured(options(), |options| {
        options.http.max_body = 64 * 1024;
        options.http.max_bodies_total = 16 * 1024;
    });
    let small = app(
        engine(&["weather"]),
        configured(bounds, |options| {
            options.http.principal_share = 100;
        }),
    );
    let (_, first) = post(&small, "/v1/responses", json!({"input": "x".repeat(4000)})).await;
    let named = json!({"type": "item_reference", "id": first["output"][0]["id"]});
    let naming = json!({"input": [named, named, {"role": "user", "content": "Hello"}]});
    // A stalled body takes most of the budget.
    let (arrived, waiting) = oneshot::channel();
    let unfinished = Body::from_stream(async_stream::stream! {
        yield Ok::<_, Infallible>(vec![b' '; 12 * 1024]);
        let _ = arrived.send(());
        std::future::pending::<()>().await;
    });
    let other = tokio::spawn({
        let (app, given) = (small.clone(), headers(&[("content-type", "application/json")]));
        async move { raw(&app, "POST", "/v1/responses", given, unfinished).await }
    });
    waiting.await.unwrap();
    let (status, answer) = post(&small, "/v1/responses", json!({"input": "Hello"})).await;
    assert_eq!(status, 200, "the budget admits a small request: {answer}");
    let (status, refused) = post(&small, "/v1/responses", naming.clone()).await;
    assert_eq!(status, 503, "the budget does not admit the referenced items: {refused}");
    other.abort();
    assert!(other.await.unwrap_err().is_cancelled());
    assert_eq!(post(&small, "/v1/responses", naming).await.0, 200);
}

#[tokio::test]
async fn inputs_have_a_bounded_number_of_items() {
    let app = app(engine(&["weather"]), options());
    let items = vec![json!({"role": "user", "content": ""}); 20_001];
    let (status, refused) = post(&app, "/v1/responses", json!({ "input": items })).await;
    assert_eq!((status, &refused["error"]["code"]), (400, &json!("array_above_max_length")), "{refused}");
}

/// Ids of a conversation's items, collected page by page.
async fn paged(app: &Router, path: &str, order: &str, limit: usize) -> Vec<String> {
    let (mut ids, mut after) = (Vec::new(), String::new());
    loop {
        let (status, page) = get(app, &format!("{path}?order={order}&limit={limit}{after}")).await;
        assert_eq!(status, 200, "{page}");
        let data = page["data"].as_array().unwrap();
        assert!(data.len() <= limit);
        ids.extend(data.iter().map(|item| item["id"].as_str().unwrap().to_owned()));
        if page["has_more"] == json!(false) {
            return ids;
        }
        assert_eq!(data.len(), limit, "a page that is not the last is full");
        after = format!("&after={}", page["last_id"].as_str().unwrap());
    }
}

#[tokio::test]
async fn pages_of_a_conversation_have_every_item_once_in_both_orders() {
    let app = app(engine(&["weather"]), options());
    let (_, made) = post(&app, "/v1/conversations", json!({})).await;
    let conversation = made["id"].as_str().unwrap();
    let items = format!("/v1/conversations/{conversation}/items");
    let mut expect = Vec::new();
    for round in 0..4 {
        let given: Vec<Value> =
            (0..3).map(|item| json!({"role": "user", "content": format!("{round}/{item}")})).collect();
        let (status, added) = post(&app, &items, json!({ "items": given })).await;
        assert_eq!(status, 200, "{added}");
        expect.extend(added["data"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()));
        let said = json!({"input": format!("Hello {round}"), "conversation": conversation});
        let (status, answer) = post(&app, "/v1/responses", said).await;
        assert_eq!(status, 200, "{answer}");
        let (_, input) = get(&app, &format!("/v1/responses/{}/input_items", answer["id"].as_str().unwrap())).await;
        expect.push(input["data"][0]["id"].as_str().unwrap().to_owned());
        expect.push(answer["output"][0]["id"].as_str().unwrap().to_owned());
    }
    for item in [4, 7, 8] {
        let gone = expect.remove(item);
        assert_eq!(get(&app, &format!("{items}/{gone}")).await.0, 200);
        assert_eq!(ask(&app, "DELETE", &format!("{items}/{gone}"), &Value::Null).await.0, 200);
        assert_eq!(get(&app, &format!("{items}/{gone}")).await.0, 404);
    }
    for limit in [1, 2, 3, 5, 100] {
        assert_eq!(paged(&app, &items, "asc", limit).await, expect, "{limit}");
        let newest_first: Vec<String> = expect.iter().rev().cloned().collect();
        assert_eq!(paged(&app, &items, "desc", limit).await, newest_first, "{limit}");
    }
    let (status, refused) = get(&app, &format!("{items}?after=msg_nothing")).await;
    assert_eq!((status, &refused["error"]["code"]), (400, &json!("item_not_found")));
}

#[tokio::test]
async fn full_conversation_rejects_items_and_stays_readable() {
    let journal = Arc::new(MemoryJournal::default());
    let app = app(engine_on(journal, EngineOptions::default(), &["weather"]), options());
    let (_, made) = post(&app, "/v1/conversations", json!({})).await;
    let conversation = made["id"].as_str().unwrap();
    let items = format!("/v1/conversations/{conversation}/items");
    let large = json!({"items": [{"role": "user", "content": "x".repeat(3 * 1024 * 1024)}]});
    assert_eq!(post(&app, &items, large.clone()).await.0, 200);
    assert_eq!(post(&app, &items, large.clone()).await.0, 200);
    let (status, refused) = post(&app, &items, large).await;
    assert_eq!((status, &refused["error"]["code"]), (400, &json!("conversation_full")), "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("BTN-1016"), "{refused}");
    let (status, page) = get(&app, &items).await;
    assert_eq!((status, page["data"].as_array().unwrap().len()), (200, 2));
    assert_eq!(ask(&app, "DELETE", &format!("/v1/conversations/{conversation}"), &Value::Null).await.0, 200);
}
