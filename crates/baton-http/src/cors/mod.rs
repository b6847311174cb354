//! Web pages of other origins that may call: none, unless they are listed.

mod layer;
mod origins;

pub(crate) use layer::layer;
pub use origins::{CorsError, CorsOrigins};
