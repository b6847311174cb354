//! CORS: no other origin may call unless it is listed.

mod layer;
mod origins;

pub(crate) use layer::layer;
pub use origins::{CorsError, CorsOrigins};
