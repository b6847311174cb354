//! gRPC binding.

mod channel;
mod status;
mod v03;
mod v1;

pub(super) use channel::Channel;
pub(super) use v1::GrpcV1;
pub(super) use v03::GrpcV03;
