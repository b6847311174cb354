//! Assigns unique agent names.

use super::{
    location::LocationKey,
    names::{NameAssignments, NameIndex},
    scanner::{ScanProblem, ScannedAgent},
    snapshot::Snapshot,
    source::ServedAgent,
};
use baton_types::AgentName;
use std::{collections::HashMap, sync::Arc};

/// Maximum length of an agent name.
const MAX_NAME_LEN: usize = 64;

/// Agents keep their current names. Among new agents, the one that had the name before a restart takes precedence, then
/// the first. A duplicate in another program's format gets a numeric suffix; one in the native format is rejected and
/// stays in its previous state.
pub(super) fn assign_names(
    before: &Snapshot,
    names: &NameAssignments,
    scanned_agents: &mut [ScannedAgent],
    problems: &mut Vec<ScanProblem>,
) {
    let mut assigned: HashMap<AgentName, usize> = HashMap::new();
    let old = |scanned: &ScannedAgent| before.find(&scanned.home.location_key())?.served.clone();
    let mut unnamed = Vec::new();
    for (index, scanned) in scanned_agents.iter_mut().enumerate() {
        let Some(served) = scanned.served.clone() else { continue };
        match old(scanned).filter(|old| old.source.requested_name == served.source.requested_name) {
            Some(old) => {
                assigned.insert(old.name().clone(), index);
                scanned.served = Some(served.with_name(old.name().clone()));
            }
            None => unnamed.push((index, served)),
        }
    }
    if unnamed.is_empty() {
        return;
    }
    let name_index = names.index(scanned_agents);
    let unnamed_agent = |(index, served): (usize, ServedAgent)| {
        let location = scanned_agents[index].home.location_key();
        // A native agent always has the name in its file, regardless of earlier agents at the same location.
        let previous_name = name_index
            .previous_name(&location, &served.source.requested_name)
            .filter(|_| served.source.is_foreign)
            .cloned();
        UnnamedAgent { index, location, previous_name, served }
    };
    let mut unnamed_agents: Vec<UnnamedAgent> = unnamed.into_iter().map(unnamed_agent).collect();
    // Native agents come first, because they cannot take another name.
    unnamed_agents.sort_by_key(|new| (new.served.source.is_foreign, new.previous_name.is_none(), new.index));
    let mut numbered = Vec::new();
    for new in unnamed_agents {
        let (index, source) = (new.index, Arc::clone(&new.served.source));
        let candidates = [new.previous_name.as_ref(), Some(&source.requested_name)];
        let may_have = |name: &&AgentName| new.may_have(name, &name_index, &assigned);
        if let Some(name) = candidates.into_iter().flatten().find(may_have).cloned() {
            assigned.insert(name.clone(), index);
            place_served(scanned_agents, index, new.served.with_name(name));
            continue;
        }
        if source.is_foreign {
            numbered.push(new);
            continue;
        }
        let first = assigned.get(&source.requested_name).copied().unwrap_or(index);
        let [first, second] = [first, index].map(|index| scanned_agents.get(index).map(|scanned| scanned.home.clone()));
        if let (Some(first), Some(second)) = (first, second) {
            problems.push(ScanProblem::duplicate(source.requested_name.clone(), &first, &second));
        }
        let Some(scanned) = scanned_agents.get_mut(index) else { continue };
        scanned.served = old(scanned).filter(|old| !assigned.contains_key(old.name()));
        // Read again in the next scan: the other agent may be removed by then.
        scanned.mark_stale();
        if let Some(served) = &scanned.served {
            assigned.insert(served.name().clone(), index);
        }
    }
    let mut numbers: HashMap<AgentName, usize> = HashMap::new();
    for new in numbered {
        let requested = &new.served.source.requested_name;
        let last = numbers.entry(requested.clone()).or_default();
        let name = free_name(requested, last, |name| new.may_have(name, &name_index, &assigned));
        assigned.insert(name.clone(), new.index);
        place_served(scanned_agents, new.index, new.served.with_name(name));
    }
}

/// A new agent without an assigned name.
struct UnnamedAgent {
    index: usize,
    location: LocationKey,
    /// The name before a restart.
    previous_name: Option<AgentName>,
    served: ServedAgent,
}

impl UnnamedAgent {
    /// Whether the name is free. A name that belongs to another location is available only to native agents, which
    /// cannot take another one.
    fn may_have(&self, name: &AgentName, name_index: &NameIndex<'_>, assigned: &HashMap<AgentName, usize>) -> bool {
        let is_own = !self.served.source.is_foreign || self.previous_name.as_ref() == Some(name);
        (is_own || !name_index.belongs_to_other(name, &self.location)) && !assigned.contains_key(name)
    }
}

fn place_served(scanned_agents: &mut [ScannedAgent], index: usize, served: ServedAgent) {
    if let Some(scanned) = scanned_agents.get_mut(index) {
        scanned.served = Some(served);
    }
}

/// The name with the first free numeric suffix; `last` is the last suffix tried.
fn free_name(requested: &AgentName, last: &mut usize, may_be_had: impl Fn(&AgentName) -> bool) -> AgentName {
    loop {
        *last += 1;
        let ending = format!("-{last}");
        let stem: String = requested.as_str().chars().take(MAX_NAME_LEN - ending.len()).collect();
        let name = AgentName::from(format!("{}{ending}", stem.trim_end_matches('-')));
        if may_be_had(&name) {
            return name;
        }
    }
}
