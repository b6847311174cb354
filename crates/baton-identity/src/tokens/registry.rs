//! In-memory copy of all stored tokens.

use super::token_format::{constant_time_eq, format_token, fresh_id, fresh_secret, split_token};
use baton_ports::{
    AuthenticatedCaller, BoxFuture, IssuedToken, JournalError, NewToken, TokenError, TokenIssuer, TokenRecord,
    TokenRejection, TokenStore,
};
use baton_rules::AccessScope;
use baton_types::{Clock, Digest, Principal, Timestamp};
use parking_lot::RwLock;
use std::{collections::HashMap, sync::Arc};
use tokio::sync::Mutex;

/// Maximum stored tokens, including revoked and expired ones.
const MAX_TOKENS: usize = 10_000;
/// Maximum characters of a token's name.
const MAX_NAME: usize = 100;
/// Maximum bytes of a tenant or a subject.
const MAX_ID_BYTES: usize = 255;
/// Maximum scopes per token.
const MAX_SCOPES: usize = 64;

/// Issues, identifies and revokes tokens. Clones share the registry.
///
/// The store is written before memory, so no token is valid that a crash could undo.
#[derive(Clone)]
pub struct TokenRegistry {
    inner: Arc<TokenRegistryInner>,
}

struct TokenRegistryInner {
    store: Arc<dyn TokenStore>,
    clock: Arc<dyn Clock>,
    tokens: RwLock<HashMap<String, RegisteredToken>>,
    /// Held during store writes, so that changes of one token are applied in order.
    write_lock: Mutex<()>,
}

struct RegisteredToken {
    /// Position in creation order.
    position: usize,
    record: TokenRecord,
    credential: Arc<str>,
}

impl RegisteredToken {
    fn new(position: usize, record: TokenRecord) -> Self {
        Self { position, credential: format!("token:{}", record.id).into(), record }
    }
}

impl TokenRegistry {
    /// Loads all tokens from the store.
    pub async fn open(store: Arc<dyn TokenStore>, clock: Arc<dyn Clock>) -> Result<Self, JournalError> {
        let records = store.tokens().await?.into_iter().enumerate();
        let known =
            records.map(|(position, record)| (record.id.clone(), RegisteredToken::new(position, record))).collect();
        Ok(Self {
            inner: Arc::new(TokenRegistryInner {
                store,
                clock,
                tokens: RwLock::new(known),
                write_lock: Mutex::new(()),
            }),
        })
    }

    /// Identity of a token. Revocation and expiry are reported only if the secret matches.
    pub fn identify(&self, bearer: &str) -> Result<AuthenticatedCaller, TokenRejection> {
        let parts = split_token(bearer).ok_or(TokenRejection::Malformed)?;
        let shown = Digest::compute(parts.secret.as_bytes());
        let known = self.inner.tokens.read();
        let found = known.get(parts.id).filter(|known| constant_time_eq(&known.record.secret, &shown));
        let RegisteredToken { record, credential, .. } = found.ok_or(TokenRejection::Unknown)?;
        if record.revoked_at.is_some() {
            return Err(TokenRejection::Revoked);
        }
        if record.expires_at.is_some_and(|end| end <= self.inner.clock.now()) {
            return Err(TokenRejection::Expired);
        }
        Ok(AuthenticatedCaller { principal: record.principal.clone(), credential: credential.clone() })
    }
}

impl TokenRegistryInner {
    async fn create(&self, request: NewToken) -> Result<IssuedToken, TokenError> {
        let now = self.clock.now();
        check(&request, now)?;
        let _changing = self.write_lock.lock().await;
        let id = self.free_id()?;
        let secret = fresh_secret().map_err(no_randomness)?;
        let record = TokenRecord {
            id,
            name: request.name,
            principal: request.principal,
            secret: Digest::compute(secret.as_bytes()),
            created_at: now,
            expires_at: request.expires_at,
            revoked_at: None,
        };
        self.store.put_token(record.clone()).await?;
        self.cache_record(record.clone());
        Ok(IssuedToken { token: format_token(&record.id, &secret), record })
    }

