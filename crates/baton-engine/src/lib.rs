//! The run loop, recovery and in-process handoff: drives the rules of `baton-rules` with the ports of `baton-ports`.
//!
//! This crate must never decide a state by itself (that is `baton-rules`), acknowledge what the journal has not
//! synced, or know a wire dialect.
//!
//! Read first: [`Engine`] (what surfaces call), [`FeedItem`] (what subscribers see).

mod command;
mod error;
mod feed;

pub use command::{ListTasks, SendCommand, Sent, TaskPage, TaskRef};
pub use error::EngineError;
pub use feed::{FeedItem, Subscription};
mod engine;
pub use engine::{Engine, Options, Ports};
