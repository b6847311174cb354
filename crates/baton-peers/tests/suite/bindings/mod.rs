//! Every binding and dialect, against Baton itself and against servers with other behavior.

mod all;
mod grpc;
mod requests;
mod unusual_servers;
