//! placeholder
mod surfaces;

pub use surfaces::{SurfaceOptions, app, surface};
