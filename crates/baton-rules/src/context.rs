//! Model context of a request in addition to the conversation: rules, references and tools, each with the reason for
//! its inclusion.

mod items;
mod mentions;
mod request;

pub use items::{SessionItem, relevance_candidates, session_items};
pub use mentions::{Mention, mentions, without_mentions};
pub use request::{REQUEST_MEMBER, RelevantItem, request_context, request_context_json};
