//! What is served at one moment, and what is served after the next look at the disk.

use super::look::{Place, Problem, look};
use crate::SpecCheck;
use baton_agentdir::Diagnostic;
use baton_ports::Unusable;
use baton_types::{AgentKit, AgentName, AgentSpec};
use std::{path::PathBuf, sync::Arc};

/// A usable agent.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Served {
    pub(super) agent: Arc<AgentSpec>,
    pub(super) kit: Arc<AgentKit>,
}

/// The agents of one moment.
#[derive(Default)]
pub(super) struct Snapshot {
    /// Agent directories, in the order in which they were found.
    pub(super) places: Vec<Place>,
    pub(super) unusable: Vec<Unusable>,
    // Sorted by name.
    served: Vec<Served>,
}

impl Snapshot {
    /// What a look at the disk makes of this one, and everything that went wrong.
    pub(super) fn next(&self, paths: &[PathBuf], check: Option<&SpecCheck>) -> (Self, Vec<Problem>) {
        let (mut places, mut problems) = look(self, paths, check);
        let served = named_once(self, &mut places, &mut problems);
        let unusable = problems.iter().map(Problem::unusable).collect();
        (Self { places, unusable, served }, problems)
    }

    pub(super) fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.served.iter().map(|served| Arc::clone(&served.agent)).collect()
    }

    pub(super) fn served(&self, name: &AgentName) -> Option<&Served> {
        let index = self.served.binary_search_by(|served| served.agent.name.cmp(name)).ok()?;
        self.served.get(index)
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

/// Each name for one agent: the one that has it keeps it, and of newcomers the first gets it. An agent that may not
/// have its new name stays as it was.
fn named_once(before: &Snapshot, places: &mut [Place], problems: &mut Vec<Problem>) -> Vec<Served> {
    let mut taken: Vec<(AgentName, usize)> = Vec::new();
    let old = |place: &Place| before.places.iter().find(|old| old.found.real == place.found.real)?.served.clone();
    let name = |served: &Option<Served>| served.as_ref().map(|served| served.agent.name.clone());
    let (kept, newcomers): (Vec<usize>, Vec<usize>) = (0..places.len()).partition(|index| {
        let place = &places[*index];
        name(&place.served).is_some() && name(&place.served) == name(&old(place))
    });
    for index in kept.into_iter().chain(newcomers) {
        let Some(wanted) = name(&places[index].served) else { continue };
        let Some((_, first)) = taken.iter().find(|(name, _)| *name == wanted) else {
            taken.push((wanted, index));
            continue;
        };
        problems.push(Problem::duplicate(wanted, &places[*first].found, &places[index].found));
        let place = &mut places[index];
        place.served = old(place).filter(|old| !taken.iter().any(|(name, _)| *name == old.agent.name));
        // Read again next time: the other one may be gone by then.
        place.forget();
        if let Some(name) = name(&place.served) {
            taken.push((name, index));
        }
    }
    let mut served: Vec<Served> = places.iter().filter_map(|place| place.served.clone()).collect();
    served.sort_by(|a, b| a.agent.name.cmp(&b.agent.name));
    served
}
