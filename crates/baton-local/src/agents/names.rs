//! Persists assigned agent names, so that a restart does not reassign them.

use super::{location::LocationKey, scanner::ScannedAgent};
use crate::{LoadError, write_private};
use baton_types::AgentName;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, HashMap},
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
};

/// Maximum number of assignments kept for missing locations.
const MAX_MISSING_LOCATIONS: usize = 10_000;

/// Assigned names of agents in other programs' formats, and their holders.
///
/// Agents in the native format are not included: their files determine the name.
#[derive(Debug, Default)]
pub(super) struct NameAssignments {
    assigned: BTreeMap<AgentName, NameHolder>,
    file: Option<PathBuf>,
    /// Whether this process may write the file; otherwise it is read-only.
    is_owner: bool,
    is_written: bool,
    /// Whether a write error has already been logged.
    is_error_logged: bool,
}

/// Holder of a name: the agent at a location, as long as its files request the same name as at the assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NameHolder {
    spot: LocationKey,
    wanted: AgentName,
}

/// Name assignments as seen by one scan.
pub(super) struct NameIndex<'a> {
    given: &'a BTreeMap<AgentName, NameHolder>,
    here: RequestedNames,
    by_spot: HashMap<&'a LocationKey, Vec<&'a AgentName>>,
    /// Names of missing locations, by requested name and directory or file name.
    away: HashMap<(&'a AgentName, &'a OsStr), Vec<&'a AgentName>>,
}

/// Existing locations and the names their agents request; `None` if the agent is invalid.
type RequestedNames = HashMap<LocationKey, Option<AgentName>>;

#[derive(Serialize, Deserialize)]
struct NameFile {
    agents: Vec<NameFileEntry>,
}

/// One agent in the file.
#[derive(Serialize, Deserialize)]
struct NameFileEntry {
    /// Relative to the parent of the data directory if it is below it, so that both can be moved together.
    directory: PathBuf,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    wanted: AgentName,
    name: AgentName,
}

