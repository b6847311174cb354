//! The signing keys of agent cards, and the key that seals state carried by MCP clients.

use crate::failure::CliError;
use baton_identity::SigningKeys;
use baton_ports::CardSigner;
use baton_types::ErrorCode;
use std::{path::Path, sync::Arc};

/// Folder and file name below the data directory.
const KEY_DIRECTORY: &str = "keys";
const SEAL_KEY_FILE: &str = "mcp-seal.key";

/// Opens the signing keys of a data directory that this process owns; created at the first start.
pub(super) fn signer(data: &Path) -> Result<Arc<dyn CardSigner>, CliError> {
    let keys = SigningKeys::open(&data.join(KEY_DIRECTORY));
    Ok(Arc::new(keys.map_err(|error| CliError::new(ErrorCode::KEYS_UNUSABLE, error.to_string()))?))
}

/// The key that seals the state that MCP clients carry between rounds of a call. Created at the first start, after the
/// signing keys, which create the directory.
pub(super) fn seal_key(data: &Path) -> Result<Vec<u8>, CliError> {
    let key = baton_local::load_or_create_key(&data.join(KEY_DIRECTORY).join(SEAL_KEY_FILE));
    key.map_err(|error| CliError::new(ErrorCode::KEYS_UNUSABLE, error.to_string()))
}
