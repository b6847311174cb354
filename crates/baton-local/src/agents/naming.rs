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
    places: &mut [ScannedAgent],
    problems: &mut Vec<ScanProblem>,
) {
    let mut taken: HashMap<AgentName, usize> = HashMap::new();
    let old = |place: &ScannedAgent| before.place(&place.home.location_key())?.served.clone();
    let mut unnamed = Vec::new();
    for (index, place) in places.iter_mut().enumerate() {
        let Some(served) = place.served.clone() else { continue };
        match old(place).filter(|old| old.source.requested_name == served.source.requested_name) {
            Some(old) => {
                taken.insert(old.name().clone(), index);
                place.served = Some(served.with_name(old.name().clone()));
            }
            None => unnamed.push((index, served)),
        }
    }
    if unnamed.is_empty() {
        return;
    }
    let known = names.known(places);
    let newcomer = |(index, served): (usize, ServedAgent)| {
        let spot = places[index].home.location_key();
        // A native agent always has the name in its file, regardless of earlier agents at the same location.
        let had =
            known.previous_name(&spot, &served.source.requested_name).filter(|_| served.source.is_foreign).cloned();
        UnnamedAgent { index, spot, previous_name: had, served }
    };
    let mut newcomers: Vec<UnnamedAgent> = unnamed.into_iter().map(newcomer).collect();
    // Native agents come first, because they cannot take another name.
    newcomers.sort_by_key(|new| (new.served.source.is_foreign, new.previous_name.is_none(), new.index));
    let mut numbered = Vec::new();
    for new in newcomers {
        let (index, source) = (new.index, Arc::clone(&new.served.source));
        let wished = [new.previous_name.as_ref(), Some(&source.requested_name)];
        let may_have = |name: &&AgentName| new.may_have(name, &known, &taken);
        if let Some(name) = wished.into_iter().flatten().find(may_have).cloned() {
            taken.insert(name.clone(), index);
            place_served(places, index, new.served.with_name(name));
            continue;
        }
        if source.is_foreign {
            numbered.push(new);
            continue;
        }
        let first = taken.get(&source.requested_name).copied().unwrap_or(index);
        let [first, second] = [first, index].map(|index| places.get(index).map(|place| place.home.clone()));
        if let (Some(first), Some(second)) = (first, second) {
            problems.push(ScanProblem::duplicate(source.requested_name.clone(), &first, &second));
        }
        let Some(place) = places.get_mut(index) else { continue };
        place.served = old(place).filter(|old| !taken.contains_key(old.name()));
        // Read again in the next scan: the other agent may be removed by then.
        place.mark_stale();
        if let Some(served) = &place.served {
            taken.insert(served.name().clone(), index);
        }
    }
    let mut numbers: HashMap<AgentName, usize> = HashMap::new();
    for new in numbered {
        let wanted = &new.served.source.requested_name;
        let last = numbers.entry(wanted.clone()).or_default();
        let name = free_name(wanted, last, |name| new.may_have(name, &known, &taken));
        taken.insert(name.clone(), new.index);
        place_served(places, new.index, new.served.with_name(name));
    }
}

/// A new agent without an assigned name.
struct UnnamedAgent {
    index: usize,
    spot: LocationKey,
    /// The name before a restart.
    previous_name: Option<AgentName>,
    served: ServedAgent,
}

impl UnnamedAgent {
    /// Whether the name is free. A name that belongs to another location is available only to native agents, which
    /// cannot take another one.
    fn may_have(&self, name: &AgentName, known: &NameIndex<'_>, taken: &HashMap<AgentName, usize>) -> bool {
        let is_own = !self.served.source.is_foreign || self.previous_name.as_ref() == Some(name);
        (is_own || !known.belongs_to_other(name, &self.spot)) && !taken.contains_key(name)
    }
}

fn place_served(places: &mut [ScannedAgent], index: usize, served: ServedAgent) {
    if let Some(place) = places.get_mut(index) {
        place.served = Some(served);
    }
}

/// The name with the first free numeric suffix; `last` is the last suffix tried.
fn free_name(wanted: &AgentName, last: &mut usize, may_be_had: impl Fn(&AgentName) -> bool) -> AgentName {
    loop {
        *last += 1;
        let ending = format!("-{last}");
        let kept: String = wanted.as_str().chars().take(MAX_NAME_LEN - ending.len()).collect();
        let name = AgentName::from(format!("{}{ending}", kept.trim_end_matches('-')));
        if may_be_had(&name) {
            return name;
        }
    }
}
