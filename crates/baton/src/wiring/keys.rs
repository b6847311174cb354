//! The signing keys of agent cards, and the key that seals state carried by MCP clients.

use crate::failure::Failure;
use baton_identity::SigningKeys;
use baton_ports::CardSigner;
use baton_types::ErrorCode;
use std::{path::Path, sync::Arc};

/// Folder and file name below the data directory.
const DIRECTORY: &str = "keys";
const SEAL: &str = "mcp-seal.key";

/// Opens the signing keys of a data directory that this process owns; created at the first start.
pub(super) fn signer(data: &Path) -> Result<Arc<dyn CardSigner>, Failure> {
    let keys = SigningKeys::open(&data.join(DIRECTORY));
    Ok(Arc::new(keys.map_err(|error| Failure::new(ErrorCode::KEYS_UNUSABLE, error.to_string()))?))
}

/// The key that seals the state that MCP clients carry between rounds of a call. Created at the first start, after the
/// signing keys, which create the directory.
pub(super) fn sealing(data: &Path) -> Result<Vec<u8>, Failure> {
    let key = baton_local::kept_key(&data.join(DIRECTORY).join(SEAL));
    key.map_err(|error| Failure::new(ErrorCode::KEYS_UNUSABLE, error.to_string()))
}
