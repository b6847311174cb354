//! Requests in flight.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Maximum requests in flight; further ones are rejected.
const MOST: usize = 256;

/// A request in flight.
#[derive(Clone)]
pub(super) struct Flight {
    /// Whether the request names its protocol version; such a request is cancelled by closing its reply.
    pub(super) sessionless: bool,
    called_off: CancellationToken,
    arrived: Arc<Notify>,
}

impl Flight {
    /// Resolves when the request is cancelled.
    pub(super) async fn called_off(&self) {
        self.called_off.cancelled().await;
    }

    /// Closes the reply.
    pub(super) fn call_off(&self) {
        self.called_off.cancel();
    }

    /// Marks the request as received by the server.
    pub(super) fn arrive(&self) {
        self.arrived.notify_one();
    }

    /// Resolves once the server has received the request.
    pub(super) async fn arrived(&self) {
        self.arrived.notified().await;
        // Wake the next waiter as well.
        self.arrived.notify_one();
    }
}

/// All requests in flight, by the JSON of their ids.
#[derive(Clone, Default)]
pub(super) struct Calls {
    flights: Arc<Mutex<HashMap<String, Flight>>>,
    ended: Arc<Notify>,
}

impl Calls {
    /// Registers a request, or returns the reason for a rejection.
    pub(super) fn begin(&self, id: &str, sessionless: bool) -> Result<Flight, &'static str> {
        let mut flights = self.flights.lock().unwrap_or_else(PoisonError::into_inner);
        if flights.contains_key(id) {
            return Err("a request with this id is already in flight");
        }
        if flights.len() >= MOST {
            return Err("too many requests are in flight; wait for answers before you send more");
        }
        let (called_off, arrived) = (CancellationToken::new(), Arc::new(Notify::new()));
        let flight = Flight { sessionless, called_off, arrived };
        flights.insert(id.to_owned(), flight.clone());
        Ok(flight)
    }

    /// The request with this id, if it is in flight.
    pub(super) fn get(&self, id: &str) -> Option<Flight> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// Removes a finished request.
    pub(super) fn end(&self, id: &str) {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        self.ended.notify_one();
    }

    /// Resolves when nothing is in flight.
    pub(super) async fn none_left(&self) {
        loop {
            let ended = self.ended.notified();
            if self.flights.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
                return;
            }
            ended.await;
        }
    }

    /// Closes all replies.
    pub(super) fn call_all_off(&self) {
        for flight in self.flights.lock().unwrap_or_else(PoisonError::into_inner).values() {
            flight.call_off();
        }
    }
}
