//! Definitions that were needed lately.

use super::source::{Definition, Served, Source};
use baton_types::{AgentName, AgentSpec, ToolExecution};
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

/// The most definitions that stay loaded, and the most bytes of their files.
const MOST: usize = 256;
const MOST_BYTES: usize = 64 << 20;

/// Definitions that were needed lately; the one that was not needed for longest goes first.
#[derive(Default)]
pub(super) struct Loaded {
    known: Mutex<Known>,
    tools: OnceLock<ToolExecution>,
}

#[derive(Default)]
struct Known {
    by_name: HashMap<AgentName, Entry>,
    bytes: usize,
    uses: u64,
}

struct Entry {
    of: Arc<Source>,
    definition: Definition,
    used: u64,
}

impl Loaded {
    /// From now on tools of all agents are run by these.
    pub(super) fn choose_tools(&self, tools: ToolExecution) {
        let _ = self.tools.set(tools);
        *self.known.lock() = Known::default();
    }

    /// The definition of an agent, loaded if need be.
    pub(super) fn definition(&self, served: &Served) -> Option<Definition> {
        if let Some(known) = self.known.lock().get(served) {
            return Some(known);
        }
        let definition = self.define(served)?;
        self.known.lock().keep(served, definition.clone());
        Some(definition)
    }

    /// The same for somebody who goes through all of them: none of those that are needed has to go for it.
    pub(super) fn peek(&self, served: &Served) -> Option<Definition> {
        let known = self.known.lock().get(served);
        known.or_else(|| self.define(served))
    }

    /// Keeps a definition that was just made, while there is room.
    pub(super) fn offer(&self, served: &Served, definition: Definition) {
        let mut known = self.known.lock();
        if known.by_name.len() < MOST && known.bytes + served.source.size() <= MOST_BYTES {
            let definition = self.adjusted(served, definition);
            known.keep(served, definition);
        }
    }

    /// Those that are loaded.
    pub(super) fn names(&self) -> Vec<AgentName> {
        self.known.lock().by_name.keys().cloned().collect()
    }

    /// How many are loaded.
    pub(super) fn count(&self) -> usize {
        self.known.lock().by_name.len()
    }

    fn define(&self, served: &Served) -> Option<Definition> {
        let definition = served.source.define();
        if definition.is_none() {
            tracing::warn!(agent = %served.name(), "its files make no agent any more");
        }
        definition.map(|definition| self.adjusted(served, definition))
    }

    /// The definition under the name that the agent has here, with the choice of who runs its tools.
    fn adjusted(&self, served: &Served, definition: Definition) -> Definition {
        let name = served.name();
        let tools = self.tools.get().copied().unwrap_or(definition.agent.tool_execution);
        if definition.agent.name == *name && definition.agent.tool_execution == tools {
            return definition;
        }
        let agent = AgentSpec { name: name.clone(), tool_execution: tools, ..AgentSpec::clone(&definition.agent) };
        Definition { agent: Arc::new(agent), ..definition }
    }
}

impl Known {
    fn get(&mut self, served: &Served) -> Option<Definition> {
        self.uses += 1;
        let entry = self.by_name.get_mut(served.name()).filter(|entry| Arc::ptr_eq(&entry.of, &served.source))?;
        entry.used = self.uses;
        Some(entry.definition.clone())
    }

    fn keep(&mut self, served: &Served, definition: Definition) {
        self.uses += 1;
        let entry = Entry { of: Arc::clone(&served.source), definition, used: self.uses };
        self.bytes += entry.of.size();
        if let Some(old) = self.by_name.insert(served.name().clone(), entry) {
            self.bytes -= old.of.size();
        }
        while self.by_name.len() > MOST || self.bytes > MOST_BYTES && self.by_name.len() > 1 {
            let oldest = self.by_name.iter().min_by_key(|(_, entry)| entry.used).map(|(name, _)| name.clone());
            let Some(gone) = oldest.and_then(|name| self.by_name.remove(&name)) else { break };
            self.bytes -= gone.of.size();
        }
    }
}
