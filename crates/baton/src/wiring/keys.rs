//! The keys that cards are signed with, and the one that seals what MCP clients carry.

use crate::failure::Failure;
use baton_identity::SigningKeys;
use baton_ports::CardSigner;
use baton_types::ErrorCode;
use std::{fs, io, path::Path, sync::Arc};

/// Where they are, in the data directory.
const DIRECTORY: &str = "keys";
const SEAL: &str = "mcp-seal.key";
const SEAL_BYTES: usize = 32;

/// The keys of a data directory that this process owns; made at the first start.
pub(super) fn signer(data: &Path) -> Result<Arc<dyn CardSigner>, Failure> {
    let keys = SigningKeys::open(&data.join(DIRECTORY));
    Ok(Arc::new(keys.map_err(|error| Failure::new(ErrorCode::KEYS_UNUSABLE, error.to_string()))?))
}

/// The key that seals what MCP clients carry from one round of a call to the next; made at the first start, after the
/// keys that cards are signed with, which make the directory.
pub(super) fn sealing(data: &Path) -> Result<Vec<u8>, Failure> {
    let path = data.join(DIRECTORY).join(SEAL);
    let failed = |reason: String| Failure::new(ErrorCode::KEYS_UNUSABLE, format!("{}: {reason}", path.display()));
    match fs::read(&path) {
        Ok(key) if key.len() == SEAL_BYTES => Ok(key),
        Ok(_) => Err(failed(format!("it does not have {SEAL_BYTES} bytes; remove it, and a new one is made"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut key = vec![0; SEAL_BYTES];
            getrandom::fill(&mut key).map_err(|error| failed(format!("the system gives no random bytes: {error}")))?;
            baton_local::write_private(&path, &key).map_err(|error| failed(error.to_string()))?;
            Ok(key)
        }
        Err(error) => Err(failed(error.to_string())),
    }
}
