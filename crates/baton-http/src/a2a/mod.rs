//! A2A in every supported binding and dialect.
//!
//! `ops/` implements the operations once. `jsonrpc/`, `rest/` and `grpc/` dispatch requests to them and encode the
//! replies; each dialect is a file there that maps to and from 1.0 requests and replies.

mod call;
mod extensions;
mod grpc;
mod jsonrpc;
mod operation;
mod ops;
mod presentation;
mod rest;
mod span_attributes;
mod sse;
mod version;

pub(crate) use grpc::{
    check_frame as check_grpc_frame, is_grpc, mount as mount_grpc, unknown_method as unknown_grpc_method,
};
pub(crate) use jsonrpc::{handle_named_agent, handle_sole_agent};
pub(crate) use rest::mount as mount_rest;
pub(crate) use version::requested as requested_version;
