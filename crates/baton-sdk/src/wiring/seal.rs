//! The key that seals the state that MCP clients carry between the rounds of a call.

use super::store::KEYS;
use crate::Error;
use baton_mcp::StateSeal;
use baton_types::ErrorCode;
use std::{path::Path, time::Duration};

const FILE: &str = "mcp-seal.key";

/// Uses the key in the data directory, created at the first start; without a directory, a temporary key.
pub(super) fn seal(data: Option<&Path>, lasts: Duration) -> Result<StateSeal, Error> {
    let unusable = |reason: String| Error::new(ErrorCode::KEYS_UNUSABLE, reason);
    let seal = match data {
        Some(data) => {
            let key = baton_local::load_or_create_key(&data.join(KEYS).join(FILE))
                .map_err(|error| unusable(error.to_string()))?;
            StateSeal::new(&key, &[], lasts)
        }
        None => StateSeal::random(lasts),
    };
    seal.map_err(|error| unusable(error.to_string()))
}
