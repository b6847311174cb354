//! Tests of the HTTP API with a real engine: valid and invalid requests.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod access;
mod approvals;
mod bad_grpc;
mod bad_input;
mod bad_rest;
mod batches;
mod bindings;
mod cards;
mod connections;
mod contextcore;
mod cors;
mod definitions;
mod discovery;
mod encodings;
mod equivalence;
mod errors;
mod extensions;
mod mcp_endpoints;
mod media_types;
mod meters;
mod openapi;
#[path = "../../../baton-rules/tests/suite/permission_cases.rs"]
mod permission_cases;
mod response_bounds;
mod rules;
mod sends;
mod server;
mod sessions;
mod signed_cards;
mod sockets;
mod spans;
mod storage;
mod streams;
mod tasks;
mod telemetry;
mod tls;
mod tools;
mod world;
