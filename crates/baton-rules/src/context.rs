//! What the model is given for a request beside the conversation: rules, references and tools, and why each is there.

mod items;
mod mentions;
mod request;

pub use items::{SessionItem, candidates, session_items};
pub use mentions::{Mention, mentions, without_mentions};
pub use request::{REQUEST_MEMBER, RelevantItem, request_context, shown};
