//! Who has which name, so that a restart gives it to nobody else.

use super::{home::Spot, look::Place, source::Served};
use crate::{LoadError, write_private};
use baton_types::AgentName;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs, io,
    path::{Path, PathBuf},
};

/// The most places that are remembered although nothing is there; more of them are no accident to recover from.
const MOST_GONE: usize = 10_000;

/// The names that agents of foreign forms have been served under, by where they are.
///
/// Agents of our own form are not in it: their files say the one name that they can have.
#[derive(Debug, Default)]
pub(super) struct Names {
    given: BTreeMap<Spot, Given>,
    file: Option<PathBuf>,
    /// Whether the file is ours to write; until then it is only read.
    is_owner: bool,
    is_written: bool,
}

/// A name, and the one that the files asked for when it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Given {
    wanted: AgentName,
    name: AgentName,
}

#[derive(Serialize, Deserialize)]
struct Written {
    agents: Vec<Line>,
}

/// One agent, as the file has it.
#[derive(Serialize, Deserialize)]
struct Line {
    /// Relative to where the data directory lies, if it is below it: both may move together.
    directory: PathBuf,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    wanted: AgentName,
    name: AgentName,
}

impl Names {
    /// What the file says; one that is not there says nothing.
    pub(super) fn read(file: Option<PathBuf>) -> Result<Self, LoadError> {
        let Some(file) = file else { return Ok(Self::default()) };
        let unusable = |reason: String| LoadError::Names { file: file.clone(), reason };
        let written = match fs::read(&file) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| unusable(error.to_string()))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Written { agents: Vec::new() },
            Err(error) => return Err(unusable(error.to_string())),
        };
        let beside = beside(&file);
        let known = |line: Line| {
            let spot = Spot::Disk(beside.join(line.directory), line.file);
            (spot, Given { wanted: line.wanted, name: line.name })
        };
        let given = written.agents.into_iter().map(known).collect();
        Ok(Self { given, file: Some(file), is_owner: false, is_written: true })
    }

    /// From now on the file is written whenever a name is given.
    pub(super) fn own(&mut self) {
        self.is_owner = true;
        self.write();
    }

    /// The name that the agent at a place had when its files asked for this one.
    pub(super) fn had(&self, spot: &Spot, wanted: &AgentName) -> Option<&AgentName> {
        self.given.get(spot).filter(|given| given.wanted == *wanted).map(|given| &given.name)
    }

    /// Who names belong to that are not for others: those of places that are there, usable or not, and every number
    /// that was ever given. A name without a number is what files say, and whoever comes next may say it, too.
    pub(super) fn reserved(&self, places: &[Place]) -> HashMap<AgentName, Spot> {
        let here = spots(places);
        let is_reserved = |(spot, given): &(&Spot, &Given)| given.name != given.wanted || here.contains(spot);
        self.given.iter().filter(is_reserved).map(|(spot, given)| (given.name.clone(), spot.clone())).collect()
    }

    /// Remembers who is served under which name, and writes it down if that is new.
    pub(super) fn remember(&mut self, places: &[Place]) {
        let before = self.given.clone();
        let served: Vec<(Spot, &Served)> =
            places.iter().filter_map(|place| Some((place.home.spot(), place.served.as_ref()?))).collect();
        let holders: HashMap<&AgentName, &Spot> = served.iter().map(|(spot, served)| (served.name(), spot)).collect();
        self.given.retain(|spot, given| holders.get(&given.name).is_none_or(|holder| *holder == spot));
        for (spot, served) in served.iter().filter(|(spot, served)| served.source.is_foreign && spot.is_lasting()) {
            let given = Given { wanted: served.source.wanted.clone(), name: served.name().clone() };
            self.given.insert(spot.clone(), given);
        }
        if self.given.len() > places.len() + MOST_GONE {
            let here = spots(places);
            self.given.retain(|spot, _| here.contains(spot));
        }
        self.is_written &= self.given == before;
        self.write();
    }

    fn write(&mut self) {
        let Some(file) = self.file.as_ref().filter(|_| self.is_owner && !self.is_written) else { return };
        let beside = beside(file);
        let line = |(spot, given): (&Spot, &Given)| match spot {
            Spot::Disk(directory, name) => {
                let directory = directory.strip_prefix(&beside).unwrap_or(directory).to_owned();
                let Given { wanted, name: given } = given.clone();
                Some(Line { directory, file: name.clone(), wanted, name: given })
            }
            Spot::Kept(..) => None,
        };
        let written = Written { agents: self.given.iter().filter_map(line).collect() };
        let bytes = serde_json::to_vec_pretty(&written).map_err(io::Error::other);
        match bytes.and_then(|bytes| write_private(file, &bytes)) {
            Ok(()) => self.is_written = true,
            // Tried again at the next look; until then names are only as lasting as this process.
            Err(error) => {
                tracing::warn!(file = %file.display(), %error, "the names of agents cannot be written down; after a restart they may have others");
            }
        }
    }
}

fn spots(places: &[Place]) -> HashSet<Spot> {
    places.iter().map(|place| place.home.spot()).collect()
}

/// Where the directory lies that the file is in.
fn beside(file: &Path) -> PathBuf {
    let data = file.parent().map(|data| fs::canonicalize(data).unwrap_or_else(|_| data.to_owned()));
    data.as_deref().and_then(Path::parent).map(Path::to_owned).unwrap_or_default()
}
