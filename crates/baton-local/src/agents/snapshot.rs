//! The served agents at one point in time.

use super::{
    location::{AgentOrigin, LocationKey},
    names::NameAssignments,
    naming,
    scanner::{ScanContext, ScanProblem, ScannedAgent, scan_origins},
    source::ServedAgent,
};
use baton_document::Diagnostic;
use baton_ports::UnusableEntry;
use baton_types::AgentName;
use std::{collections::HashMap, path::Path};

/// The agents at one point in time.
#[derive(Default)]
pub(super) struct Snapshot {
    /// Agents in the order of discovery.
    pub(super) scanned_agents: Vec<ScannedAgent>,
    pub(super) unusable: Vec<UnusableEntry>,
    by_location: HashMap<LocationKey, usize>,
    // Sorted by name.
    served: Vec<ServedAgent>,
}

impl Snapshot {
    /// Scans again; returns the next snapshot and all problems.
    pub(super) fn next(
        &self,
        origins: &[AgentOrigin],
        names: &mut NameAssignments,
        context: &ScanContext<'_>,
    ) -> (Self, Vec<ScanProblem>) {
        let (mut scanned_agents, mut problems) = scan_origins(self, origins, context);
        naming::assign_names(self, names, &mut scanned_agents, &mut problems);
        names.record_names(&scanned_agents);
        let by_location =
            scanned_agents.iter().enumerate().map(|(index, scanned)| (scanned.home.location_key(), index)).collect();
        let mut served: Vec<ServedAgent> = scanned_agents.iter().filter_map(|scanned| scanned.served.clone()).collect();
        served.sort_by(|a, b| a.name().cmp(b.name()));
        let unusable = problems.iter().map(ScanProblem::unusable).collect();
        (Self { scanned_agents, unusable, by_location, served }, problems)
    }

    /// All served agents, by name.
    pub(super) fn all(&self) -> &[ServedAgent] {
        &self.served
    }

    pub(super) fn served(&self, name: &AgentName) -> Option<&ServedAgent> {
        let index = self.served.binary_search_by(|served| served.name().cmp(name)).ok()?;
        self.served.get(index)
    }

    pub(super) fn find(&self, key: &LocationKey) -> Option<&ScannedAgent> {
        self.scanned_agents.get(*self.by_location.get(key)?)
    }

    /// The scanned agent served under this name.
    pub(super) fn find_by_name(&self, name: &AgentName) -> Option<&ScannedAgent> {
        self.scanned_agents.iter().find(|scanned| scanned.served.as_ref().is_some_and(|served| served.name() == name))
    }

    /// Whether this file was an agent.
    pub(super) fn is_agent_file(&self, file: &Path) -> bool {
        let (Some(directory), Some(name)) = (file.parent(), file.file_name().and_then(|name| name.to_str())) else {
            return false;
        };
        self.by_location.contains_key(&LocationKey::Disk(directory.to_owned(), Some(name.to_owned())))
    }

    pub(super) fn diagnostics(&self) -> Vec<Diagnostic> {
        self.scanned_agents.iter().flat_map(|scanned| scanned.diagnostics.iter().cloned()).collect()
    }

    /// Names of agents that were added, removed or changed.
    pub(super) fn differs_from(&self, before: &Self) -> Vec<AgentName> {
        let all = self.served.iter().chain(&before.served);
        let differs = |served: &&ServedAgent| self.served(served.name()) != before.served(served.name());
        let mut names: Vec<AgentName> = all.filter(differs).map(|served| served.name().clone()).collect();
        names.sort();
        names.dedup();
        names
    }
}
