//! The folded state of a session.

use baton_types::{
    AgentName, AgentSpec, ContextId, ItemKind, ItemName, Json, Message, Part, Role, SessionEntry, SessionEvent,
    SessionOrigin, SessionOverrides, Timestamp,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything that was said about a conversation as a whole; folding the same events always gives the same value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRecord {
    /// With whom.
    pub agent: AgentName,
    /// The conversation.
    pub context: ContextId,
    /// What people call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where it was taken from, when it did not begin here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<SessionOrigin>,
    /// What was said before the first task of the conversation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<SessionEntry>,
    /// Settings that differ from the agent's.
    #[serde(default)]
    pub settings: SessionOverrides,
    /// What somebody named, in the order of naming.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub included: Vec<ItemName>,
    /// What is left out, whatever the definition says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<ItemName>,
    /// What surfaces keep with it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<String, Json>,
    /// The number of the last event.
    pub version: u64,
    /// When it was put on record.
    pub opened_at: Timestamp,
    /// When something was last said about it.
    pub changed_at: Timestamp,
}

/// An event that cannot follow the state it meets; the state is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a session begins with being opened, once")]
pub struct IllegalSession;

impl SessionRecord {
    /// The record that the first event makes.
    pub fn opened(at: Timestamp, event: &SessionEvent) -> Result<Self, IllegalSession> {
        let SessionEvent::Opened { agent, context, origin, history } = event else { return Err(IllegalSession) };
        Ok(Self {
            agent: agent.clone(),
            context: context.clone(),
            title: None,
            origin: origin.clone(),
            history: history.clone(),
            settings: SessionOverrides::default(),
            included: Vec::new(),
            excluded: Vec::new(),
            notes: BTreeMap::new(),
            version: 1,
            opened_at: at,
            changed_at: at,
        })
    }

    /// Takes the next event; on error nothing has changed.
    pub fn apply(&mut self, at: Timestamp, event: &SessionEvent) -> Result<(), IllegalSession> {
        match event {
            SessionEvent::Opened { .. } => return Err(IllegalSession),
            SessionEvent::Renamed { title } => self.title.clone_from(title),
            SessionEvent::SettingsChanged { settings } => self.settings = settings.clone(),
            SessionEvent::Noted { key, value } => {
                match value {
                    Some(value) => self.notes.insert(key.clone(), value.clone()),
                    None => self.notes.remove(key),
                };
            }
            SessionEvent::Included { item } => {
                self.excluded.retain(|other| other != item);
                if !self.included.contains(item) {
                    self.included.push(item.clone());
                }
            }
            SessionEvent::Excluded { item } => {
                self.included.retain(|other| other != item);
                if !self.excluded.contains(item) {
                    self.excluded.push(item.clone());
                }
            }
        }
        self.version += 1;
        self.changed_at = at;
        Ok(())
    }

    /// The record that stored events amount to, from the first one.
    pub fn fold<'a>(events: impl IntoIterator<Item = (Timestamp, &'a SessionEvent)>) -> Result<Self, IllegalSession> {
        let mut events = events.into_iter();
        let (at, first) = events.next().ok_or(IllegalSession)?;
        let mut record = Self::opened(at, first)?;
        for (at, event) in events {
            record.apply(at, event)?;
        }
        Ok(record)
    }

    /// What people are told of an event that follows: that the model is another one. Models are not given it.
    pub fn notice_of(&self, at: Timestamp, event: &SessionEvent) -> Option<SessionEntry> {
        let SessionEvent::SettingsChanged { settings } = event else { return None };
        // Settings that came with what was taken over are no change; the notices about them came along.
        let taken_over = self.origin.is_some() && at == self.opened_at;
        if taken_over || settings.model == self.settings.model {
            return None;
        }
        let words = match &settings.model {
            Some(model) => format!("From here on the model is {model}."),
            None => "From here on the model is the agent's own.".to_owned(),
        };
        let id = format!("notice-{}", self.version + 1).into();
        let message = Message::new(id, Role::Agent, vec![Part::text(words)]);
        Some(SessionEntry { notice: true, ..SessionEntry::new(at, message) })
    }

    /// Whether somebody named it.
    pub fn includes(&self, kind: ItemKind, name: &str) -> bool {
        self.included.iter().any(|item| item.kind == kind && item.name == name)
    }

    /// Whether it is left out.
    pub fn excludes(&self, kind: ItemKind, name: &str) -> bool {
        self.excluded.iter().any(|item| item.kind == kind && item.name == name)
    }
}

/// The definition as it holds in a session that has settings of its own: what a run pins.
pub fn in_session(spec: &AgentSpec, settings: &SessionOverrides) -> AgentSpec {
    let mut spec = spec.clone();
    let SessionOverrides {
        model,
        max_turns,
        max_output_tokens,
        temperature,
        top_p,
        tool_permission,
        autonomous,
        context_top_k,
        context_top_n,
        context_include_score,
    } = settings;
    if model.is_some() {
        spec.writing.model.clone_from(model);
    }
    spec.limits.max_turns = max_turns.unwrap_or(spec.limits.max_turns);
    spec.writing.max_output_tokens = max_output_tokens.or(spec.writing.max_output_tokens);
    spec.writing.temperature = temperature.or(spec.writing.temperature);
    spec.writing.top_p = top_p.or(spec.writing.top_p);
    spec.policy.ask = tool_permission.unwrap_or(spec.policy.ask);
    spec.autonomous |= autonomous.unwrap_or(false);
    let relevance = &mut spec.knowledge.relevance;
    relevance.top_k = context_top_k.unwrap_or(relevance.top_k);
    relevance.top_n = context_top_n.unwrap_or(relevance.top_n);
    relevance.include_score = context_include_score.unwrap_or(relevance.include_score);
    spec
}
