//! The OpenAI-compatible dialects, Responses and chat completions, as mappings to and from the nouns of `baton-types`.
//!
//! This crate must never do I/O, read a clock, draw a random number or decide about a task: it maps requests to
//! messages and run options, and task events to response objects and stream events.
//!
//! Read first: [`CreateResponse`] (a parsed request), [`ResponseProjector`] (turns task events into a stream and a
//! [`Response`]), [`RequestRecord`] (the request data stored with a turn), [`OpenAiError`] (an error in the wire
//! format).

mod caller_servers;
pub mod chat;
mod compact;
mod create;
mod event;
mod fields;
pub mod fold;
mod input;
mod item;
mod item_id;
mod objects;
mod parts;
mod projector;
mod refusal;
mod request_record;
mod response;
mod response_id;
mod run_failure;
mod tools;

pub use caller_servers::{McpApprovalPolicy, McpToolRequest};
pub use compact::{CompactRequest, CompactionError, open_compaction, seal_compaction};
pub use create::CreateResponse;
pub use event::{StreamEvent, StreamEventBody};
pub use input::{CurrentInput, HistoryEntry, McpApprovalAnswer, ParsedInput, read_items};
pub use item::{ContentPart, ItemStatus, ListedTool, OutputItem, SummaryPart};
pub use item_id::task_of_item;
pub use objects::{
    CompactionObject, ConversationObject, DeletedObject, InputTokenCount, ItemOrder, ItemPage, ModelObject, ObjectList,
    page_items,
};
pub use projector::ResponseProjector;
pub use refusal::{ErrorObject, OpenAiError};
pub use request_record::RequestRecord;
pub use response::{IncompleteDetails, Response, ResponseError, ResponseStatus, ResponseUsage};
pub use response_id::ResponseId;
pub use run_failure::RunFailure;
