//! Tool permissions: one decision for offering a tool and for running it.

mod arguments;
mod decide;
mod glob;
mod offer;
mod precedence;
mod server;

pub use decide::{PermissionContext, PermissionDecision, decide_permission};
pub use glob::glob_matches;
pub use offer::is_offered;
pub use server::ServerToolPermissions;
