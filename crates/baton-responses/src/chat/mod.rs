//! Chat completions: the older dialect, mapped to the same requests and responses.

mod chunks;
mod completion;
mod request;
mod resumption;
mod text;
mod unsupported;

pub use chunks::{Chunk, Chunks};
pub use completion::{Choice, Completion, CompletionUsage, Reply, ToolCallOut};
pub use request::ChatCreate;
pub use resumption::{Decision, Resumption};
pub use text::{TextChunks, TextCompletion};
