//! The key that seals what MCP clients carry from one round of a call to the next.

use super::store::KEYS;
use crate::Error;
use baton_mcp::Seal;
use baton_types::ErrorCode;
use std::{fs, io, path::Path, time::Duration};

const FILE: &str = "mcp-seal.key";
const BYTES: usize = 32;

/// Seals with the key of the data directory, made at the first start; without one, with a key that is gone at the end.
pub(super) fn seal(data: Option<&Path>, lasts: Duration) -> Result<Seal, Error> {
    let unusable = |reason: String| Error::new(ErrorCode::KEYS_UNUSABLE, reason);
    let seal = match data {
        Some(data) => Seal::new(&key(&data.join(KEYS).join(FILE))?, &[], lasts),
        None => Seal::random(lasts),
    };
    seal.map_err(|error| unusable(error.to_string()))
}

fn key(path: &Path) -> Result<Vec<u8>, Error> {
    let failed = |reason: String| Error::new(ErrorCode::KEYS_UNUSABLE, format!("{}: {reason}", path.display()));
    match fs::read(path) {
        Ok(key) if key.len() == BYTES => Ok(key),
        Ok(_) => Err(failed(format!("it does not have {BYTES} bytes; remove it, and a new one is made"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut key = vec![0; BYTES];
            getrandom::fill(&mut key).map_err(|error| failed(format!("the system gives no random bytes: {error}")))?;
            baton_local::write_private(path, &key).map_err(|error| failed(error.to_string()))?;
            Ok(key)
        }
        Err(error) => Err(failed(error.to_string())),
    }
}
