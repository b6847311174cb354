//! Lines of the log: caught as they are written, held in memory, and sent.

mod catch;
mod fields;
mod queue;
mod send;

pub use catch::LogLayer;
pub use queue::LogQueue;
pub(crate) use send::LogCourier;
