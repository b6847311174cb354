//! Tool permissions: one decision for offering a tool and for running it.

mod arguments;
mod authorize;
mod decide;
mod glob;
mod offer;
mod precedence;
mod server;

pub use authorize::{CallAuthorization, authorize_call};
pub use decide::PermissionContext;
pub use glob::glob_matches;
pub use offer::{is_callable, is_offered};
pub use server::ServerToolPermissions;
