//! What is served at one moment, and what is served after the next look.

use super::{
    home::{Origin, Spot},
    look::{Place, Problem, look},
    naming,
};
use crate::SpecCheck;
use baton_agentdir::Diagnostic;
use baton_ports::Unusable;
use baton_types::{AgentKit, AgentName, AgentSpec};
use std::{collections::HashMap, path::Path, sync::Arc};

/// A usable agent.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Served {
    pub(super) agent: Arc<AgentSpec>,
    pub(super) kit: Arc<AgentKit>,
    /// The name that its files give it; it is served under another one when that is taken.
    pub(super) wanted: AgentName,
    /// Whether it may be served under another name.
    pub(super) is_foreign: bool,
}

impl Served {
    pub(super) fn new(agent: AgentSpec, kit: AgentKit, is_foreign: bool) -> Self {
        Self { wanted: agent.name.clone(), agent: Arc::new(agent), kit: Arc::new(kit), is_foreign }
    }

    /// The same under this name.
    pub(super) fn named(self, name: AgentName) -> Self {
        if self.agent.name == name {
            return self;
        }
        Self { agent: Arc::new(AgentSpec { name, ..AgentSpec::clone(&self.agent) }), ..self }
    }
}

/// The agents of one moment.
#[derive(Default)]
pub(super) struct Snapshot {
    /// Agents, in the order in which they were found.
    pub(super) places: Vec<Place>,
    pub(super) unusable: Vec<Unusable>,
    by_spot: HashMap<Spot, usize>,
    // Sorted by name.
    served: Vec<Served>,
}

impl Snapshot {
    /// What a look makes of this one, and everything that went wrong.
    pub(super) fn next(&self, origins: &[Origin], check: Option<&SpecCheck>) -> (Self, Vec<Problem>) {
        let (mut places, mut problems) = look(self, origins, check);
        naming::name_once(self, &mut places, &mut problems);
        let by_spot = places.iter().enumerate().map(|(index, place)| (place.home.spot(), index)).collect();
        let mut served: Vec<Served> = places.iter().filter_map(|place| place.served.clone()).collect();
        served.sort_by(|a, b| a.agent.name.cmp(&b.agent.name));
        let unusable = problems.iter().map(Problem::unusable).collect();
        (Self { places, unusable, by_spot, served }, problems)
    }

    pub(super) fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.served.iter().map(|served| Arc::clone(&served.agent)).collect()
    }

    pub(super) fn served(&self, name: &AgentName) -> Option<&Served> {
        let index = self.served.binary_search_by(|served| served.agent.name.cmp(name)).ok()?;
        self.served.get(index)
    }

    pub(super) fn place(&self, spot: &Spot) -> Option<&Place> {
        self.places.get(*self.by_spot.get(spot)?)
    }

    /// The place of the agent that is served under this name.
    pub(super) fn place_of(&self, name: &AgentName) -> Option<&Place> {
        self.places.iter().find(|place| place.served.as_ref().is_some_and(|served| served.agent.name == *name))
    }

    /// Whether this file was an agent.
    pub(super) fn is_agent_file(&self, file: &Path) -> bool {
        let (Some(directory), Some(name)) = (file.parent(), file.file_name().and_then(|name| name.to_str())) else {
            return false;
        };
        self.by_spot.contains_key(&Spot::Disk(directory.to_owned(), Some(name.to_owned())))
    }

    pub(super) fn diagnostics(&self) -> Vec<Diagnostic> {
        self.places.iter().flat_map(|place| place.diagnostics.iter().cloned()).collect()
    }

    /// Agents that are new, gone or different in one of the two.
    pub(super) fn differs_from(&self, before: &Self) -> Vec<AgentName> {
        let all = self.served.iter().chain(&before.served);
        let differs = |served: &&Served| self.served(&served.agent.name) != before.served(&served.agent.name);
        let mut names: Vec<AgentName> = all.filter(differs).map(|served| served.agent.name.clone()).collect();
        names.sort();
        names.dedup();
        names
    }
}
