//! Model providers and agent variables.
//!
//! Values may be secrets, so no message repeats one.

mod read;
mod variables;

pub use read::{PROVIDER_TIMEOUT_LIMIT, read_all, read_lenient};
pub use variables::{VARIABLES_FILE, variables};
