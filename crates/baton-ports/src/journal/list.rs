//! Queries and result pages for streams and conversations.

use super::StreamHead;
use baton_types::{AgentName, ContextId, StreamId, TaskState, Timestamp};

/// Query for a page of streams, most recent status change first.
#[derive(Clone, Debug, Default)]
pub struct StreamQuery {
    /// The noun: `task`, `handoff` or `session`.
    pub noun: &'static str,
    /// Only streams of this agent.
    pub agent: Option<AgentName>,
    /// Only streams of this conversation.
    pub context: Option<ContextId>,
    /// Only streams in this state.
    pub state: Option<&'static str>,
    /// Only streams whose status changed at or after this time.
    pub status_after: Option<Timestamp>,
    /// Start after this row.
    pub after: Option<StreamCursor>,
    /// Maximum number of rows.
    pub limit: usize,
}

/// End of a page: rows are ordered by `(status_at, id)` descending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamCursor {
    /// Status time of the last row.
    pub status_at: Timestamp,
    /// Id of the last row.
    pub id: String,
}

/// One page of streams.
#[derive(Clone, Debug)]
pub struct StreamPage {
    /// The rows.
    pub heads: Vec<StreamHead>,
    /// Number of matching rows on all pages.
    pub total: u64,
    /// Cursor for the next page, if there is one.
    pub next: Option<StreamCursor>,
}

/// Query for a page of conversations, most recent activity first.
#[derive(Clone, Debug, Default)]
pub struct ConversationQuery {
    /// Only conversations with this agent.
    pub agent: Option<AgentName>,
    /// Only this conversation.
    pub context: Option<ContextId>,
    /// Start after this conversation.
    pub after: Option<ConversationCursor>,
    /// Maximum number of conversations.
    pub limit: usize,
}

/// End of a page: conversations are ordered by `(last_at, agent, context)` descending.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConversationCursor {
    /// Time of the last activity in the last conversation.
    pub last_at: Timestamp,
    /// Its agent.
    pub agent: AgentName,
    /// Its id.
    pub context: ContextId,
}

/// Summary of a principal's conversation with an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationSummary {
    /// The agent.
    pub agent: AgentName,
    /// Id of the conversation.
    pub context: ContextId,
    /// Number of tasks.
    pub tasks: u64,
    /// Number of unfinished tasks.
    pub unfinished: u64,
    /// Start time.
    pub began_at: Timestamp,
    /// Time of the last activity.
    pub last_at: Timestamp,
}

/// One page of conversations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConversationPage {
    /// The conversations.
    pub conversations: Vec<ConversationSummary>,
    /// Number of matching conversations on all pages.
    pub total: u64,
    /// Cursor for the next page, if there is one.
    pub next: Option<ConversationCursor>,
}

/// Outcome of the deletion of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeleteOutcome {
    /// All streams were deleted, this many; 0 if the conversation did not exist.
    Deleted(u64),
    /// Nothing was deleted, because this task has not ended.
    Unfinished(StreamId),
}

impl StreamQuery {
    /// All tasks, `limit` per page.
    pub fn tasks(limit: usize) -> Self {
        Self { noun: "task", limit, ..Self::default() }
    }

    /// Restricts the query to a task state.
    #[must_use]
    pub fn in_state(mut self, state: TaskState) -> Self {
        self.state = Some(state.as_str());
        self
    }
}
