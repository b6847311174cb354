//! Writes tool permissions into agent files.

use super::{
    AgentCatalog, DirectoryAgents,
    editor::{retry_on_conflict, unwritable},
};
use crate::storage::SaveOutcome;
use baton_agentdir::{EditError, PermissionEdit, edit};
use baton_document::Diagnostic;
use baton_ports::{AgentRepositoryError, BoxFuture, PermissionEditError, PermissionEditor, PermissionUpdate};
use baton_types::{AgentName, PermissionChange};
use std::{collections::BTreeMap, sync::Arc};

impl PermissionEditor for DirectoryAgents {
    fn change<'a>(
        &'a self,
        agent: &'a AgentName,
        change: PermissionChange,
    ) -> BoxFuture<'a, Result<PermissionUpdate, PermissionEditError>> {
        Box::pin(async move {
            let name = agent.clone();
            let changed =
                retry_on_conflict(&self.catalog, agent, Arc::new(move |catalog| catalog.change(&name, &change))).await;
            changed.map_err(|AgentRepositoryError { code, detail }| PermissionEditError { code, detail })
        })
    }
}

impl AgentCatalog {
    /// One attempt; `None` after a concurrent write.
    fn change(
        &self,
        agent: &AgentName,
        change: &PermissionChange,
    ) -> Result<Option<PermissionUpdate>, AgentRepositoryError> {
        let home = self.home(agent)?;
        let (content, _) = home.content();
        let edited = match content.diagnostics.iter().any(Diagnostic::is_error) {
            true => Err(EditError::Invalid(content.diagnostics)),
            false => edit(&content.files, home.base().unwrap_or_default(), change),
        };
        let PermissionEdit { file, text, before, after } = edited.map_err(|error| home.refused(&error))?;
        let shown = home.shown_file(&file);
        let is_written = content.files.get(&file).map(Vec::as_slice) != Some(text.as_bytes());
        if is_written {
            let changes = BTreeMap::from([(file, Some(text.into_bytes()))]);
            let saved = home.save(&content.digest, &changes);
            if saved.map_err(|error| unwritable(&shown, &error))? == SaveOutcome::Conflict {
                return Ok(None);
            }
        }
        // Reload even if nothing was written: the served definition may be older than the file.
        self.reload();
        Ok(Some(PermissionUpdate { file: shown.display().to_string(), is_written, before, after }))
    }
}
