//! Showing a peer who is calling.

use crate::CallError;
use baton_ports::BoxFuture;
use http::{HeaderMap, request::Parts};

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

/// Marks every header that was not there before, and gives the secrets in them: what follows a scheme, or everything.
pub(crate) fn seal(before: &HeaderMap, after: &mut HeaderMap) -> Vec<String> {
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
