//! Each name for one agent.

use super::{
    look::{Place, Problem},
    snapshot::Snapshot,
    source::Served,
};
use baton_types::AgentName;
use std::collections::HashMap;

/// The longest name that an agent has.
const LONGEST: usize = 64;

/// Lets the agent that has a name keep it; of newcomers the first gets it. Another one of a foreign form gets a number
/// behind it; one of our own form may not have it, and stays as it was.
pub(super) fn name_once(before: &Snapshot, places: &mut [Place], problems: &mut Vec<Problem>) {
    let mut taken: HashMap<AgentName, usize> = HashMap::new();
    let old = |place: &Place| before.place(&place.home.spot())?.served.clone();
    let mut newcomers = Vec::new();
    for (index, place) in places.iter_mut().enumerate() {
        let Some(served) = place.served.take() else { continue };
        match old(place).filter(|old| old.source.wanted == served.source.wanted) {
            Some(old) => {
                taken.insert(old.name().clone(), index);
                place.served = Some(served.named(old.name().clone()));
            }
            None => newcomers.push((index, served)),
        }
    }
    // Our own first: they cannot take another name.
    newcomers.sort_by_key(|(index, served)| (served.source.is_foreign, *index));
    let mut numbered: Vec<(usize, Served)> = Vec::new();
    for (index, served) in newcomers {
        let Some(first) = taken.get(&served.source.wanted).copied() else {
            taken.insert(served.source.wanted.clone(), index);
            place_served(places, index, served);
            continue;
        };
        if served.source.is_foreign {
            numbered.push((index, served));
            continue;
        }
        let [first, second] = [first, index].map(|index| places.get(index).map(|place| place.home.clone()));
        if let (Some(first), Some(second)) = (first, second) {
            problems.push(Problem::duplicate(served.source.wanted.clone(), &first, &second));
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
    for (index, served) in numbered {
        let name = free(&served.source.wanted, numbers.entry(served.source.wanted.clone()).or_default(), &taken);
        taken.insert(name.clone(), index);
        place_served(places, index, served.named(name));
    }
}

fn place_served(places: &mut [Place], index: usize, served: Served) {
    if let Some(place) = places.get_mut(index) {
        place.served = Some(served);
    }
}

/// The name with the first number behind it that nobody has; `last` is the one that was given last.
fn free(wanted: &AgentName, last: &mut usize, taken: &HashMap<AgentName, usize>) -> AgentName {
    loop {
        *last += 1;
        let ending = format!("-{last}");
        let kept: String = wanted.as_str().chars().take(LONGEST - ending.len()).collect();
        let name = AgentName::from(format!("{}{ending}", kept.trim_end_matches('-')));
        if !taken.contains_key(&name) {
            return name;
        }
    }
}
