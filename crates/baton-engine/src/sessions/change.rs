//! Changes a session: title, settings and items.

use super::{SessionError, SessionRef};
use crate::Engine;
use baton_rules::{InvalidSetting, SessionRecord, check_mode_setting, check_settings, check_title};
use baton_types::{ItemName, Principal, SessionEvent, SessionOverrides};
use std::sync::Arc;

/// Maximum length of a rule, reference or tool name, in bytes.
const MAX_NAME_LEN: usize = 256;

/// Maximum included and excluded items together.
const MAX_ITEMS: usize = 10_000;

/// One change of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionChange {
    /// Set the title, or remove it.
    Rename(Option<String>),
    /// Replace the settings that differ from the agent's.
    Settings(SessionOverrides),
    /// Include an item in every request from now on.
    Include(ItemName),
    /// Exclude an item from requests, regardless of its definition.
    Exclude(ItemName),
}

impl Engine {
    /// Applies changes; settings take effect with the next run. Changes without effect are skipped.
    pub async fn change_session(
        &self,
        principal: &Arc<Principal>,
        reference: &SessionRef,
        changes: Vec<SessionChange>,
    ) -> Result<Option<SessionRecord>, SessionError> {
        let conversation = self.inner.conversation(principal, reference).await?;
        let mut events = Vec::with_capacity(changes.len());
        for change in changes {
            if let SessionChange::Settings(settings) = &change
                && let Some(spec) = self.inner.ports.agents.agent(&conversation.agent)
            {
                check_mode_setting(&spec, settings)?;
            }
            events.push(to_event(change)?);
        }
        let decide = |record: Option<&SessionRecord>| {
            let effective = events.iter().filter(|event| !is_unchanged(record, event));
            effective.cloned().collect::<Vec<_>>()
        };
        let record = self.inner.session_record(principal, &conversation.agent, &conversation.context).await?;
        let items = record.as_ref().map_or(0, |record| record.included.len() + record.excluded.len());
        if items + events.len() > MAX_ITEMS {
            return Err(SessionError::TooLarge { limit: MAX_ITEMS, of: "included and excluded items" });
        }
        Ok(self.inner.update_session(principal, &conversation.agent, &conversation.context, decide).await?)
    }
}

fn to_event(change: SessionChange) -> Result<SessionEvent, SessionError> {
    Ok(match change {
        SessionChange::Rename(title) => SessionEvent::Renamed { title: check_title(title.as_deref())? },
        SessionChange::Settings(settings) => {
            check_settings(&settings)?;
            SessionEvent::SettingsChanged { settings }
        }
        SessionChange::Include(item) => SessionEvent::Included { item: check_name(item)? },
        SessionChange::Exclude(item) => SessionEvent::Excluded { item: check_name(item)? },
    })
}

fn check_name(item: ItemName) -> Result<ItemName, SessionError> {
    if item.name.is_empty() || item.name.len() > MAX_NAME_LEN || item.name.chars().any(char::is_control) {
        let detail = format!("must have 1 to {MAX_NAME_LEN} bytes, and no control characters");
        return Err(InvalidSetting { setting: "name", detail }.into());
    }
    Ok(item)
}

/// Whether the record already has this state.
fn is_unchanged(record: Option<&SessionRecord>, event: &SessionEvent) -> bool {
    match event {
        SessionEvent::Opened { .. } => record.is_some(),
        SessionEvent::Renamed { title } => record.and_then(|record| record.title.as_ref()) == title.as_ref(),
        SessionEvent::SettingsChanged { settings } => match record {
            Some(record) => record.settings == *settings,
            None => settings.is_empty(),
        },
        SessionEvent::NoteAdded { key, value } => record.and_then(|record| record.notes.get(key)) == value.as_ref(),
        SessionEvent::Included { item } => record.is_some_and(|record| record.included.contains(item)),
        SessionEvent::Excluded { item } => record.is_some_and(|record| record.excluded.contains(item)),
    }
}
