//! Definitions as they are kept, for those who read and replace them as a whole.

use super::{
    DirectoryAgents, Shelf,
    book::{Room, unwritable},
    home::{Home, Origin},
};
use crate::storage::Saved;
use baton_agentdir::{Diagnostic, EditError};
use baton_ports::{AgentBookError, AgentFiles, AgentPlace, AgentShelf, BoxFuture, Keeping, KeptAgent};
use baton_types::{AgentName, Digest, ErrorCode};
use std::collections::BTreeMap;

impl AgentShelf for DirectoryAgents {
    fn kept<'a>(&'a self, agent: &'a AgentName) -> BoxFuture<'a, Result<KeptAgent, AgentBookError>> {
        let agent = agent.clone();
        self.apart(move |shelf| shelf.kept(&agent))
    }

    fn replace<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: &'a Digest,
        changes: BTreeMap<String, Option<Vec<u8>>>,
    ) -> BoxFuture<'a, Result<KeptAgent, AgentBookError>> {
        let (agent, expected) = (agent.clone(), expected.clone());
        self.apart(move |shelf| {
            let home = shelf.home(&agent)?;
            let saved = home.save(&expected, &changes).map_err(|error| unwritable(home.shown(), &error))?;
            // Also when nothing was written: what is served may be older than the files.
            shelf.reload();
            if saved == Saved::Not {
                return Err(outdated(&agent));
            }
            shelf.kept(&agent)
        })
    }

    fn make<'a>(&'a self, files: AgentFiles, keeping: Keeping) -> BoxFuture<'a, Result<KeptAgent, AgentBookError>> {
        self.apart(move |shelf| {
            let name = shelf.create(&files, &shelf.room(keeping)?)?;
            shelf.kept(&name)
        })
    }

    fn discard<'a>(
        &'a self,
        agent: &'a AgentName,
        expected: Option<&'a Digest>,
    ) -> BoxFuture<'a, Result<AgentPlace, AgentBookError>> {
        let (agent, expected) = (agent.clone(), expected.cloned());
        self.apart(move |shelf| shelf.discard(&agent, expected.as_ref()))
    }
}

impl Shelf {
    fn kept(&self, agent: &AgentName) -> Result<KeptAgent, AgentBookError> {
        let home = self.home(agent)?;
        let (content, _) = home.content();
        if content.diagnostics.iter().any(Diagnostic::is_error) {
            return Err(home.refused(&EditError::Invalid(content.diagnostics)));
        }
        let place = home.place();
        Ok(KeptAgent { name: agent.clone(), files: content.files, digest: content.digest, place })
    }

    /// Takes an agent's files away, if they are still those of the digest.
    pub(super) fn discard(&self, agent: &AgentName, expected: Option<&Digest>) -> Result<AgentPlace, AgentBookError> {
        let home = self.home(agent)?;
        if expected.is_some_and(|expected| home.content().0.digest != *expected) {
            return Err(outdated(agent));
        }
        home.remove().map_err(|error| unwritable(home.shown(), &error))?;
        self.reload();
        Ok(home.place())
    }

    /// Where a new agent is kept.
    fn room(&self, keeping: Keeping) -> Result<Room, AgentBookError> {
        let made = || {
            self.origins.iter().find_map(|origin| match origin {
                Origin::Folder(folder) => Some(Room::Folder(folder.clone())),
                Origin::Path(_) | Origin::Kept(_) => None,
            })
        };
        match keeping {
            Keeping::Usual => made().map_or_else(|| self.storage().or_else(|_| self.folder()), Ok),
            Keeping::Passing => self.storage(),
            Keeping::Lasting => made().map_or_else(|| self.folder(), Ok),
        }
    }
}

impl Home {
    fn place(&self) -> AgentPlace {
        match self {
            Self::Disk(found) => {
                let shown = found.shown.strip_prefix(".").unwrap_or(&found.shown);
                let shown = if shown.as_os_str().is_empty() { &found.shown } else { shown };
                AgentPlace::Disk(shown.display().to_string())
            }
            Self::Kept(kept) => kept.storage.place(&kept.key),
        }
    }
}

fn outdated(agent: &AgentName) -> AgentBookError {
    let detail = format!("the agent '{agent}' has been changed since it was read");
    AgentBookError { code: ErrorCode::AGENT_OUTDATED, detail }
}
