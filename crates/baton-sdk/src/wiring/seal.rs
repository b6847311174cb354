//! The key that seals what MCP clients carry from one round of a call to the next.

use super::store::KEYS;
use crate::Error;
use baton_mcp::Seal;
use baton_types::ErrorCode;
use std::{path::Path, time::Duration};

const FILE: &str = "mcp-seal.key";

/// Seals with the key of the data directory, made at the first start; without one, with a key that is gone at the end.
pub(super) fn seal(data: Option<&Path>, lasts: Duration) -> Result<Seal, Error> {
    let unusable = |reason: String| Error::new(ErrorCode::KEYS_UNUSABLE, reason);
    let seal = match data {
        Some(data) => {
            let key =
                baton_local::kept_key(&data.join(KEYS).join(FILE)).map_err(|error| unusable(error.to_string()))?;
            Seal::new(&key, &[], lasts)
        }
        None => Seal::random(lasts),
    };
    seal.map_err(|error| unusable(error.to_string()))
}
