//! Tool permissions: one decision for offering a tool and for running it.

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
