//! The transports.

mod expand;
mod stdio;

pub use expand::expand;
pub use stdio::StdioConnect;
