//! Items of a task subscription.

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
    /// The open text so far; replaces all earlier deltas of the message.
    OpenText {
        /// The message that the text will become.
        message: MessageId,
        /// Attempt number.
        attempt: u32,
        /// Full text so far.
        text: Arc<str>,
    },
    /// Appended open text.
    Delta {
        /// The message that the text will become.
        message: MessageId,
        /// Attempt number.
        attempt: u32,
        /// Byte offset of the text; 0 starts over and replaces the text of an earlier attempt.
        offset: usize,
        /// Appended text.
        text: Arc<str>,
    },
}
