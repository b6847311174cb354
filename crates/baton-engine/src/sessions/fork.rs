//! Forks a session.

use super::{SessionError, SessionLine, SessionRef, open::NewSession};
use crate::{Engine, engine::EngineInner};
use baton_ports::ConversationSummary;
use baton_rules::repair_transcript;
use baton_types::{ContextId, Principal, SessionEntry, SessionOrigin, StreamId, TaskId, TaskView};
use std::sync::Arc;

/// Fork request.
#[derive(Clone, Debug)]
pub struct ForkSession {
    /// The session to fork.
    pub session: SessionRef,
    /// The task and its last event to include; everything if omitted.
    pub at: Option<(TaskId, u64)>,
    /// Context id of the fork; generated if omitted.
    pub context: Option<ContextId>,
}

impl Engine {
    /// Starts a session with the same agent and the history up to that point. Both continue independently; calls
    /// without results at that point are omitted.
    pub async fn fork_session(
        &self,
        principal: &Arc<Principal>,
        fork: ForkSession,
    ) -> Result<ConversationSummary, SessionError> {
        let ForkSession { session, at, context } = fork;
        let conversation = self.inner.conversation(principal, &session).await?;
        let moment = match &at {
            Some(position) => Some(self.inner.event_sequence(principal, &conversation, position).await?),
            None => None,
        };
        let view = self.inner.view(principal, conversation, moment).await?;
        let (history, _) = repair_transcript(view.lines.into_iter().map(|SessionLine { entry, .. }| entry).collect());
        let (title, settings, included, excluded) = view
            .record
            .map(|record| (record.title, record.settings, record.included, record.excluded))
            .unwrap_or_default();
        let ConversationSummary { agent, context: from, .. } = view.conversation;
        let origin = SessionOrigin::Fork { context: from, at };
        let new = NewSession { agent, context, origin, title, settings, included, excluded, history };
        self.inner.open_session(principal, new).await
    }
}

impl Engine {
    /// The history of a task's context up to one of its events, for a message that continues from there in a new
    /// context. Calls without results are at the end.
    pub async fn history_until(
        &self,
        principal: &Arc<Principal>,
        task: &TaskView,
        event: u64,
    ) -> Result<Vec<SessionEntry>, SessionError> {
        let session = SessionRef { context: task.context.clone(), agent: Some(task.agent.clone()) };
        let conversation = self.inner.conversation(principal, &session).await?;
        let moment = self.inner.event_sequence(principal, &conversation, &(task.id.clone(), event)).await?;
        let view = self.inner.view(principal, conversation, Some(moment)).await?;
        let entries = view.lines.into_iter().map(|SessionLine { entry, .. }| entry);
        Ok(entries.filter(|entry| !entry.notice).collect())
    }
}

impl EngineInner {
    /// Journal sequence of an event of a task in this conversation.
    async fn event_sequence(
        &self,
        principal: &Principal,
        conversation: &ConversationSummary,
        (task, event): &(TaskId, u64),
    ) -> Result<u64, SessionError> {
        let missing =
            || SessionError::NoSuchEvent { context: conversation.context.clone(), task: task.clone(), event: *event };
        let stream = StreamId::Task(task.clone());
        let head = self.journal().load(Some(principal), &stream).await?.ok_or_else(missing)?.head;
        let before = event.checked_sub(1).ok_or_else(missing)?;
        if head.agent != conversation.agent || head.context != conversation.context {
            return Err(missing());
        }
        let found = self.journal().events(&stream, before, 1).await?;
        let stored = found.first().filter(|stored| stored.number == *event).ok_or_else(missing)?;
        Ok(stored.seq)
    }
}
