//! Files that only their owner can read.

use std::{
    ffi::OsString,
    fs,
    io::{self, Write as _},
    path::Path,
};

/// Atomically writes a file that is never accessible to other users; it is on disk when this returns.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    let draft = path.with_file_name(name);
    match fs::remove_file(&draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&draft, path)?;
    // Syncs the directory, so that the rename survives a power failure. Only Unix supports this.
    #[cfg(unix)]
    match path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => fs::File::open(parent)?.sync_all()?,
        None => fs::File::open(".")?.sync_all()?,
    }
    Ok(())
}
