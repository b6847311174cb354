//! Folded state of a session.

use baton_types::{
    AgentName, AgentSpec, ContextId, ItemKind, ItemName, Json, Message, Part, Role, SessionEntry, SessionEvent,
    SessionOrigin, SessionOverrides, Timestamp,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// State of a session; folding the same events always gives the same value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRecord {
    /// Agent of the session.
    pub agent: AgentName,
    /// Conversation.
    pub context: ContextId,
    /// Title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Origin, if the session was forked or imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<SessionOrigin>,
    /// Messages before the first task of the conversation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<SessionEntry>,
    /// Settings that differ from those of the agent.
    #[serde(default)]
    pub settings: SessionOverrides,
    /// Explicitly included items, in order of inclusion.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub included: Vec<ItemName>,
    /// Excluded items, regardless of the definition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<ItemName>,
    /// Private data of surfaces, by key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<String, Json>,
    /// Number of the last event.
    pub version: u64,
    /// Creation time.
    pub opened_at: Timestamp,
    /// Time of the last change.
    pub changed_at: Timestamp,
}

/// Error for an event that is illegal in the current state; the state is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a session must start with exactly one opened event")]
pub struct IllegalSessionEvent;

impl SessionRecord {
    /// Creates the record from the first event.
    pub fn from_opened(at: Timestamp, event: &SessionEvent) -> Result<Self, IllegalSessionEvent> {
        let SessionEvent::Opened { agent, context, origin, history } = event else { return Err(IllegalSessionEvent) };
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

    /// Applies the next event; on error nothing has changed.
    pub fn apply(&mut self, at: Timestamp, event: &SessionEvent) -> Result<(), IllegalSessionEvent> {
        match event {
            SessionEvent::Opened { .. } => return Err(IllegalSessionEvent),
            SessionEvent::Renamed { title } => self.title.clone_from(title),
            SessionEvent::SettingsChanged { settings } => self.settings = settings.clone(),
            SessionEvent::NoteAdded { key, value } => {
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

    /// Folds stored events, starting with the first.
    pub fn fold<'a>(
        events: impl IntoIterator<Item = (Timestamp, &'a SessionEvent)>,
    ) -> Result<Self, IllegalSessionEvent> {
        let mut events = events.into_iter();
        let (at, first) = events.next().ok_or(IllegalSessionEvent)?;
        let mut record = Self::from_opened(at, first)?;
        for (at, event) in events {
            record.apply(at, event)?;
        }
        Ok(record)
    }

    /// Notice for people about an event: the model changed. Never sent to models.
    pub fn notice_for(&self, at: Timestamp, event: &SessionEvent) -> Option<SessionEntry> {
        let SessionEvent::SettingsChanged { settings } = event else { return None };
        // Settings of a forked or imported session are no change; their notices were copied with the history.
        let is_copied = self.origin.is_some() && at == self.opened_at;
        if is_copied || settings.model == self.settings.model {
            return None;
        }
        let text = match &settings.model {
            Some(model) => format!("The model is now {model}."),
            None => "The model is now the agent's default.".to_owned(),
        };
        let id = format!("notice-{}", self.version + 1).into();
        let message = Message::new(id, Role::Agent, vec![Part::text(text)]);
        Some(SessionEntry { notice: true, ..SessionEntry::new(at, message) })
    }

    /// Whether the item is explicitly included.
    pub fn includes(&self, kind: ItemKind, name: &str) -> bool {
        self.included.iter().any(|item| item.kind == kind && item.name == name)
    }

    /// Whether the item is excluded.
    pub fn excludes(&self, kind: ItemKind, name: &str) -> bool {
        self.excluded.iter().any(|item| item.kind == kind && item.name == name)
    }
}

/// Definition with the overrides of a session applied; a run is pinned to it.
pub fn apply_overrides(spec: &AgentSpec, settings: &SessionOverrides) -> AgentSpec {
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