impl NameAssignments {
    /// Reads the file; a missing file has no assignments.
    pub(super) fn read(file: Option<PathBuf>) -> Result<Self, LoadError> {
        let Some(file) = file else { return Ok(Self::default()) };
        let unusable = |reason: String| LoadError::Names { file: file.clone(), reason };
        let written = match fs::read(&file) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| unusable(error.to_string()))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => NameFile { agents: Vec::new() },
            Err(error) => return Err(unusable(error.to_string())),
        };
        let beside = data_directory_parent(&file);
        let known = |line: NameFileEntry| {
            let spot = LocationKey::Disk(beside.join(line.directory), line.file);
            (line.name, NameHolder { spot, wanted: line.wanted })
        };
        let given = written.agents.into_iter().map(known).collect();
        Ok(Self { assigned: given, file: Some(file), is_written: true, ..Self::default() })
    }

    /// Makes this process the owner of the file; it is written after every assignment.
    pub(super) fn take_ownership(&mut self) {
        // The previous owner of the directory may have assigned names since the file was read.
        if let Ok(Self { assigned: written, .. }) = Self::read(self.file.clone()) {
            for (name, holder) in &written {
                self.assigned.entry(name.clone()).or_insert_with(|| holder.clone());
            }
            self.is_written = self.assigned == written;
        }
        self.is_owner = true;
        self.write();
    }

    /// The assignments for a scan that found these places.
    pub(super) fn known(&self, places: &[ScannedAgent]) -> NameIndex<'_> {
        let here = requested_names(places);
        let (mut by_spot, mut away) = (HashMap::<_, Vec<_>>::new(), HashMap::<_, Vec<_>>::new());
        for (name, holder) in &self.assigned {
            by_spot.entry(&holder.spot).or_default().push(name);
            if let Some(tail) = holder.spot.last_component().filter(|_| !here.contains_key(&holder.spot)) {
                away.entry((&holder.wanted, tail)).or_default().push(name);
            }
        }
        NameIndex { given: &self.assigned, here, by_spot, away }
    }

    /// Records served names, and writes the file if they changed.
    pub(super) fn record_names(&mut self, places: &[ScannedAgent]) {
        for place in places {
            let Some(served) = &place.served else { continue };
            let name = served.name();
            let lasting = served.source.is_foreign.then(|| place.home.location_key()).filter(LocationKey::is_durable);
            let Some(spot) = lasting else {
                self.is_written &= self.assigned.remove(name).is_none();
                continue;
            };
            let holder = NameHolder { spot, wanted: served.source.requested_name.clone() };
            if self.assigned.get(name) != Some(&holder) {
                self.assigned.insert(name.clone(), holder);
                self.is_written = false;
            }
        }
        if self.assigned.len() > places.len() + MAX_MISSING_LOCATIONS {
            let here = requested_names(places);
            self.assigned.retain(|_, holder| here.contains_key(&holder.spot));
            self.is_written = false;
        }
        self.write();
    }

    fn write(&mut self) {
        let Some(file) = self.file.as_ref().filter(|_| self.is_owner && !self.is_written) else { return };
        let beside = data_directory_parent(file);
        let line = |(name, holder): (&AgentName, &NameHolder)| match &holder.spot {
            LocationKey::Disk(directory, file) => {
                let directory = directory.strip_prefix(&beside).unwrap_or(directory).to_owned();
                Some(NameFileEntry { directory, file: file.clone(), wanted: holder.wanted.clone(), name: name.clone() })
            }
            LocationKey::Storage(..) => None,
        };
        let written = NameFile { agents: self.assigned.iter().filter_map(line).collect() };
        let bytes = serde_json::to_vec_pretty(&written).map_err(io::Error::other);
        match bytes.and_then(|bytes| write_private(file, &bytes)) {
            Ok(()) => (self.is_written, self.is_error_logged) = (true, false),
            // Retried in the next scan; until then assignments last only as long as this process.
            Err(error) => {
                if !std::mem::replace(&mut self.is_error_logged, true) {
                    tracing::warn!(file = %file.display(), %error, "the assigned agent names cannot be saved; they may change after a restart");
                }
            }
        }
    }
}

impl NameIndex<'_> {
    /// The previous name of an agent that requested this one: by location, or, if its location is missing, by directory
    /// or file name in a folder that was moved or replaced.
    pub(super) fn previous_name(&self, spot: &LocationKey, wanted: &AgentName) -> Option<&AgentName> {
        let names = self.by_spot.get(spot).map(Vec::as_slice).unwrap_or_default();
        let is_same = |name: &&&AgentName| self.given.get(**name).is_some_and(|holder| holder.wanted == *wanted);
        names.iter().find(is_same).copied().or_else(|| {
            match self.away.get(&(wanted, spot.last_component()?))?.as_slice() {
                [name] => Some(*name),
                _ => None,
            }
        })
    }

    /// Whether a name belongs to another location. Names with a numeric suffix always do; a plain name does while the
    /// agent there still requests it or is invalid.
    pub(super) fn belongs_to_other(&self, name: &AgentName, spot: &LocationKey) -> bool {
        self.given.get(name).is_some_and(|holder| {
            let asks = || match self.here.get(&holder.spot) {
                Some(Some(wanted)) => *wanted == holder.wanted,
                Some(None) => true,
                None => false,
            };
            holder.spot != *spot && (*name != holder.wanted || asks())
        })
    }
}

fn requested_names(places: &[ScannedAgent]) -> RequestedNames {
    let asks = |place: &ScannedAgent| place.served.as_ref().map(|served| served.source.requested_name.clone());
    places.iter().map(|place| (place.home.location_key(), asks(place))).collect()
}

/// Parent of the directory of the file.
fn data_directory_parent(file: &Path) -> PathBuf {
    let data = file.parent().map(|data| fs::canonicalize(data).unwrap_or_else(|_| data.to_owned()));
    data.as_deref().and_then(Path::parent).map(Path::to_owned).unwrap_or_default()
}
