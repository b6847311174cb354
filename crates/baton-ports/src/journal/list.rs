//! What is asked for when streams or conversations are listed, and what is told.

use super::Head;
use baton_types::{AgentName, ContextId, StreamId, TaskState, Timestamp};

/// A page of streams, newest status first.
#[derive(Clone, Debug, Default)]
pub struct ListQuery {
    /// The noun: `task`, `handoff` or `session`.
    pub noun: &'static str,
    /// Only this agent's.
    pub agent: Option<AgentName>,
    /// Only this conversation's.
    pub context: Option<ContextId>,
    /// Only in this state.
    pub state: Option<&'static str>,
    /// Only those whose status changed at or after this moment.
    pub status_after: Option<Timestamp>,
    /// Start after this one.
    pub after: Option<PageCursor>,
    /// Most rows.
    pub limit: usize,
}

/// Where a page ended: rows are ordered by `(status_at, id)` descending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageCursor {
    /// Status moment of the last row.
    pub status_at: Timestamp,
    /// Id of the last row.
    pub id: String,
}

/// One page.
#[derive(Clone, Debug)]
pub struct ListPage {
    /// The rows.
    pub heads: Vec<Head>,
    /// How many rows match without paging.
    pub total: u64,
    /// Where the next page starts, if there is one.
    pub next: Option<PageCursor>,
}

/// A page of conversations, those in which something happened last first.
#[derive(Clone, Debug, Default)]
pub struct ConversationQuery {
    /// Only with this agent.
    pub agent: Option<AgentName>,
    /// Only of this name.
    pub context: Option<ContextId>,
    /// Start after this one.
    pub after: Option<ConversationCursor>,
    /// Most conversations.
    pub limit: usize,
}

/// Where a page ended: conversations are ordered by `(last_at, agent, context)` descending.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConversationCursor {
    /// When something last happened in the last one.
    pub last_at: Timestamp,
    /// Its agent.
    pub agent: AgentName,
    /// Its name.
    pub context: ContextId,
}

/// What is on record of somebody's conversation with an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    /// With whom.
    pub agent: AgentName,
    /// Its name.
    pub context: ContextId,
    /// How many tasks it has.
    pub tasks: u64,
    /// How many of them have not ended.
    pub unfinished: u64,
    /// When it began.
    pub began_at: Timestamp,
    /// When something last happened.
    pub last_at: Timestamp,
}

/// One page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConversationPage {
    /// The conversations.
    pub conversations: Vec<Conversation>,
    /// How many match without paging.
    pub total: u64,
    /// Where the next page starts, if there is one.
    pub next: Option<ConversationCursor>,
}

/// What became of the wish to forget a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Forgotten {
    /// So many streams went, all that there were; none when there was no such conversation.
    Streams(u64),
    /// Nothing went, because this task has not ended.
    Unfinished(StreamId),
}

impl ListQuery {
    /// All tasks, `limit` a page.
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
