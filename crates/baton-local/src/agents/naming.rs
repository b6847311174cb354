//! Assigns unique agent names.

use super::{
    home::Spot,
    look::{Place, Problem},
    names::{Known, Names},
    snapshot::Snapshot,
    source::Served,
};
use baton_types::AgentName;
use std::{collections::HashMap, sync::Arc};

/// Maximum length of an agent name.
const LONGEST: usize = 64;

/// Agents keep their current names. Among new agents, the one that had the name before a restart takes precedence, then
/// the first. A duplicate in another program's format gets a numeric suffix; one in the native format is rejected and
/// stays in its previous state.
pub(super) fn name_once(before: &Snapshot, names: &Names, places: &mut [Place], problems: &mut Vec<Problem>) {
    let mut taken: HashMap<AgentName, usize> = HashMap::new();
    let old = |place: &Place| before.place(&place.home.spot())?.served.clone();
    let mut unnamed = Vec::new();
    for (index, place) in places.iter_mut().enumerate() {
        let Some(served) = place.served.clone() else { continue };
        match old(place).filter(|old| old.source.wanted == served.source.wanted) {
            Some(old) => {
                taken.insert(old.name().clone(), index);
                place.served = Some(served.named(old.name().clone()));
            }
            None => unnamed.push((index, served)),
        }
    }
    if unnamed.is_empty() {
        return;
    }
    let known = names.known(places);
    let newcomer = |(index, served): (usize, Served)| {
        let spot = places[index].home.spot();
        // A native agent always has the name in its file, regardless of earlier agents at the same location.
        let had = known.had(&spot, &served.source.wanted).filter(|_| served.source.is_foreign).cloned();
        Newcomer { index, spot, had, served }
    };
    let mut newcomers: Vec<Newcomer> = unnamed.into_iter().map(newcomer).collect();
    // Native agents come first, because they cannot take another name.
    newcomers.sort_by_key(|new| (new.served.source.is_foreign, new.had.is_none(), new.index));
    let mut numbered = Vec::new();
    for new in newcomers {
        let (index, source) = (new.index, Arc::clone(&new.served.source));
        let wished = [new.had.as_ref(), Some(&source.wanted)];
        let may_have = |name: &&AgentName| new.may_have(name, &known, &taken);
        if let Some(name) = wished.into_iter().flatten().find(may_have).cloned() {
            taken.insert(name.clone(), index);
            place_served(places, index, new.served.named(name));
            continue;
        }
        if source.is_foreign {
            numbered.push(new);
            continue;
        }
        let first = taken.get(&source.wanted).copied().unwrap_or(index);
        let [first, second] = [first, index].map(|index| places.get(index).map(|place| place.home.clone()));
        if let (Some(first), Some(second)) = (first, second) {
            problems.push(Problem::duplicate(source.wanted.clone(), &first, &second));
        }
        let Some(place) = places.get_mut(index) else { continue };
        place.served = old(place).filter(|old| !taken.contains_key(old.name()));
        // Read again in the next scan: the other agent may be removed by then.
        place.forget();
        if let Some(served) = &place.served {
            taken.insert(served.name().clone(), index);
        }
    }
    let mut numbers: HashMap<AgentName, usize> = HashMap::new();
    for new in numbered {
        let wanted = &new.served.source.wanted;
        let last = numbers.entry(wanted.clone()).or_default();
        let name = free(wanted, last, |name| new.may_have(name, &known, &taken));
        taken.insert(name.clone(), new.index);
        place_served(places, new.index, new.served.named(name));
    }
}

/// A new agent without an assigned name.
struct Newcomer {
    index: usize,
    spot: Spot,
    /// The name before a restart.
    had: Option<AgentName>,
    served: Served,
}

impl Newcomer {
    /// Whether the name is free. A name that belongs to another location is available only to native agents, which
    /// cannot take another one.
    fn may_have(&self, name: &AgentName, known: &Known<'_>, taken: &HashMap<AgentName, usize>) -> bool {
        let is_own = !self.served.source.is_foreign || self.had.as_ref() == Some(name);
        (is_own || !known.is_of_another(name, &self.spot)) && !taken.contains_key(name)
    }
}

fn place_served(places: &mut [Place], index: usize, served: Served) {
    if let Some(place) = places.get_mut(index) {
        place.served = Some(served);
    }
}

/// The name with the first free numeric suffix; `last` is the last suffix tried.
fn free(wanted: &AgentName, last: &mut usize, may_be_had: impl Fn(&AgentName) -> bool) -> AgentName {
    loop {
        *last += 1;
        let ending = format!("-{last}");
        let kept: String = wanted.as_str().chars().take(LONGEST - ending.len()).collect();
        let name = AgentName::from(format!("{}{ending}", kept.trim_end_matches('-')));
        if may_be_had(&name) {
            return name;
        }
    }
}
