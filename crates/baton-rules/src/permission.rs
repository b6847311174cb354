//! Tool permissions: one decision for offering a tool and for running it.

mod arguments;
mod authorize;
mod decide;
mod offer;
mod precedence;

pub use authorize::{CallAuthorization, authorize_call};
pub use decide::PermissionContext;
pub use offer::{is_callable, is_offered};
