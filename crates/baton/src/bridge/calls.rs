//! Requests in flight.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Maximum requests in flight; further ones are rejected.
const MAX_IN_FLIGHT: usize = 256;

/// A request in flight.
#[derive(Clone)]
pub(super) struct BridgeCall {
    /// Whether the request names its protocol version; such a request is cancelled by closing its reply.
    pub(super) sessionless: bool,
    cancellation: CancellationToken,
    received: Arc<Notify>,
}

impl BridgeCall {
    /// Resolves when the request is cancelled.
    pub(super) async fn wait_cancelled(&self) {
        self.cancellation.cancelled().await;
    }

    /// Closes the reply.
    pub(super) fn cancel(&self) {
        self.cancellation.cancel();
    }

    /// Marks the request as received by the server.
    pub(super) fn mark_received(&self) {
        self.received.notify_one();
    }

    /// Resolves once the server has received the request.
    pub(super) async fn wait_received(&self) {
        self.received.notified().await;
        // Wake the next waiter as well.
        self.received.notify_one();
    }
}

/// All requests in flight, by the JSON of their ids.
#[derive(Clone, Default)]
pub(super) struct BridgeCalls {
    flights: Arc<Mutex<HashMap<String, BridgeCall>>>,
    ended: Arc<Notify>,
}

impl BridgeCalls {
    /// Registers a request, or returns the reason for a rejection.
    pub(super) fn begin(&self, id: &str, sessionless: bool) -> Result<BridgeCall, &'static str> {
        let mut flights = self.flights.lock().unwrap_or_else(PoisonError::into_inner);
        if flights.contains_key(id) {
            return Err("a request with this id is already in flight");
        }
        if flights.len() >= MAX_IN_FLIGHT {
            return Err("too many requests are in flight; wait for answers before you send more");
        }
        let (called_off, arrived) = (CancellationToken::new(), Arc::new(Notify::new()));
        let flight = BridgeCall { sessionless, cancellation: called_off, received: arrived };
        flights.insert(id.to_owned(), flight.clone());
        Ok(flight)
    }

    /// The request with this id, if it is in flight.
    pub(super) fn get(&self, id: &str) -> Option<BridgeCall> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// Removes a finished request.
    pub(super) fn end(&self, id: &str) {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        self.ended.notify_one();
    }

    /// Resolves when nothing is in flight.
    pub(super) async fn wait_until_empty(&self) {
        loop {
            let ended = self.ended.notified();
            if self.flights.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
                return;
            }
            ended.await;
        }
    }

    /// Closes all replies.
    pub(super) fn cancel_all(&self) {
        for flight in self.flights.lock().unwrap_or_else(PoisonError::into_inner).values() {
            flight.cancel();
        }
    }
}
