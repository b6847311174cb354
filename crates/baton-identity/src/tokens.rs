//! Bearer tokens issued here.

mod registry;
mod token_format;

pub use registry::TokenRegistry;

pub(crate) use token_format::{PREFIX, constant_time_eq};
