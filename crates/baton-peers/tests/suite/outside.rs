//! The client towards loopback, and credentials to show there.

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

/// A client that may call this machine; its certificates are read once.
pub(crate) fn guarded() -> GuardedClient {
    static CLIENT: LazyLock<GuardedClient> =
        LazyLock::new(|| GuardedClient::new(AddressPolicy::allowing(["127.0.0.0/8"]).unwrap(), &options()).unwrap());
    // Connections belong to the runtime that made them, and every test has its own.
    CLIENT.with_options(options()).unwrap()
}

fn options() -> OutboundOptions {
    OutboundOptions { request_timeout: Duration::from_secs(20), ..OutboundOptions::default() }
}

/// `key-1`, then `key-2` and so on after each refusal.
#[derive(Default)]
pub(crate) struct Keys {
    refused: AtomicUsize,
}

impl Keys {
    /// As if so many had been refused already.
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
