//! Authentication of requests to peers.

use crate::CallError;
use baton_ports::BoxFuture;
use http::{HeaderMap, request::Parts};

/// Adds a credential to requests to one peer.
pub trait Authorize: Send + Sync + 'static {
    /// Adds the credential to a request before it is sent; the URI of the request determines the origin. Over gRPC only
    /// headers have an effect. Every header added here is kept out of logs and never sent to another origin.
    fn apply<'a>(&'a self, request: &'a mut Parts) -> BoxFuture<'a, Result<(), CallError>>;

    /// Called when the peer rejected the credential; `true` if another one can be tried, once.
    fn refused(&self) -> BoxFuture<'_, bool>;
}

/// Adds no credential.
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

/// Marks all added headers as sensitive and returns their secrets: the part after the scheme, or the whole value.
pub(crate) fn mark_sensitive(before: &HeaderMap, after: &mut HeaderMap) -> Vec<String> {
    let mut secrets = Vec::new();
    for (name, value) in after.iter_mut() {
        if before.get_all(name).iter().any(|known| known == value) {
            continue;
        }
        value.set_sensitive(true);
        let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
        secrets.push(text.rsplit(' ').next().unwrap_or_default().to_owned());
    }
    secrets
}
