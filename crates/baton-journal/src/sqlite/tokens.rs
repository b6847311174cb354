//! Records of bearer tokens.

use super::{
    SqliteJournal,
    error::{JobError, from_sql},
    job::WriterJob,
    rows::corrupt,
    writer::JournalWriter,
};
use baton_ports::{BoxFuture, JournalError, TokenRecord, TokenStore, error_codes};
use baton_types::{Digest, Json, Principal, Timestamp};
use rusqlite::{Connection, Row, params};
use std::sync::Arc;

const UPSERT: &str = "INSERT INTO tokens (id, name, tenant, subject, scopes, secret, created_at, expires_at, revoked_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (id) DO UPDATE SET name = ?2, tenant = ?3, subject = ?4, \
     scopes = ?5, secret = ?6, created_at = ?7, expires_at = ?8, revoked_at = ?9";
const ALL: &str = "SELECT id, name, tenant, subject, scopes, secret, created_at, expires_at, revoked_at FROM tokens \
     ORDER BY created_at, key";

impl TokenStore for SqliteJournal {
    fn tokens(&self) -> BoxFuture<'_, Result<Vec<TokenRecord>, JournalError>> {
        self.readers.read(all)
    }

    fn put_token(&self, token: TokenRecord) -> BoxFuture<'_, Result<(), JournalError>> {
        self.submit(|reply| WriterJob::PutToken(Box::new(token), reply))
    }
}

/// Approximate size, for the queue's byte limit.
pub(super) fn bytes(token: &TokenRecord) -> usize {
    let principal = &token.principal;
    let scopes: usize = principal.scopes.iter().map(|scope| scope.len()).sum();
    256 + token.id.len() + token.name.len() + principal.tenant.len() + principal.subject.len() + scopes
}

impl JournalWriter {
    /// Inserts or replaces a token by id.
    pub(super) fn put_token(&self, token: &TokenRecord) -> Result<(), JobError> {
        let principal = &token.principal;
        let scopes = Json::from_serializable(&principal.scopes);
        let scopes = scopes.map_err(|error| JournalError::Unavailable(format!("scopes cannot be encoded: {error}")))?;
        self.connection.prepare_cached(UPSERT)?.execute(params![
            token.id,
            token.name,
            principal.tenant,
            principal.subject,
            scopes.as_str(),
            token.secret.as_str(),
            token.created_at.as_millis(),
            token.expires_at.map(Timestamp::as_millis),
            token.revoked_at.map(Timestamp::as_millis),
        ])?;
        Ok(())
    }
}

fn all(connection: &Connection) -> Result<Vec<TokenRecord>, JournalError> {
    let all = || -> rusqlite::Result<Vec<TokenRecord>> {
        let mut select = connection.prepare_cached(ALL)?;
        let (mut rows, mut tokens) = (select.query([])?, Vec::new());
        while let Some(row) = rows.next()? {
            match token(row) {
                Ok(token) => tokens.push(token),
                // An unreadable token cannot be used, which is the safe outcome.
                Err(error) => {
                    let (id, code) = (row.get::<_, String>(0).unwrap_or_default(), error_codes::RECORD_DAMAGED.code);
                    tracing::warn!(code, id, %error, "a token cannot be read and is treated as invalid");
                }
            }
        }
        Ok(tokens)
    };
    all().map_err(|error| from_sql(&error))
}

fn token(row: &Row<'_>) -> rusqlite::Result<TokenRecord> {
    let scopes = Json::parse(row.get_ref(4)?.as_str()?).and_then(|scopes| scopes.read());
    let scopes = scopes.map_err(|error| corrupt(4, error))?;
    let moment = |column| row.get::<_, Option<i64>>(column).map(|millis| millis.map(Timestamp::from_millis));
    Ok(TokenRecord {
        id: row.get(0)?,
        name: row.get(1)?,
        principal: Arc::new(Principal { tenant: row.get(2)?, subject: row.get(3)?, scopes }),
        secret: Digest::from_hex(row.get_ref(5)?.as_str()?),
        created_at: Timestamp::from_millis(row.get(6)?),
        expires_at: moment(7)?,
        revoked_at: moment(8)?,
    })
}
