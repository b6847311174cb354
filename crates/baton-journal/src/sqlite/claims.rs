//! Idempotency keys and their claims.

use super::{
    deletions::visibility_condition,
    error::{JobError, from_sql},
    rows::{from_int, stream_id, to_int},
    writer::JournalWriter,
};
use baton_ports::{Claim, JournalError};
use baton_types::{Digest, Principal};
use rusqlite::{Connection, OptionalExtension as _, params};
use std::sync::Arc;

pub(super) const FIND_CLAIM_STREAM: &str = "SELECT c.stream FROM principals AS p JOIN claims AS c ON c.owner = p.key \
     WHERE p.tenant = ?1 AND p.subject = ?2 AND c.key = ?3";
const ADD: &str = "INSERT INTO claims (owner, key, request, stream, number) VALUES (?1, ?2, ?3, ?4, ?5)";
const FIND: &str = "SELECT c.request, s.noun, s.id, c.number FROM principals AS p JOIN claims AS c ON c.owner = p.key \
     JOIN streams AS s ON s.key = c.stream WHERE p.tenant = ?1 AND p.subject = ?2 AND c.key = ?3 AND ";

impl JournalWriter {
    /// Whether the claim's principal has already used its key.
    pub(super) fn has_claim(&self, claim: &Claim) -> Result<bool, JobError> {
        let owner = &claim.principal;
        let mut select = self.connection.prepare_cached(FIND_CLAIM_STREAM)?;
        let row = params![owner.tenant, owner.subject, claim.key];
        let stream: Option<i64> = select.query_row(row, |row| row.get(0)).optional()?;
        Ok(match stream {
            Some(stream) => !self.clear_deleted(stream)?,
            None => false,
        })
    }

    /// Stores the claim with the row keys of its principal and its stream.
    pub(super) fn add_claim(&self, claim: &Claim, owner: i64, stream: i64) -> Result<(), JobError> {
        let row = params![owner, claim.key, claim.request.as_str(), stream, to_int(claim.number)];
        self.connection.prepare_cached(ADD)?.execute(row)?;
        Ok(())
    }
}

/// The claim of a principal's idempotency key.
pub(super) fn find(connection: &Connection, principal: &Principal, key: &str) -> Result<Option<Claim>, JournalError> {
    let find = || -> rusqlite::Result<Option<Claim>> {
        let view = connection.unchecked_transaction()?;
        let sql = format!("{FIND}{}", visibility_condition(&view)?);
        let mut find = view.prepare_cached(&sql)?;
        let row = params![principal.tenant, principal.subject, key];
        find.query_row(row, |row| {
            Ok(Claim {
                principal: Arc::new(Principal { scopes: Vec::new(), ..principal.clone() }),
                key: key.to_owned(),
                request: Digest::from_hex(row.get_ref(0)?.as_str()?),
                stream: stream_id(row, 1)?,
                number: from_int(row.get(3)?),
            })
        })
        .optional()
    };
    find().map_err(|error| from_sql(&error))
}
