//! What subscribers of a task see.

use baton_ports::StoredEvent;
use baton_types::{MessageId, TaskView};
use std::sync::Arc;

/// One item of a subscription, in order.
#[derive(Clone, Debug)]
pub enum FeedItem {
    /// The task as of its `version`; always the first item.
    Task(Arc<TaskView>),
    /// The next journaled event.
    Event(Arc<StoredEvent>),
    /// The open text so far; replaces all deltas of the message seen before.
    OpenText {
        /// The message that the text will become.
        message: MessageId,
        /// Which try.
        attempt: u32,
        /// All of it.
        text: Arc<str>,
    },
    /// More of the open text.
    Delta {
        /// The message that the text will become.
        message: MessageId,
        /// Which try.
        attempt: u32,
        /// How many bytes came before; 0 begins anew and replaces what an earlier attempt said.
        offset: usize,
        /// The new piece.
        text: Arc<str>,
    },
}
