//! HTTP client that may call loopback, and test credentials.

use baton_outbound::{AddressPolicy, GuardedClient, OutboundOptions};
use baton_peers::{Authorize, CallError};
use baton_ports::BoxFuture;
use http::{HeaderValue, header, request::Parts};
use std::{
    sync::{
        LazyLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// HTTP client that may call this machine; root certificates are read once.
pub(crate) fn loopback_client() -> GuardedClient {
    static CLIENT: LazyLock<GuardedClient> =
        LazyLock::new(|| GuardedClient::new(AddressPolicy::allowing(["127.0.0.0/8"]).unwrap(), &options()).unwrap());
    // Connections belong to the runtime that opened them, and every test has its own.
    CLIENT.with_options(options()).unwrap()
}

fn options() -> OutboundOptions {
    OutboundOptions { request_timeout: Duration::from_secs(20), ..OutboundOptions::default() }
}

/// Sends `key-1`, then `key-2` and so on after each rejection.
#[derive(Default)]
pub(crate) struct Keys {
    refused: AtomicUsize,
}

impl Keys {
    /// State after this many rejections.
    pub(crate) fn after(refused: usize) -> Self {
        Self { refused: AtomicUsize::new(refused) }
    }
}

impl Authorize for Keys {
    fn apply<'a>(&'a self, request: &'a mut Parts) -> BoxFuture<'a, Result<(), CallError>> {
        let key = format!("Bearer key-{}", self.refused.load(Ordering::Relaxed) + 1);
        request.headers.insert(header::AUTHORIZATION, HeaderValue::from_str(&key).unwrap());
        Box::pin(std::future::ready(Ok(())))
    }

    fn refused(&self) -> BoxFuture<'_, bool> {
        self.refused.fetch_add(1, Ordering::Relaxed);
        Box::pin(std::future::ready(true))
    }
}
