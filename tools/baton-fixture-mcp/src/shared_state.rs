//! State shared by all sessions of the process.

use rmcp::{
    ErrorData,
    model::{RequestStateCodec, SealOptions},
};
use serde::{Serialize, de::DeserializeOwned};
use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};
use tokio::{
    sync::{broadcast, watch},
    time::timeout,
};

/// Capacity of the change channel; a slower listener misses changes.
const BACKLOG: usize = 64;
/// Lifetime of a request state.
const REQUEST_STATE_TTL: Duration = Duration::from_secs(3600);

/// Upper bound of waiting for cancellations.
const CANCELLATION_TIMEOUT: Duration = Duration::from_secs(10);

/// A change that listeners are notified of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FixtureChange {
    /// A tool was added or removed.
    Tools,
    /// A prompt was added or removed.
    Prompts,
    /// The contents of this resource changed.
    Resource(&'static str),
}

/// Shared state of the process.
pub(crate) struct FixtureState {
    extra_tool: AtomicBool,
    extra_prompt: AtomicBool,
    canceled: watch::Sender<u64>,
    changes: broadcast::Sender<FixtureChange>,
    states: RequestStateCodec,
}

impl FixtureState {
    /// Initial state, with a random key for request states.
    pub(crate) fn new() -> anyhow::Result<Self> {
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        Ok(Self {
            extra_tool: AtomicBool::new(false),
            extra_prompt: AtomicBool::new(false),
            canceled: watch::Sender::new(0),
            changes: broadcast::channel(BACKLOG).0,
            states: RequestStateCodec::try_new(key)?,
        })
    }

    /// Subscribes to changes.
    pub(crate) fn listen(&self) -> broadcast::Receiver<FixtureChange> {
        self.changes.subscribe()
    }

    /// Applies a change and notifies all listeners.
    pub(crate) fn change(&self, change: FixtureChange) {
        match change {
            FixtureChange::Tools => self.extra_tool.fetch_xor(true, Ordering::SeqCst),
            FixtureChange::Prompts => self.extra_prompt.fetch_xor(true, Ordering::SeqCst),
            FixtureChange::Resource(_) => false,
        };
        // An error means that there is no listener.
        let _ = self.changes.send(change);
    }

    /// Whether the dynamic tool exists.
    pub(crate) fn has_extra_tool(&self) -> bool {
        self.extra_tool.load(Ordering::SeqCst)
    }

    /// Whether the dynamic prompt exists.
    pub(crate) fn has_extra_prompt(&self) -> bool {
        self.extra_prompt.load(Ordering::SeqCst)
    }

    /// Counts a cancelled call.
    pub(crate) fn count_canceled(&self) {
        self.canceled.send_modify(|count| *count += 1);
    }

    /// Number of cancelled calls, once there are at least `at_least` or the timeout has passed.
    pub(crate) async fn wait_for_canceled(&self, at_least: u64) -> u64 {
        let mut count = self.canceled.subscribe();
        // A timeout is not an error: the count shows it.
        let _ = timeout(CANCELLATION_TIMEOUT, count.wait_for(|&count| count >= at_least)).await;
        *count.borrow()
    }

    /// Seals the request state of a tool or prompt.
    pub(crate) fn seal<T: Serialize>(&self, purpose: &str, state: &T) -> Result<String, ErrorData> {
        let options = SealOptions::new().associated_data(purpose.as_bytes()).ttl(REQUEST_STATE_TTL);
        self.states.seal_json_with(state, &options).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    /// Opens the sealed request state of a tool or prompt; an error if it was modified, has expired or belongs to
    /// another.
    pub(crate) fn open<T: DeserializeOwned>(&self, purpose: &str, state: Option<&str>) -> Result<Option<T>, ErrorData> {
        let Some(state) = state else { return Ok(None) };
        let opened = self.states.open_json_with(state, purpose.as_bytes());
        opened.map(Some).map_err(|error| ErrorData::invalid_params(format!("requestState: {error}"), None))
    }
}
