//! A secret key in a file of its own.

use baton_system::write_private;
use std::{fs, io, path::Path};

/// Length of a key, in bytes.
const KEY_BYTES: usize = 32;

/// The key can neither be read nor created.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {reason}")]
pub struct SecretKeyError {
    file: String,
    reason: String,
}

/// The key in a file that only its owner can read; created on first use, in an existing directory.
pub fn load_or_create_key(path: &Path) -> Result<Vec<u8>, SecretKeyError> {
    let unusable = |reason: String| SecretKeyError { file: path.display().to_string(), reason };
    match fs::read(path) {
        Ok(key) if key.len() == KEY_BYTES => Ok(key),
        Ok(_) => Err(unusable(format!("it does not have {KEY_BYTES} bytes; delete it to create a new one"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut key = vec![0; KEY_BYTES];
            getrandom::fill(&mut key)
                .map_err(|error| unusable(format!("the system provides no random bytes: {error}")))?;
            write_private(path, &key).map_err(|error| unusable(error.to_string()))?;
            Ok(key)
        }
        Err(error) => Err(unusable(error.to_string())),
    }
}
