//! LRU cache of definitions.

use super::source::{Definition, DefinitionSource, ServedAgent};
use baton_types::{AgentName, AgentSpec, ToolExecution};
use foldhash::HashMap;
use parking_lot::Mutex;
use std::sync::{Arc, OnceLock};

/// Maximum number of cached definitions, and of bytes of their files.
const MAX_DEFINITIONS: usize = 256;
const MAX_DEFINITION_BYTES: usize = 64 << 20;

/// LRU cache of definitions.
#[derive(Default)]
pub(super) struct DefinitionCache {
    state: Mutex<DefinitionCacheState>,
    tools: OnceLock<ToolExecution>,
}

#[derive(Default)]
struct DefinitionCacheState {
    by_name: HashMap<AgentName, CachedDefinition>,
    bytes: usize,
    uses: u64,
}

struct CachedDefinition {
    source: Arc<DefinitionSource>,
    definition: Definition,
    used: u64,
}

impl DefinitionCache {
    /// Overrides the tool execution mode of all agents.
    pub(super) fn choose_tools(&self, tools: ToolExecution) {
        let _ = self.tools.set(tools);
        *self.state.lock() = DefinitionCacheState::default();
    }

    /// The definition of an agent, loaded on a cache miss.
    pub(super) fn definition(&self, served: &ServedAgent) -> Option<Definition> {
        if let Some(cached) = self.state.lock().get(served) {
            return Some(cached);
        }
        let definition = self.define(served)?;
        self.state.lock().keep(served, definition.clone());
        Some(definition)
    }

    /// As `definition`, but without caching, so that an iteration over all agents evicts nothing.
    pub(super) fn peek(&self, served: &ServedAgent) -> Option<Definition> {
        let cached = self.state.lock().get(served);
        cached.or_else(|| self.define(served))
    }

    /// Caches a new definition if there is free capacity.
    pub(super) fn insert_if_free(&self, served: &ServedAgent, definition: Definition) {
        let mut state = self.state.lock();
        if state.by_name.len() < MAX_DEFINITIONS && state.bytes + served.source.size() <= MAX_DEFINITION_BYTES {
            let definition = self.adjusted(served, definition);
            state.keep(served, definition);
        }
    }

    /// Names of the cached agents.
    pub(super) fn names(&self) -> Vec<AgentName> {
        self.state.lock().by_name.keys().cloned().collect()
    }

    /// Number of cached definitions.
    pub(super) fn count(&self) -> usize {
        self.state.lock().by_name.len()
    }

    fn define(&self, served: &ServedAgent) -> Option<Definition> {
        let definition = served.source.parse_definition();
        if definition.is_none() {
            tracing::warn!(agent = %served.name(), "the agent's files are no longer valid");
        }
        definition.map(|definition| self.adjusted(served, definition))
    }

    /// The definition with its served name and the tool execution override.
    fn adjusted(&self, served: &ServedAgent, definition: Definition) -> Definition {
        let name = served.name();
        let tools = self.tools.get().copied().unwrap_or(definition.agent.tool_execution);
        if definition.agent.name == *name && definition.agent.tool_execution == tools {
            return definition;
        }
        let agent = AgentSpec { name: name.clone(), tool_execution: tools, ..AgentSpec::clone(&definition.agent) };
        Definition { agent: Arc::new(agent), ..definition }
    }
}

impl DefinitionCacheState {
    fn get(&mut self, served: &ServedAgent) -> Option<Definition> {
        self.uses += 1;
        let entry = self.by_name.get_mut(served.name()).filter(|entry| Arc::ptr_eq(&entry.source, &served.source))?;
        entry.used = self.uses;
        Some(entry.definition.clone())
    }

    fn keep(&mut self, served: &ServedAgent, definition: Definition) {
        self.uses += 1;
        let entry = CachedDefinition { source: Arc::clone(&served.source), definition, used: self.uses };
        self.bytes += entry.source.size();
        if let Some(old) = self.by_name.insert(served.name().clone(), entry) {
            self.bytes -= old.source.size();
        }
        while self.by_name.len() > MAX_DEFINITIONS || self.bytes > MAX_DEFINITION_BYTES && self.by_name.len() > 1 {
            let oldest = self.by_name.iter().min_by_key(|(_, entry)| entry.used).map(|(name, _)| name.clone());
            let Some(evicted) = oldest.and_then(|name| self.by_name.remove(&name)) else { break };
            self.bytes -= evicted.source.size();
        }
    }
}
