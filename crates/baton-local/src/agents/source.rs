//! Sources of usable agents; definitions are parsed from them on demand.

use super::home::{Home, Spot};
use baton_agentdir::parse;
use baton_ports::AgentFiles;
use baton_types::{AgentListing, AgentName, AgentResources, AgentSpec, HandoffTarget};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Maximum bytes of files kept in memory; further agents are read from their location on demand.
const ROOM: usize = 96 << 20;

/// An agent's definition and its resources.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Definition {
    pub(super) agent: Arc<AgentSpec>,
    pub(super) kit: Arc<AgentResources>,
}

/// Location and files of a usable agent, as of the last read.
pub(super) struct Source {
    home: Home,
    /// The name in its files; another name is served if this one is taken.
    pub(super) wanted: AgentName,
    /// Whether it may be served under another name.
    pub(super) is_foreign: bool,
    /// Remote handoff targets.
    pub(super) away: Vec<HandoffTarget>,
    /// Copy of the files, still valid if a later version is not.
    text: Option<Text>,
}

impl Source {
    pub(super) fn new(home: Home, made: &Definition, is_foreign: bool, files: AgentFiles, room: &Arc<Space>) -> Self {
        let agent = &made.agent;
        let away = agent.handoffs.iter().filter(|target| target.url.is_some()).cloned().collect();
        Self { home, wanted: agent.name.clone(), is_foreign, away, text: Text::keep(files, room) }
    }

    /// Parses the definition; `None` if the files are not in memory and are no longer valid.
    pub(super) fn define(&self) -> Option<Definition> {
        let files = match &self.text {
            Some(text) => text.files.iter().cloned().collect(),
            None => self.home.content().0.files,
        };
        let parsed = parse(&files, self.home.base()?);
        Some(Definition { agent: Arc::new(parsed.agent?), kit: Arc::new(parsed.kit) })
    }

    /// Whether the files parse to this definition; `false` if they are not in memory.
    pub(super) fn makes(&self, definition: &Definition) -> bool {
        self.text.is_some() && self.define().is_some_and(|own| own == *definition)
    }

    /// Key of the location.
    pub(super) fn spot(&self) -> Spot {
        self.home.spot()
    }

    /// Size of the files in memory, in bytes.
    pub(super) fn size(&self) -> usize {
        self.text.as_ref().map_or(0, |text| text.size)
    }
}

/// A usable agent with its listing.
#[derive(Clone)]
pub(super) struct Served {
    pub(super) listing: Arc<AgentListing>,
    pub(super) source: Arc<Source>,
}

impl Served {
    pub(super) fn name(&self) -> &AgentName {
        &self.listing.name
    }

    /// The same agent under this name.
    pub(super) fn named(self, name: AgentName) -> Self {
        if self.listing.name == name {
            return self;
        }
        Self { listing: Arc::new(AgentListing { name, ..AgentListing::clone(&self.listing) }), ..self }
    }
}

impl PartialEq for Served {
    fn eq(&self, other: &Self) -> bool {
        self.listing.name == other.listing.name && Arc::ptr_eq(&self.source, &other.source)
    }
}

/// Remaining memory budget, in bytes.
pub(super) struct Space(AtomicUsize);

impl Space {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self(AtomicUsize::new(ROOM)))
    }
}

/// Files in memory; their size is returned to the budget on drop.
struct Text {
    files: Box<[(String, Vec<u8>)]>,
    size: usize,
    room: Arc<Space>,
}

impl Text {
    fn keep(files: AgentFiles, room: &Arc<Space>) -> Option<Self> {
        let size = files.iter().map(|(path, bytes)| path.len() + bytes.len()).sum();
        let taken = room.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(size));
        taken.ok()?;
        let shrunk = files.into_iter().map(|(path, mut bytes)| {
            bytes.shrink_to_fit();
            (path, bytes)
        });
        Some(Self { files: shrunk.collect(), size, room: Arc::clone(room) })
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        self.room.0.fetch_add(self.size, Ordering::AcqRel);
    }
}
