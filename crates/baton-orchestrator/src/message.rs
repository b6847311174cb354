//! Messages to agents.

use baton_system::TimeOrderedIds;
use baton_types::{IdGenerator as _, Message, Part, Role};

/// A user message.
pub(crate) fn message(parts: Vec<Part>) -> Message {
    Message::new(TimeOrderedIds.next_id().into(), Role::User, parts)
}
