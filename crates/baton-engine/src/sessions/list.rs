//! Paged list of sessions.

use super::{NO_AGENT, SessionError};
use crate::{Engine, engine::EngineInner};
use baton_ports::{ConversationCursor, ConversationPage, ConversationQuery, ConversationSummary, StreamQuery};
use baton_rules::{SessionRecord, TaskRecord};
use baton_types::{AgentName, Message, Principal, SessionOrigin, TaskView};
use std::sync::Arc;

/// Filter and page of a session list.
#[derive(Clone, Debug, Default)]
pub struct ListSessions {
    /// Only sessions with this agent.
    pub agent: Option<AgentName>,
    /// Start after this cursor.
    pub after: Option<ConversationCursor>,
    /// Maximum sessions per page.
    pub limit: usize,
}

/// One page of sessions, most recently active first.
#[derive(Clone, Debug)]
pub struct SessionPage {
    /// Sessions of the page.
    pub sessions: Vec<SessionSummary>,
    /// Total number of matches.
    pub total: u64,
    /// Cursor of the next page, if there is one.
    pub next: Option<ConversationCursor>,
}

/// One session of a list.
#[derive(Clone, Debug)]
pub struct SessionSummary {
    /// The stored conversation.
    pub conversation: ConversationSummary,
    /// Title.
    pub title: Option<String>,
    /// Origin, if the session was forked or imported.
    pub origin: Option<SessionOrigin>,
    /// Last message with text.
    pub last_message: Option<Message>,
}

impl Engine {
    /// Lists sessions of the caller.
    pub async fn sessions(
        &self,
        principal: &Arc<Principal>,
        query: &ListSessions,
    ) -> Result<SessionPage, SessionError> {
        let ListSessions { agent, after, limit } = query.clone();
        let query = ConversationQuery { agent, context: None, after, limit };
        let ConversationPage { conversations, total, next } =
            self.inner.journal().conversations(principal, &query).await?;
        let mut sessions = Vec::with_capacity(conversations.len());
        // Internal data of surfaces is not a session.
        for conversation in conversations.into_iter().filter(|conversation| conversation.agent.as_str() != NO_AGENT) {
            let ConversationSummary { agent, context, .. } = &conversation;
            let record = match self.inner.session_record(principal, agent, context).await {
                Err(error) if error.is_damage() => {
                    tracing::warn!(code = error.code().code, %context, %error, "a session is listed without its record");
                    None
                }
                record => record?,
            };
            let last_message = self.inner.last_message(principal, &conversation, record.as_ref()).await?;
            let (title, origin) = record.map(|record| (record.title, record.origin)).unwrap_or_default();
            sessions.push(SessionSummary { conversation, title, origin, last_message });
        }
        Ok(SessionPage { sessions, total, next })
    }
}

impl EngineInner {
    /// Last message of the most recently changed task, or of the imported history.
    async fn last_message(
        &self,
        principal: &Principal,
        conversation: &ConversationSummary,
        record: Option<&SessionRecord>,
    ) -> Result<Option<Message>, SessionError> {
        let (agent, context) = (Some(conversation.agent.clone()), Some(conversation.context.clone()));
        let query = StreamQuery { agent, context, ..StreamQuery::tasks(1) };
        if let Some(head) = self.journal().list(principal, &query).await?.heads.pop()
            && let Some(task) = self.load_listed(principal, &head).await?
        {
            return Ok(last_text_message(&task));
        }
        let entry = record.iter().flat_map(|record| record.history.iter().rev()).find(|entry| !entry.notice);
        Ok(entry.map(|entry| entry.message.clone()))
    }
}

/// Skips messages that contain only calls or results.
fn last_text_message(task: &TaskRecord) -> Option<Message> {
    let TaskView { history, status_message, .. } = task.view();
    let last = history.into_iter().rev().find(|message| !message.text().is_empty());
    status_message.filter(|message| !message.text().is_empty()).or(last)
}
