//! Writes the converted files to a path that does not exist yet.

use crate::{error_codes, failure::CliError};
use baton_types::ErrorCode;
use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Writes the files; files written before an error are removed.
pub(super) fn write_files(to: &Path, is_file: bool, files: &BTreeMap<String, Vec<u8>>) -> Result<(), CliError> {
    if to.is_file() || fs::read_dir(to).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(already_exists(to));
    }
    let mut written = Vec::new();
    for (path, bytes) in files {
        let file = if is_file { to.to_owned() } else { to.join(path) };
        if let Err(error) = write_new_file(&file, bytes, &mut written) {
            for file in &written {
                let _ = fs::remove_file(file);
            }
            return Err(match error.kind() {
                io::ErrorKind::AlreadyExists => already_exists(&file),
                _ => CliError::new(ErrorCode::INTERNAL, format!("cannot write {}: {error}", file.display()))
                    .hint("Choose a writable path."),
            });
        }
    }
    Ok(())
}

fn write_new_file(file: &Path, bytes: &[u8], written: &mut Vec<PathBuf>) -> io::Result<()> {
    if let Some(parent) = file.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut opened = fs::OpenOptions::new().write(true).create_new(true).open(file)?;
    written.push(file.to_owned());
    opened.write_all(bytes)
}

fn already_exists(path: &Path) -> CliError {
    CliError::new(error_codes::ALREADY_EXISTS, format!("{} already exists; nothing was written", path.display()))
}
