//! Reads and replaces stored definitions as a whole.

use super::{
    DirectoryAgents, Shelf,
    book::{Room, unwritable},
    home::{Home, Origin},
};
use crate::storage::Saved;
use baton_agentdir::{Diagnostic, EditError};
use baton_ports::{
    AgentFiles, AgentLocation, AgentPersistence, AgentRepository, AgentRepositoryError, BoxFuture, StoredAgent,
};
use baton_types::{AgentName, Digest, ErrorCode};
use std::collections::BTreeMap;

impl AgentRepository for DirectoryAgents {
    fn stored_agent<'a>(&'a self, agent: &'a AgentName) -> BoxFuture<'a, Result<StoredAgent, AgentRepositoryError>> {
        let agent = agent.clone();
        self.apart(move |shelf| shelf.kept(&agent))
    }

    fn replace<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: &'a Digest,
        changes: BTreeMap<String, Option<Vec<u8>>>,
    ) -> BoxFuture<'a, Result<StoredAgent, AgentRepositoryError>> {
        let (agent, expected) = (agent.clone(), expected.clone());
        self.apart(move |shelf| {
            let home = shelf.home(&agent)?;
            let saved = home.save(&expected, &changes).map_err(|error| unwritable(home.shown(), &error))?;
            // Reload even if nothing was written: the served definition may be older than the files.
            shelf.reload();
            if saved == Saved::Not {
                return Err(outdated(&agent));
            }
            shelf.kept(&agent)
        })
    }

    fn create_agent<'a>(
        &'a self,
        files: AgentFiles,
        keeping: AgentPersistence,
    ) -> BoxFuture<'a, Result<StoredAgent, AgentRepositoryError>> {
        self.apart(move |shelf| {
            let name = shelf.create(&files, &shelf.room(keeping)?)?;
            shelf.kept(&name)
        })
    }

    fn delete_agent<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: Option<&'a Digest>,
    ) -> BoxFuture<'a, Result<AgentLocation, AgentRepositoryError>> {
        let (agent, expected) = (agent.clone(), expected.cloned());
        self.apart(move |shelf| shelf.discard(&agent, expected.as_ref()))
    }
}

impl Shelf {
    fn kept(&self, agent: &AgentName) -> Result<StoredAgent, AgentRepositoryError> {
        let home = self.home(agent)?;
        let (content, _) = home.content();
        if content.diagnostics.iter().any(Diagnostic::is_error) {
            return Err(home.refused(&EditError::Invalid(content.diagnostics)));
        }
        let place = home.place();
        Ok(StoredAgent { name: agent.clone(), files: content.files, digest: content.digest, location: place })
    }

    /// Deletes an agent's files, if they still match the digest.
    pub(super) fn discard(
        &self,
        agent: &AgentName,
        expected: Option<&Digest>,
    ) -> Result<AgentLocation, AgentRepositoryError> {
        let home = self.home(agent)?;
        if expected.is_some_and(|expected| home.content().0.digest != *expected) {
            return Err(outdated(agent));
        }
        home.remove().map_err(|error| unwritable(home.shown(), &error))?;
        self.reload();
        Ok(home.place())
    }

    /// Selects the destination of a new agent.
    fn room(&self, keeping: AgentPersistence) -> Result<Room, AgentRepositoryError> {
        let made = || {
            self.origins.iter().find_map(|origin| match origin {
                Origin::Folder(folder) => Some(Room::Folder(folder.clone())),
                Origin::Path(_) | Origin::Kept(_) => None,
            })
        };
        match keeping {
            AgentPersistence::Default => made().map_or_else(|| self.storage().or_else(|_| self.folder()), Ok),
            AgentPersistence::Temporary => self.storage(),
            AgentPersistence::Durable => made().map_or_else(|| self.folder(), Ok),
        }
    }
}

impl Home {
    fn place(&self) -> AgentLocation {
        match self {
            Self::Disk(found) => {
                let shown = found.shown.strip_prefix(".").unwrap_or(&found.shown);
                let shown = if shown.as_os_str().is_empty() { &found.shown } else { shown };
                AgentLocation::Disk(shown.display().to_string())
            }
            Self::Kept(kept) => kept.storage.location(&kept.key),
        }
    }
}

fn outdated(agent: &AgentName) -> AgentRepositoryError {
    let detail = format!("the agent '{agent}' has been changed since it was read");
    AgentRepositoryError { code: ErrorCode::AGENT_OUTDATED, detail }
}
