//! Chat completions: the older dialect, mapped to the same requests and responses.

mod chunks;
mod completion;
mod request;
mod resumption;
mod text;
mod unsupported;

pub use chunks::{ChunkEncoder, CompletionChunk};
pub use completion::{Completion, CompletionChoice, CompletionMessage, CompletionToolCall, CompletionUsage};
pub use request::CreateChatCompletion;
pub use resumption::{ChatApprovalDecision, ChatResumption};
pub use text::{TextChunkEncoder, TextCompletion};
