//! Reads the files of the agent to convert.

use crate::{error_codes, failure::CliError};
use baton_agentdir::{AGENT_FILE, is_definition_path};
use baton_types::ErrorCode;
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

/// A single file may contain megabytes of embedding vectors.
const MAX_FILE_BYTES: u64 = 64 << 20;
const MAX_FILES: usize = 4096;
/// `skills/*/SKILL.md` is the deepest path.
const MAX_DEPTH: usize = 3;

/// Files of an agent: those of its directory, or a single file.
pub(super) fn read_agent(from: &Path) -> Result<BTreeMap<String, Vec<u8>>, CliError> {
    let name = from.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if from.is_file() {
        // `agent.yaml` and JSON files stand for their directory; every other file is complete without its siblings.
        let makes_directory = name == AGENT_FILE || name.ends_with(".json");
        let beside = from.parent().map(|parent| if parent == Path::new("") { Path::new(".") } else { parent });
        return match beside.filter(|_| makes_directory) {
            Some(directory) => read_directory(directory),
            None => Ok(BTreeMap::from([(name.to_owned(), read_file(from)?)])),
        };
    }
    match fs::metadata(from) {
        Ok(_) => read_directory(from),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let message = format!("{} does not exist", from.display());
            Err(CliError::new(error_codes::USAGE, message).hint("Name the directory or file of an agent."))
        }
        Err(error) => Err(read_failure(from, &error)),
    }
}

fn read_directory(root: &Path) -> Result<BTreeMap<String, Vec<u8>>, CliError> {
    let mut files = BTreeMap::new();
    let mut waiting = vec![(String::new(), 0)];
    while let Some((directory, depth)) = waiting.pop() {
        let directory_path = root.join(&directory);
        for entry in fs::read_dir(&directory_path).map_err(|error| read_failure(&directory_path, &error))? {
            let entry = entry.map_err(|error| read_failure(&directory_path, &error))?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = if directory.is_empty() { name } else { format!("{directory}/{name}") };
            if entry.path().is_dir() {
                if depth + 1 < MAX_DEPTH && !path.starts_with('.') {
                    waiting.push((path, depth + 1));
                }
            } else if is_definition_path(&path) && files.len() < MAX_FILES {
                files.insert(path, read_file(&entry.path())?);
            }
        }
    }
    Ok(files)
}

fn read_file(path: &Path) -> Result<Vec<u8>, CliError> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| read_failure(path, &error))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        let message = format!("{} is larger than 64 MB", path.display());
        return Err(CliError::new(ErrorCode::AGENT_INVALID, message).hint("Keep large content in other files."));
    }
    Ok(bytes)
}

fn read_failure(path: &Path, error: &io::Error) -> CliError {
    CliError::new(error_codes::USAGE, format!("cannot read {}: {error}", path.display()))
        .hint("Check that the user that runs Baton has read permission.")
}
