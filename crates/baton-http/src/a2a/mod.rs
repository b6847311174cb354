//! A2A in every binding and dialect that clients speak.
//!
//! `ops/` has the operations, once. `jsonrpc/`, `rest/` and `grpc/` bring requests to them and take the answers back;
//! in each of them a dialect is a file that maps to and from the requests and answers of 1.0.

mod call;
mod extensions;
mod grpc;
mod jsonrpc;
mod operation;
mod ops;
mod presentation;
mod rest;
mod spoken;
mod sse;
mod version;

pub(crate) use grpc::{
    check_frame as check_grpc_frame, is_grpc, mount as mount_grpc, unknown_method as unknown_grpc_method,
};
pub(crate) use jsonrpc::{named, sole};
pub(crate) use rest::mount as mount_rest;
pub(crate) use version::requested as requested_version;
