//! The keys that cards are signed with.

use crate::failure::Failure;
use baton_identity::SigningKeys;
use baton_ports::CardSigner;
use baton_types::ErrorCode;
use std::{path::Path, sync::Arc};

/// Where they are, in the data directory.
const DIRECTORY: &str = "keys";

/// The keys of a data directory that this process owns; made at the first start.
pub(super) fn signer(data: &Path) -> Result<Arc<dyn CardSigner>, Failure> {
    let keys = SigningKeys::open(&data.join(DIRECTORY));
    Ok(Arc::new(keys.map_err(|error| Failure::new(ErrorCode::KEYS_UNUSABLE, error.to_string()))?))
}
