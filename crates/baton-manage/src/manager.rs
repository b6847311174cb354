//! What can be done with definitions.

use crate::{Definition, ManageError, Who, clone, compose, definition::read, edit_refused, guard, wrong};
use baton_agentdir::amend;
use baton_ports::{AgentFiles, AgentPlace, AgentShelf, Keeping};
use baton_types::{AgentChange, AgentKit, AgentName, Digest, ErrorCode};
use baton_wire::api::{CloneAgent, CreateAgent};
use std::{collections::BTreeMap, fmt, sync::Arc};

/// How often a change is made anew when somebody else writes at the same time.
const TRIES: u32 = 50;

/// Makes, shows, changes and copies the definitions of a shelf.
#[derive(Clone)]
pub struct Manager {
    shelf: Arc<dyn AgentShelf>,
}

/// A definition before and after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// As it was.
    pub before: Definition,
    /// As it is now.
    pub after: Definition,
}

impl Manager {
    /// Of this shelf.
    pub fn new(shelf: Arc<dyn AgentShelf>) -> Self {
        Self { shelf }
    }

    /// An agent as it is kept now.
    pub async fn definition(&self, agent: &AgentName) -> Result<Definition, ManageError> {
        Definition::of(self.shelf.kept(agent).await?)
    }

    /// Changes a definition: all that is decided from how it is now, or nothing. When somebody else changes it meanwhile, it
    /// is decided anew; with an expected digest, the change is refused then.
    pub async fn change(
        &self,
        agent: &AgentName,
        who: Who,
        expected: Option<&Digest>,
        decide: impl Fn(&Definition) -> Result<Vec<AgentChange>, ManageError>,
    ) -> Result<Changed, ManageError> {
        for _ in 0..TRIES {
            let before = self.definition(agent).await?;
            if expected.is_some_and(|expected| *expected != before.digest) {
                let detail = format!("the agent '{agent}' has been changed since it was read");
                return Err(wrong(ErrorCode::AGENT_OUTDATED, detail));
            }
            let (after, changes) = amended(&before.files, &decide(&before)?)?;
            guard::check(who, Some(&before), &after)?;
            match self.shelf.replace(agent, &before.digest, changes).await {
                Ok(kept) => return Ok(Changed { before, after: Definition::of(kept)? }),
                Err(error) if error.code == ErrorCode::AGENT_OUTDATED && expected.is_none() => {}
                Err(error) => return Err(error),
            }
        }
        Err(wrong(ErrorCode::AGENT_OUTDATED, format!("somebody else keeps changing the agent '{agent}'; try again")))
    }

    /// What the agent would have beside its definition if a change were made to it as it is now; nothing is written.
    pub async fn try_out(
        &self,
        agent: &AgentName,
        who: Who,
        decide: impl Fn(&Definition) -> Result<Vec<AgentChange>, ManageError>,
    ) -> Result<AgentKit, ManageError> {
        let before = self.definition(agent).await?;
        let (after, _) = amended(&before.files, &decide(&before)?)?;
        guard::check(who, Some(&before), &after)?;
        Ok(read(&after)?.1)
    }

    /// Refuses to have a server switched on that starts a program, unless the owner wants that.
    pub async fn check_server_start(&self, agent: &AgentName, who: Who, server: &str) -> Result<(), ManageError> {
        match who {
            Who::Owner => Ok(()),
            Who::Administrator => guard::check_server_start(&self.definition(agent).await?, server),
        }
    }

    /// Makes an agent and begins to serve it.
    pub async fn create(&self, wish: CreateAgent, who: Who) -> Result<Definition, ManageError> {
        let keeping = keeping(wish.keep);
        self.make(files(&wish, who)?, keeping).await
    }

    /// Makes an agent that is a copy of another.
    pub async fn copy(&self, agent: &AgentName, wish: &CloneAgent) -> Result<Definition, ManageError> {
        let files = clone::files(&self.definition(agent).await?, &wish.name, wish.title.as_deref())?;
        self.make(files, keeping(wish.keep)).await
    }

    /// Makes an agent of files; nobody is asked whether they may.
    pub async fn make(&self, files: AgentFiles, keeping: Keeping) -> Result<Definition, ManageError> {
        Definition::of(self.shelf.make(files, keeping).await?)
    }

    /// Stops serving an agent and forgets its definition; says where that was.
    pub async fn delete(&self, agent: &AgentName, expected: Option<&Digest>) -> Result<AgentPlace, ManageError> {
        self.shelf.discard(agent, expected).await
    }
}

/// The files that a wish makes, if whoever wishes may have them.
pub(crate) fn files(wish: &CreateAgent, who: Who) -> Result<AgentFiles, ManageError> {
    let files = compose::files(wish)?;
    guard::check(who, None, &files)?;
    Ok(files)
}

impl Manager {
    /// The files that would be made, for a place of their own.
    pub fn files(wish: &CreateAgent, who: Who) -> Result<AgentFiles, ManageError> {
        files(wish, who)
    }

    /// The files of a copy, for a place of their own.
    pub async fn copied_files(
        &self,
        agent: &AgentName,
        name: &str,
        title: Option<&str>,
    ) -> Result<AgentFiles, ManageError> {
        clone::files(&self.definition(agent).await?, name, title)
    }
}

fn keeping(keep: Option<bool>) -> Keeping {
    match keep {
        None => Keeping::Usual,
        Some(true) => Keeping::Lasting,
        Some(false) => Keeping::Passing,
    }
}

/// What is to be written, by path; nothing where a file is to be gone.
type Written = BTreeMap<String, Option<Vec<u8>>>;

/// Files with all changes made, one after the other, and what is to be written for that.
pub(crate) fn amended(files: &AgentFiles, changes: &[AgentChange]) -> Result<(AgentFiles, Written), ManageError> {
    let mut after = files.clone();
    let mut all = BTreeMap::new();
    for change in changes {
        let amended = amend(&after, change).map_err(|error| edit_refused(&error))?;
        for (path, content) in amended.changes {
            match &content {
                Some(bytes) => drop(after.insert(path.clone(), bytes.clone())),
                None => drop(after.remove(&path)),
            }
            all.insert(path, content);
        }
    }
    read(&after)?;
    Ok((after, all))
}

impl fmt::Debug for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Manager").finish_non_exhaustive()
    }
}
