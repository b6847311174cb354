//! Showing a peer who is calling.

use crate::CallError;
use baton_ports::BoxFuture;
use http::request::Parts;

/// Puts a credential on requests to one peer.
pub trait Authorize: Send + Sync + 'static {
    /// Puts the credential on a request that is about to leave; its URI tells for which origin. Over gRPC only headers
    /// count. Every header that is added here is kept out of logs and away from other origins.
    fn apply<'a>(&'a self, request: &'a mut Parts) -> BoxFuture<'a, Result<(), CallError>>;

    /// The peer did not accept the credential; `true` when another one can be tried, once.
    fn refused(&self) -> BoxFuture<'_, bool>;
}

/// Shows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Anonymous;

impl Authorize for Anonymous {
    fn apply<'a>(&'a self, _: &'a mut Parts) -> BoxFuture<'a, Result<(), CallError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn refused(&self) -> BoxFuture<'_, bool> {
        Box::pin(std::future::ready(false))
    }
}
