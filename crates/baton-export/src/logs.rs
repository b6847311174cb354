//! Log export: captures log lines, queues them in memory and sends them.

mod catch;
mod fields;
mod queue;
mod send;

pub use catch::LogLayer;
pub use queue::LogQueue;
pub(crate) use send::LogExporter;
