//! Key files with owner-only permissions.

use baton_system::write_private;
use ring::{pkcs8::Document, rand::SystemRandom};
use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

/// Maximum file size; a PKCS#8 key has about 140 bytes.
const MAX_BYTES: u64 = 4096;
/// Permission bits of group and others.
#[cfg(unix)]
const GROUP_OTHER_MASK: u32 = 0o077;
#[cfg(unix)]
const GROUP_OTHER_WRITE_MASK: u32 = 0o022;

/// Error in a signing key file.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// An I/O operation failed.
    #[error("{}: {source}", .path.display())]
    Io {
        /// Path of the file or directory.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Other users can access the key, so it is not trusted.
    #[error("{} is accessible to other users (mode {mode:03o}): restrict it with `chmod {} {}`, or, if the key may be \
             compromised, delete it to create a new one", .path.display(), .required_mode, .path.display())]
    Exposed {
        /// Path of the file or directory.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
        /// Mode for `chmod` that fixes the permissions.
        required_mode: &'static str,
    },
    /// The file does not contain a key of its kind.
    #[error("{} is not a {kind} key in PKCS#8 format ({reason}): restore it from a backup, or delete it to create a new key", .path.display())]
    Unusable {
        /// Path of the file.
        path: PathBuf,
        /// Expected kind of key.
        kind: &'static str,
        /// The reason.
        reason: String,
    },
    /// The system provides no random bytes.
    #[error("the system provides no random bytes for a new key")]
    NoRandomness,
}

/// Creates the key directory with owner-only permissions; rejects one that others can write to.
pub(super) fn create_directory(path: &Path) -> Result<(), KeyFileError> {
    let failed = |source| KeyFileError::Io { path: path.to_owned(), source };
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(failed)?;
    #[cfg(unix)]
    {
        // Read access reveals only file names; write access would allow planting keys.
        let mode = mode(&fs::metadata(path).map_err(failed)?);
        if mode & GROUP_OTHER_WRITE_MASK != 0 {
            return Err(KeyFileError::Exposed { path: path.to_owned(), mode, required_mode: "700" });
        }
    }
    Ok(())
}

/// Contents of a key file; `make` generates a new key.
pub(super) fn load_or_create(
    path: &Path,
    make: impl FnOnce(&SystemRandom) -> Result<Document, ring::error::Unspecified>,
) -> Result<Vec<u8>, KeyFileError> {
    let failed = |source| KeyFileError::Io { path: path.to_owned(), source };
    match File::open(path) {
        Ok(file) => read(path, file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let document = make(&SystemRandom::new()).map_err(|_| KeyFileError::NoRandomness)?;
            write_private(path, document.as_ref()).map_err(failed)?;
            Ok(document.as_ref().to_vec())
        }
        Err(error) => Err(failed(error)),
    }
}

fn read(path: &Path, file: File) -> Result<Vec<u8>, KeyFileError> {
    let failed = |source| KeyFileError::Io { path: path.to_owned(), source };
    #[cfg(unix)]
    {
        let mode = mode(&file.metadata().map_err(failed)?);
        if mode & GROUP_OTHER_MASK != 0 {
            return Err(KeyFileError::Exposed { path: path.to_owned(), mode, required_mode: "600" });
        }
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

#[cfg(unix)]
fn mode(metadata: &fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777
}
