//! The official JavaScript server is asked by the library and by a person with the real binary.

use super::{cut, person, served::Kind, talk};
use crate::js_client::NODE;

const SERVER: Kind = Kind { interpreter: NODE, script: "tests/js/server.mjs", name: "JS Words", version: "1.0" };

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_json_rpc() {
    talk::everything(&SERVER, "JSONRPC").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_http_json() {
    talk::everything(&SERVER, "HTTP+JSON").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_grpc() {
    talk::everything(&SERVER, "GRPC").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn by_a_person_over_json_rpc() {
    person::everything(&SERVER, "JSONRPC").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn by_a_person_over_http_json() {
    person::everything(&SERVER, "HTTP+JSON").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn by_a_person_over_grpc() {
    person::everything(&SERVER, "GRPC").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn its_notifications_are_heard() {
    for binding in ["JSONRPC", "HTTP+JSON", "GRPC"] {
        person::notified(&SERVER, binding).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cut_over_json_rpc() {
    cut::everywhere(&SERVER, "JSONRPC").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cut_over_http_json() {
    cut::everywhere(&SERVER, "HTTP+JSON").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cut_over_grpc() {
    cut::anywhere(&SERVER, "GRPC").await;
}
