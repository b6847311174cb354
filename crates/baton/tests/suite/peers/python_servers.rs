//! The official Python server of A2A 1.0, called through the client library and from the command line.

use super::{client_library, command_line, dropped_connections, foreign_server::ServerKind};
use crate::python_client::PYTHON;

const SERVER: ServerKind =
    ServerKind { interpreter: PYTHON, script: "tests/python/server.py", name: "Words", version: "1.0" };

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_json_rpc() {
    client_library::check_all(&SERVER, "JSONRPC").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_http_json() {
    client_library::check_all(&SERVER, "HTTP+JSON").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_grpc() {
    client_library::check_all(&SERVER, "GRPC").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn command_line_over_json_rpc() {
    command_line::check_all(&SERVER, "JSONRPC").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn command_line_over_http_json() {
    command_line::check_all(&SERVER, "HTTP+JSON").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn command_line_over_grpc() {
    command_line::check_all(&SERVER, "GRPC").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn push_notifications_are_accepted() {
    for binding in ["JSONRPC", "HTTP+JSON", "GRPC"] {
        command_line::check_notification(&SERVER, binding).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reconnects_over_json_rpc() {
    dropped_connections::cut_after_events(&SERVER, "JSONRPC").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reconnects_over_http_json() {
    dropped_connections::cut_after_events(&SERVER, "HTTP+JSON").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reconnects_over_grpc() {
    dropped_connections::cut_after_bytes(&SERVER, "GRPC").await;
}
