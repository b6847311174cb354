//! Sources of usable agents; definitions are parsed from them on demand.

use super::location::{AgentFilesLocation, LocationKey};
use baton_agentdir::parse;
use baton_ports::AgentFiles;
use baton_types::{AgentListing, AgentName, AgentResources, AgentSpec, HandoffTarget};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Maximum bytes of files kept in memory; further agents are read from their location on demand.
const MAX_CACHED_BYTES: usize = 96 << 20;

/// An agent's definition and its resources.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Definition {
    pub(super) agent: Arc<AgentSpec>,
    pub(super) resources: Arc<AgentResources>,
}

/// Location and files of a usable agent, as of the last read.
pub(super) struct DefinitionSource {
    home: AgentFilesLocation,
    /// The name in its files; another name is served if this one is taken.
    pub(super) requested_name: AgentName,
    /// Whether it may be served under another name.
    pub(super) is_foreign: bool,
    /// Remote handoff targets.
    pub(super) remote_targets: Vec<HandoffTarget>,
    /// Copy of the files, still valid if a later version is not.
    text: Option<CachedFiles>,
}

impl DefinitionSource {
    pub(super) fn new(
        home: AgentFilesLocation,
        definition: &Definition,
        is_foreign: bool,
        files: AgentFiles,
        budget: &Arc<MemoryBudget>,
    ) -> Self {
        let agent = &definition.agent;
        let remote_targets = agent.handoffs.iter().filter(|target| target.url.is_some()).cloned().collect();
        Self {
            home,
            requested_name: agent.name.clone(),
            is_foreign,
            remote_targets,
            text: CachedFiles::keep(files, budget),
        }
    }

    /// Parses the definition; `None` if the files are not in memory and are no longer valid.
    pub(super) fn parse_definition(&self) -> Option<Definition> {
        let files = match &self.text {
            Some(text) => text.files.iter().cloned().collect(),
            None => self.home.content().0.files,
        };
        let parsed = parse(&files, self.home.base()?);
        Some(Definition { agent: Arc::new(parsed.agent?), resources: Arc::new(parsed.resources) })
    }

    /// Whether the files parse to this definition; `false` if they are not in memory.
    pub(super) fn parses_to(&self, definition: &Definition) -> bool {
        self.text.is_some() && self.parse_definition().is_some_and(|own| own == *definition)
    }

    /// Key of the location.
    pub(super) fn location_key(&self) -> LocationKey {
        self.home.location_key()
    }

    /// Size of the files in memory, in bytes.
    pub(super) fn size(&self) -> usize {
        self.text.as_ref().map_or(0, |text| text.size)
    }
}

/// A usable agent with its listing.
#[derive(Clone)]
pub(super) struct ServedAgent {
    pub(super) listing: Arc<AgentListing>,
    pub(super) source: Arc<DefinitionSource>,
}

impl ServedAgent {
    pub(super) fn name(&self) -> &AgentName {
        &self.listing.name
    }

    /// The same agent under this name.
    pub(super) fn with_name(self, name: AgentName) -> Self {
        if self.listing.name == name {
            return self;
        }
        Self { listing: Arc::new(AgentListing { name, ..AgentListing::clone(&self.listing) }), ..self }
    }
}

impl PartialEq for ServedAgent {
    fn eq(&self, other: &Self) -> bool {
        self.listing.name == other.listing.name && Arc::ptr_eq(&self.source, &other.source)
    }
}

/// Remaining memory budget, in bytes.
pub(super) struct MemoryBudget(AtomicUsize);

impl MemoryBudget {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self(AtomicUsize::new(MAX_CACHED_BYTES)))
    }
}

/// Files in memory; their size is returned to the budget on drop.
struct CachedFiles {
    files: Box<[(String, Vec<u8>)]>,
    size: usize,
    budget: Arc<MemoryBudget>,
}

impl CachedFiles {
    fn keep(files: AgentFiles, budget: &Arc<MemoryBudget>) -> Option<Self> {
        let size = files.iter().map(|(path, bytes)| path.len() + bytes.len()).sum();
        let reserved = budget.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(size));
        reserved.ok()?;
        let shrunk = files.into_iter().map(|(path, mut bytes)| {
            bytes.shrink_to_fit();
            (path, bytes)
        });
        Some(Self { files: shrunk.collect(), size, budget: Arc::clone(budget) })
    }
}

impl Drop for CachedFiles {
    fn drop(&mut self) {
        self.budget.0.fetch_add(self.size, Ordering::AcqRel);
    }
}
