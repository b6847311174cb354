//! What all sessions of the process share.

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

/// Changes that a slow listener may be behind before it misses some.
const BACKLOG: usize = 64;
/// How long somebody may think about a question.
const PATIENCE: Duration = Duration::from_secs(3600);

/// How long to wait for news of a client that gave up.
const CANCELS: Duration = Duration::from_secs(10);

/// Something that listeners want to know.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    /// There is a tool more or less.
    Tools,
    /// There is a prompt more or less.
    Prompts,
    /// What is at this address is different now.
    Resource(&'static str),
}

/// The state of the process.
pub(crate) struct World {
    extra_tool: AtomicBool,
    extra_prompt: AtomicBool,
    canceled: watch::Sender<u64>,
    changes: broadcast::Sender<Change>,
    states: RequestStateCodec,
}

impl World {
    /// A world in which nothing has changed yet, with a key of its own for what clients bring back.
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

    /// Hears of every change from now on.
    pub(crate) fn listen(&self) -> broadcast::Receiver<Change> {
        self.changes.subscribe()
    }

    /// Lets a change happen, and tells everybody.
    pub(crate) fn change(&self, change: Change) {
        match change {
            Change::Tools => self.extra_tool.fetch_xor(true, Ordering::SeqCst),
            Change::Prompts => self.extra_prompt.fetch_xor(true, Ordering::SeqCst),
            Change::Resource(_) => false,
        };
        // An error means that nobody listens.
        let _ = self.changes.send(change);
    }

    /// Whether the tool that comes and goes is there.
    pub(crate) fn has_extra_tool(&self) -> bool {
        self.extra_tool.load(Ordering::SeqCst)
    }

    /// Whether the prompt that comes and goes is there.
    pub(crate) fn has_extra_prompt(&self) -> bool {
        self.extra_prompt.load(Ordering::SeqCst)
    }

    /// Counts a call that its client gave up.
    pub(crate) fn count_canceled(&self) {
        self.canceled.send_modify(|count| *count += 1);
    }

    /// How many calls were given up, once there are so many, or a while has passed.
    pub(crate) async fn canceled(&self, at_least: u64) -> u64 {
        let mut count = self.canceled.subscribe();
        // An error means that so many did not come in time; the count says so too.
        let _ = timeout(CANCELS, count.wait_for(|&count| count >= at_least)).await;
        *count.borrow()
    }

    /// Seals what a client has to bring back to this tool or prompt.
    pub(crate) fn seal<T: Serialize>(&self, what: &str, state: &T) -> Result<String, ErrorData> {
        let options = SealOptions::new().associated_data(what.as_bytes()).ttl(PATIENCE);
        self.states.seal_json_with(state, &options).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    /// What this tool or prompt had sealed; an error when anything about it is not as it was given.
    pub(crate) fn open<T: DeserializeOwned>(&self, what: &str, state: Option<&str>) -> Result<Option<T>, ErrorData> {
        let Some(state) = state else { return Ok(None) };
        let opened = self.states.open_json_with(state, what.as_bytes());
        opened.map(Some).map_err(|error| ErrorData::invalid_params(format!("requestState: {error}"), None))
    }
}
