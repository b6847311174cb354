//! Authentication of requests to peers.

use crate::CallError;
use baton_outbound::RequestAuthenticator;
use baton_ports::BoxFuture;
use http::{HeaderMap, request::Parts};
use std::sync::Arc;

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

/// Credentials for requests to a peer's Environment.
pub(crate) struct EnvironmentCredentials(pub(crate) Arc<dyn Authorize>);

impl RequestAuthenticator for EnvironmentCredentials {
    fn apply<'a>(&'a self, request: &'a mut Parts) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move { self.0.apply(request).await.map_err(|error| error.to_string()) })
    }

    fn handle_rejection(&self) -> BoxFuture<'_, bool> {
        self.0.refused()
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
