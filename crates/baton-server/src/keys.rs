//! The signing keys of agent cards, and the key that seals state carried by MCP clients.

use crate::ServerError;
use baton_identity::SigningKeys;
use baton_mcp::StateSeal;
use baton_ports::CardSigner;
use std::{path::Path, sync::Arc, time::Duration};

/// Folder and file name below the data directory.
const KEY_DIRECTORY: &str = "keys";
const SEAL_KEY_FILE: &str = "mcp-seal.key";

/// Opens the signing keys of an owned data directory, which are created at the first start. There is no signer in
/// memory, because signatures of a temporary key would be worthless.
pub(crate) fn signer(data: Option<&Path>) -> Result<Option<Arc<dyn CardSigner>>, ServerError> {
    let Some(data) = data else { return Ok(None) };
    let keys = SigningKeys::open(&data.join(KEY_DIRECTORY));
    Ok(Some(Arc::new(keys.map_err(|error| ServerError::Keys(format!("{}: {error}", data.display())))?)))
}

/// The seal of state that MCP clients carry between rounds of a call, with a key in the data directory or a temporary
/// one.
pub(crate) fn state_seal(data: Option<&Path>, lifetime: Duration) -> Result<StateSeal, ServerError> {
    let seal = match data {
        // Created at the first start, after the signing keys, which create the directory.
        Some(data) => {
            let key = baton_local::load_or_create_key(&data.join(KEY_DIRECTORY).join(SEAL_KEY_FILE));
            StateSeal::new(&key.map_err(|error| ServerError::Keys(error.to_string()))?, &[], lifetime)
        }
        None => StateSeal::random(lifetime),
    };
    seal.map_err(|error| ServerError::Keys(error.to_string()))
}
