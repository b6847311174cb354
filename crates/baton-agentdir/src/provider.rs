//! Model providers and agent variables.
//!
//! Values may be secrets, so no message repeats one.

mod read;
mod variables;

pub use read::{PROVIDER_TIMEOUTS, read_all, read_lenient};
pub use variables::{VARIABLES_FILE, variables};
