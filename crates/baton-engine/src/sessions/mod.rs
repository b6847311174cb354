//! Conversations as a whole: what was said about them, and what can be done with them.
//!
//! A conversation exists as soon as it has a task. What was said about it as a whole (its title, settings, what it was
//! taken over with) is a stream of its own, made by the first word of that kind.

mod book;
mod change;
mod delete;
mod error;
mod find;
mod fork;
mod import;
mod list;
mod notes;
mod open;
mod pin;
mod record;
mod show;

pub use change::SessionChange;
pub use delete::{Deleted, Unfinished};
pub use error::SessionError;
pub use find::SessionRef;
pub use fork::ForkSession;
pub use import::{ImportSession, Imported};
pub use list::{ListSessions, SessionPage, SessionSummary};
pub use notes::NO_AGENT;
pub use show::{SessionLine, SessionView};
