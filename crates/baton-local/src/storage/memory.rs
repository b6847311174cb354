//! Agents in process memory.

use baton_ports::{AgentFiles, AgentLocation, AgentStorage, AgentStorageError};
use baton_types::Digest;
use parking_lot::RwLock;
use std::{
    collections::{BTreeMap, btree_map::Entry},
    fmt,
};

/// Maximum number of agents, and of bytes per agent.
const MAX_AGENTS: usize = 20_000;
const MAX_BYTES: usize = 64 << 20;

/// Stores agents for the lifetime of the process.
#[derive(Default)]
pub struct MemoryStorage {
    agents: RwLock<BTreeMap<String, MemoryEntry>>,
}

/// The files of one agent and their digest.
struct MemoryEntry {
    files: AgentFiles,
    digest: Digest,
}

impl MemoryEntry {
    fn new(files: AgentFiles) -> Self {
        Self { digest: digest(&files), files }
    }
}

impl MemoryStorage {
    /// Creates an empty storage.
    pub fn new() -> Self {
        Self::default()
    }
}

impl AgentStorage for MemoryStorage {
    fn keys(&self) -> Result<Vec<String>, AgentStorageError> {
        Ok(self.agents.read().keys().cloned().collect())
    }

    fn read(&self, key: &str) -> Result<(AgentFiles, Digest), AgentStorageError> {
        let agents = self.agents.read();
        let entry = agents.get(key).ok_or(AgentStorageError::Missing)?;
        Ok((entry.files.clone(), entry.digest.clone()))
    }

    fn stamp(&self, key: &str) -> Option<Digest> {
        self.agents.read().get(key).map(|entry| entry.digest.clone())
    }

    fn replace(
        &self,
        key: &str,
        expected: &Digest,
        changes: &BTreeMap<String, Option<Vec<u8>>>,
    ) -> Result<Digest, AgentStorageError> {
        let mut agents = self.agents.write();
        let entry = agents.get_mut(key).ok_or(AgentStorageError::Missing)?;
        if entry.digest != *expected {
            return Err(AgentStorageError::Conflict);
        }
        let mut changed = entry.files.clone();
        for (path, new) in changes {
            match new {
                Some(bytes) => changed.insert(path.clone(), bytes.clone()),
                None => changed.remove(path),
            };
        }
        bounded(&changed)?;
        *entry = MemoryEntry::new(changed);
        Ok(entry.digest.clone())
    }

    fn create(&self, key: &str, files: &AgentFiles) -> Result<Digest, AgentStorageError> {
        bounded(files)?;
        let mut agents = self.agents.write();
        let is_full = agents.len() >= MAX_AGENTS;
        match agents.entry(key.to_owned()) {
            Entry::Occupied(_) => Err(AgentStorageError::Exists),
            Entry::Vacant(_) if is_full => {
                Err(AgentStorageError::Unavailable(format!("there are already {MAX_AGENTS} agents")))
            }
            Entry::Vacant(vacant) => Ok(vacant.insert(MemoryEntry::new(files.clone())).digest.clone()),
        }
    }

    fn remove(&self, key: &str) -> Result<(), AgentStorageError> {
        self.agents.write().remove(key).map(drop).ok_or(AgentStorageError::Missing)
    }

    fn location(&self, _: &str) -> AgentLocation {
        AgentLocation::Memory
    }
}

fn bounded(files: &AgentFiles) -> Result<(), AgentStorageError> {
    match files.values().map(Vec::len).sum::<usize>() <= MAX_BYTES {
        true => Ok(()),
        false => Err(AgentStorageError::Unavailable("the agent is larger than 64 MB".to_owned())),
    }
}

fn digest(files: &AgentFiles) -> Digest {
    let parts = files.iter().map(|(file, bytes)| format!("{file:?} {}\n", Digest::compute(bytes)));
    Digest::compute(parts.collect::<String>().as_bytes())
}

impl fmt::Debug for MemoryStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStorage").field("agents", &self.agents.read().len()).finish()
    }
}
