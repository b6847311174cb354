//! Each name for one agent.

use super::{
    home::Spot,
    look::{Place, Problem},
    names::{Known, Names},
    snapshot::Snapshot,
    source::Served,
};
use baton_types::AgentName;
use std::{collections::HashMap, sync::Arc};

/// The longest name that an agent has.
const LONGEST: usize = 64;

/// Lets the agent that has a name keep it; of newcomers the one that had it before a restart gets it, then the first.
/// Another one of a foreign form gets a number behind it; one of our own form may not have it, and stays as it was.
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
        // One of our own form has the name that its file says, whatever was in its place before.
        let had = known.had(&spot, &served.source.wanted).filter(|_| served.source.is_foreign).cloned();
        Newcomer { index, spot, had, served }
    };
    let mut newcomers: Vec<Newcomer> = unnamed.into_iter().map(newcomer).collect();
    // Our own first: they cannot take another name.
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
        // Read again next time: the other one may be gone by then.
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

/// An agent without a name.
struct Newcomer {
    index: usize,
    spot: Spot,
    /// The name that it had before a restart.
    had: Option<AgentName>,
    served: Served,
}

impl Newcomer {
    /// Whether nobody has the name; what belongs to another place is only for our own form, which can have no other.
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

/// The name with the first number behind it that may be had; `last` is the one that was given last.
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
