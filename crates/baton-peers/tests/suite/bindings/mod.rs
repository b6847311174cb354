//! Every binding and dialect, against Baton itself and against servers that behave otherwise.

mod all;
mod grpc;
mod odd;
mod sent;
