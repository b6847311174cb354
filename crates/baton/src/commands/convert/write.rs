//! Writes the converted files to a path that does not exist yet.

use crate::failure::Failure;
use baton_types::ErrorCode;
use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Writes the files; files written before an error are removed.
pub(super) fn files(to: &Path, is_file: bool, files: &BTreeMap<String, Vec<u8>>) -> Result<(), Failure> {
    if to.is_file() || fs::read_dir(to).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(exists(to));
    }
    let mut written = Vec::new();
    for (path, bytes) in files {
        let file = if is_file { to.to_owned() } else { to.join(path) };
        if let Err(error) = new(&file, bytes, &mut written) {
            for file in &written {
                let _ = fs::remove_file(file);
            }
            return Err(match error.kind() {
                io::ErrorKind::AlreadyExists => exists(&file),
                _ => Failure::new(ErrorCode::INTERNAL, format!("cannot write {}: {error}", file.display()))
                    .hint("Choose a writable path."),
            });
        }
    }
    Ok(())
}

fn new(file: &Path, bytes: &[u8], written: &mut Vec<PathBuf>) -> io::Result<()> {
    if let Some(parent) = file.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut opened = fs::OpenOptions::new().write(true).create_new(true).open(file)?;
    written.push(file.to_owned());
    opened.write_all(bytes)
}

fn exists(path: &Path) -> Failure {
    Failure::new(ErrorCode::ALREADY_EXISTS, format!("{} already exists; nothing was written", path.display()))
}
