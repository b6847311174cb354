//! Key files that only their owner can read.

use baton_local::write_private;
use ring::{pkcs8::Document, rand::SystemRandom};
use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

/// A key in PKCS#8 has some 140 bytes.
const MAX_BYTES: u64 = 4096;
/// What groups and others may do.
#[cfg(unix)]
const OF_OTHERS: u32 = 0o077;
#[cfg(unix)]
const WRITE_OF_OTHERS: u32 = 0o022;

/// Why the signing keys cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// The disk refuses.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A key that others could read is nobody's.
    #[error("others can use {} (mode {mode:03o}): make it yours alone with `chmod {} {}`, or, if somebody may have \
             seen the key, remove it for a new one", .path.display(), .wanted, .path.display())]
    Exposed {
        /// The file or directory.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
        /// The arguments of `chmod` that mend it.
        wanted: &'static str,
    },
    /// The file holds no key of its kind.
    #[error("{} holds no {kind} key in PKCS#8 form ({reason}): restore it from a copy, or remove it for a new key", .path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The kind that it should hold.
        kind: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The system gives no random bytes.
    #[error("the system gives no random bytes for a new key")]
    NoRandomness,
}

/// Makes the directory of the keys, for its owner alone; one that others can write to is refused.
pub(super) fn directory(path: &Path) -> Result<(), KeyFileError> {
    let failed = |source| KeyFileError::Io { path: path.to_owned(), source };
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(failed)?;
    #[cfg(unix)]
    {
        // Reading the names gives nothing away; whoever can write could put keys of their own there.
        let mode = mode(&fs::metadata(path).map_err(failed)?);
        if mode & WRITE_OF_OTHERS != 0 {
            return Err(KeyFileError::Exposed { path: path.to_owned(), mode, wanted: "700" });
        }
    }
    Ok(())
}

/// The bytes of a key file; `make` gives those of a new one.
pub(super) fn load_or_make(
    path: &Path,
    make: impl FnOnce(&SystemRandom) -> Result<Document, ring::error::Unspecified>,
) -> Result<Vec<u8>, KeyFileError> {
    let failed = |source| KeyFileError::Io { path: path.to_owned(), source };
    match File::open(path) {
        Ok(file) => read(path, file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let made = make(&SystemRandom::new()).map_err(|_| KeyFileError::NoRandomness)?;
            write_private(path, made.as_ref()).map_err(failed)?;
            Ok(made.as_ref().to_vec())
        }
        Err(error) => Err(failed(error)),
    }
}

fn read(path: &Path, file: File) -> Result<Vec<u8>, KeyFileError> {
    let failed = |source| KeyFileError::Io { path: path.to_owned(), source };
    #[cfg(unix)]
    {
        let mode = mode(&file.metadata().map_err(failed)?);
        if mode & OF_OTHERS != 0 {
            return Err(KeyFileError::Exposed { path: path.to_owned(), mode, wanted: "600" });
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
