//! Tool permissions: one decision for offering a tool and for running it.

mod arguments;
mod decide;
mod offer;
mod precedence;

pub use decide::{PermissionContext, PermissionDecision, decide_permission};
pub use offer::is_offered;
