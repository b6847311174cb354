//! Chat completions: the older dialect, as another form of the same requests and responses.

mod chunks;
mod completion;
mod request;

pub use chunks::{Chunk, Chunks};
pub use completion::{Choice, Completion, CompletionUsage, Reply, ToolCallOut};
pub use request::ChatCreate;
