//! Log export: captures log lines, queues them in memory and sends them.

mod fields;
mod layer;
mod queue;
mod send;

pub use layer::LogLayer;
pub use queue::LogQueue;
pub(crate) use send::LogExporter;