    async fn revoke(&self, id: &str) -> Result<TokenRecord, TokenError> {
        let _changing = self.write_lock.lock().await;
        let mut record = match self.tokens.read().get(id) {
            Some(known) => known.record.clone(),
            None => return Err(TokenError::NotFound(id.to_owned())),
        };
        if record.revoked_at.is_none() {
            record.revoked_at = Some(self.clock.now());
            self.store.put_token(record.clone()).await?;
            self.cache_record(record.clone());
        }
        Ok(record)
    }

    fn free_id(&self) -> Result<String, TokenError> {
        let known = self.tokens.read();
        if known.len() >= MAX_TOKENS {
            return Err(invalid(format!("there are already {MAX_TOKENS} tokens, the maximum")));
        }
        loop {
            let id = fresh_id().map_err(no_randomness)?;
            if !known.contains_key(&id) {
                return Ok(id);
            }
        }
    }

    fn cache_record(&self, record: TokenRecord) {
        let mut known = self.tokens.write();
        let position = known.get(&record.id).map_or(known.len(), |known| known.position);
        known.insert(record.id.clone(), RegisteredToken::new(position, record));
    }
}

impl TokenIssuer for TokenRegistry {
    fn create(&self, token: NewToken) -> BoxFuture<'_, Result<IssuedToken, TokenError>> {
        let inner = self.inner.clone();
        run_detached(async move { inner.create(token).await })
    }

    fn list(&self) -> Vec<TokenRecord> {
        let known = self.inner.tokens.read();
        let mut oldest_first: Vec<_> = known.values().collect();
        oldest_first.sort_by_key(|known| known.position);
        oldest_first.into_iter().map(|known| known.record.clone()).collect()
    }

    fn revoke<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<TokenRecord, TokenError>> {
        let (inner, id) = (self.inner.clone(), id.to_owned());
        run_detached(async move { inner.revoke(&id).await })
    }
}

/// Runs the work in a separate task: cancellation between the store and memory updates must not leave a token that is
/// revoked on disk but still valid.
fn run_detached<'a, T: Send + 'static>(
    work: impl Future<Output = Result<T, TokenError>> + Send + 'static,
) -> BoxFuture<'a, Result<T, TokenError>> {
    Box::pin(async move {
        let died = |error| JournalError::Unavailable(format!("the token operation ended early: {error}"));
        tokio::spawn(work).await.map_err(died)?
    })
}

fn check(request: &NewToken, now: Timestamp) -> Result<(), TokenError> {
    let name = &request.name;
    let length = name.chars().count();
    if !(1..=MAX_NAME).contains(&length) || name.chars().any(char::is_control) || name.trim() != name {
        return Err(invalid(format!(
            "a token's name must have 1 to {MAX_NAME} printable characters and no space at either end"
        )));
    }
    let principal = &request.principal;
    let is_valid_id = |text: &str| (1..=MAX_ID_BYTES).contains(&text.len()) && !text.chars().any(char::is_control);
    if !is_valid_id(&principal.tenant) || !is_valid_id(&principal.subject) {
        return Err(invalid(format!(
            "a token's tenant and subject must have 1 to {MAX_ID_BYTES} printable bytes each"
        )));
    }
    let owner = Principal::local();
    if (&principal.tenant, &principal.subject) == (&owner.tenant, &owner.subject) {
        return Err(invalid(format!(
            "'{}' of '{}' is the owner of this Baton; choose another name or subject",
            owner.subject, owner.tenant
        )));
    }
    if !(1..=MAX_SCOPES).contains(&principal.scopes.len()) {
        return Err(invalid(format!("a token must have 1 to {MAX_SCOPES} scopes")));
    }
    for scope in &principal.scopes {
        AccessScope::parse(scope).map_err(|error| invalid(error.to_string()))?;
    }
    if request.expires_at.is_some_and(|end| end <= now) {
        return Err(invalid("a token's expiry must be in the future".to_owned()));
    }
    Ok(())
}

fn invalid(reason: String) -> TokenError {
    TokenError::Invalid(reason)
}

fn no_randomness(error: getrandom::Error) -> TokenError {
    JournalError::Unavailable(format!("the system provides no random numbers: {error}")).into()
}
