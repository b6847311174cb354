//! Sessions: their records and the commands on them.
//!
//! A session exists as soon as its context has a task. Its record (title, settings, imported history) is a separate
//! stream, created by the first change.

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
mod store;

pub use change::SessionChange;
pub use delete::{SessionDeletion, UnfinishedPolicy};
pub use error::SessionError;
pub use find::SessionRef;
pub use fork::ForkSession;
pub use import::{ImportSession, SessionImportResult};
pub use list::{ListSessions, SessionPage, SessionSummary};
pub use notes::NO_AGENT;
pub use show::{SessionLine, SessionView};
