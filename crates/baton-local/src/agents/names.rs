//! Persists assigned agent names, so that a restart does not reassign them.

use super::{location::LocationKey, scanner::ScannedAgent};
use crate::LoadError;
use baton_system::write_private;
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
    location: LocationKey,
    requested: AgentName,
}

/// Name assignments as seen by one scan.
pub(super) struct NameIndex<'a> {
    assigned: &'a BTreeMap<AgentName, NameHolder>,
    present: RequestedNames,
    by_location: HashMap<&'a LocationKey, Vec<&'a AgentName>>,
    /// Names of missing locations, by requested name and directory or file name.
    absent: HashMap<(&'a AgentName, &'a OsStr), Vec<&'a AgentName>>,
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
        let parent = data_directory_parent(&file);
        let read_line = |line: NameFileEntry| {
            let location = LocationKey::Disk(parent.join(line.directory), line.file);
            (line.name, NameHolder { location, requested: line.wanted })
        };
        let assigned = written.agents.into_iter().map(read_line).collect();
        Ok(Self { assigned, file: Some(file), is_written: true, ..Self::default() })
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
    pub(super) fn index(&self, scanned_agents: &[ScannedAgent]) -> NameIndex<'_> {
        let present = requested_names(scanned_agents);
        let (mut by_location, mut absent) = (HashMap::<_, Vec<_>>::new(), HashMap::<_, Vec<_>>::new());
        for (name, holder) in &self.assigned {
            by_location.entry(&holder.location).or_default().push(name);
            if let Some(tail) = holder.location.last_component().filter(|_| !present.contains_key(&holder.location)) {
                absent.entry((&holder.requested, tail)).or_default().push(name);
            }
        }
        NameIndex { assigned: &self.assigned, present, by_location, absent }
    }

    /// Records served names, and writes the file if they changed.
    pub(super) fn record_names(&mut self, scanned_agents: &[ScannedAgent]) {
        for scanned in scanned_agents {
            let Some(served) = &scanned.served else { continue };
            let name = served.name();
            let durable_location =
                served.source.is_foreign.then(|| scanned.home.location_key()).filter(LocationKey::is_durable);
            let Some(location) = durable_location else {
                self.is_written &= self.assigned.remove(name).is_none();
                continue;
            };
            let holder = NameHolder { location, requested: served.source.requested_name.clone() };
            if self.assigned.get(name) != Some(&holder) {
                self.assigned.insert(name.clone(), holder);
                self.is_written = false;
            }
        }
        if self.assigned.len() > scanned_agents.len() + MAX_MISSING_LOCATIONS {
            let present = requested_names(scanned_agents);
            self.assigned.retain(|_, holder| present.contains_key(&holder.location));
            self.is_written = false;
        }
        self.write();
    }

    fn write(&mut self) {
        let Some(file) = self.file.as_ref().filter(|_| self.is_owner && !self.is_written) else { return };
        let parent = data_directory_parent(file);
        let line = |(name, holder): (&AgentName, &NameHolder)| match &holder.location {
            LocationKey::Disk(directory, file) => {
                let directory = directory.strip_prefix(&parent).unwrap_or(directory).to_owned();
                Some(NameFileEntry {
                    directory,
                    file: file.clone(),
                    wanted: holder.requested.clone(),
                    name: name.clone(),
                })
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
    pub(super) fn previous_name(&self, location: &LocationKey, requested: &AgentName) -> Option<&AgentName> {
        let names = self.by_location.get(location).map(Vec::as_slice).unwrap_or_default();
        let is_same =
            |name: &&&AgentName| self.assigned.get(**name).is_some_and(|holder| holder.requested == *requested);
        names.iter().find(is_same).copied().or_else(|| {
            match self.absent.get(&(requested, location.last_component()?))?.as_slice() {
                [name] => Some(*name),
                _ => None,
            }
        })
    }

    /// Whether a name belongs to another location. Names with a numeric suffix always do; a plain name does while the
    /// agent there still requests it or is invalid.
    pub(super) fn belongs_to_other(&self, name: &AgentName, location: &LocationKey) -> bool {
        self.assigned.get(name).is_some_and(|holder| {
            let is_requested = || match self.present.get(&holder.location) {
                Some(Some(requested)) => *requested == holder.requested,
                Some(None) => true,
                None => false,
            };
            holder.location != *location && (*name != holder.requested || is_requested())
        })
    }
}

fn requested_names(scanned_agents: &[ScannedAgent]) -> RequestedNames {
    let requested = |scanned: &ScannedAgent| scanned.served.as_ref().map(|served| served.source.requested_name.clone());
    scanned_agents.iter().map(|scanned| (scanned.home.location_key(), requested(scanned))).collect()
}

/// Parent of the directory of the file.
fn data_directory_parent(file: &Path) -> PathBuf {
    let data = file.parent().map(|data| fs::canonicalize(data).unwrap_or_else(|_| data.to_owned()));
    data.as_deref().and_then(Path::parent).map(Path::to_owned).unwrap_or_default()
}
