//! Bearer tokens issued here.

mod form;
mod registry;

pub use registry::TokenRegistry;

pub(crate) use form::{PREFIX, constant_time_eq};
