//! Which tools an agent may see and use, and when somebody is asked: one decision for offering and for running.

mod arguments;
mod decide;
mod glob;
mod offer;
mod server;
mod word;

pub use decide::{Decision, Session, decide};
pub use glob::glob_matches;
pub use offer::offers;
pub use server::ToolWords;
