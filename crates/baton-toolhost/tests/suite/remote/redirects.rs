//! Redirects: within the origin only.

use super::world::{Reply, Server, connect, look, ordinary, text};
use baton_toolhost::streamable;

#[tokio::test]
async fn messages_follow_redirects_within_their_origin_only() {
    let other = Server::start(ordinary).await;
    let away = other.url("/mcp");
    let server = Server::start(move |got| match got.path.as_str() {
        "/old" => Reply::status(307).with("location", "/mcp"),
        "/away" => Reply::status(307).with("location", away.clone()),
        _ => ordinary(got),
    })
    .await;
    let client = connect(streamable(server.remote("/old"))).await.unwrap();
    assert_eq!(text(&look(&client).await.unwrap()), "seen");
    let error = connect(streamable(server.remote("/away"))).await.unwrap_err().to_string();
    assert!(error.contains("another origin"), "{error}");
    assert!(other.got().is_empty());
}
