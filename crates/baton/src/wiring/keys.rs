//! The keys that cards are signed with, and the one that seals what MCP clients carry.

use crate::failure::Failure;
use baton_identity::SigningKeys;
use baton_ports::CardSigner;
use baton_types::ErrorCode;
use std::{path::Path, sync::Arc};

/// Where they are, in the data directory.
const DIRECTORY: &str = "keys";
const SEAL: &str = "mcp-seal.key";

/// The keys of a data directory that this process owns; made at the first start.
pub(super) fn signer(data: &Path) -> Result<Arc<dyn CardSigner>, Failure> {
    let keys = SigningKeys::open(&data.join(DIRECTORY));
    Ok(Arc::new(keys.map_err(|error| Failure::new(ErrorCode::KEYS_UNUSABLE, error.to_string()))?))
}

/// The key that seals what MCP clients carry from one round of a call to the next; made at the first start, after the
/// keys that cards are signed with, which make the directory.
pub(super) fn sealing(data: &Path) -> Result<Vec<u8>, Failure> {
    let key = baton_local::kept_key(&data.join(DIRECTORY).join(SEAL));
    key.map_err(|error| Failure::new(ErrorCode::KEYS_UNUSABLE, error.to_string()))
}
