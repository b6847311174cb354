//! Authentication, API tokens, the audit log and card signatures.

use crate::{BoxFuture, JournalError};
use baton_types::{Digest, ErrorCode, Json, Principal, Timestamp};
use std::{fmt, net::IpAddr, sync::Arc};

/// Authenticates callers by bearer token.
pub trait Authenticator: Send + Sync + 'static {
    /// The caller with this token; the result is valid for this request only.
    fn authenticate<'a>(&'a self, bearer: &'a str) -> BoxFuture<'a, Result<AuthenticatedCaller, TokenRejection>>;

    /// Other issuers whose tokens are accepted.
    fn issuers(&self) -> Vec<String>;
}

/// An authenticated caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthenticatedCaller {
    /// The caller's principal.
    pub principal: Arc<Principal>,
    /// Name of the credential for logs; never the token itself.
    pub credential: Arc<str>,
}

/// Reason for the rejection of a token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenRejection {
    /// The token has an invalid format.
    #[error("the token cannot be read")]
    Malformed,
    /// The format is valid, but the token was never issued.
    #[error("the token is not known here")]
    Unknown,
    /// The token was revoked.
    #[error("the token was revoked")]
    Revoked,
    /// The token has expired.
    #[error("the token has expired")]
    Expired,
    /// The token is not valid yet.
    #[error("the token is not valid yet")]
    NotYetValid,
    /// The token was issued for another audience.
    #[error("the token was issued for another audience")]
    WrongAudience,
    /// The issuer is not trusted.
    #[error("the token's issuer is not trusted here")]
    WrongIssuer,
    /// The signature algorithm is not accepted; `none` never is.
    #[error("the token's algorithm is not accepted")]
    Algorithm,
    /// The token was modified or signed with another key.
    #[error("the token's signature is invalid")]
    BadSignature,
    /// The issuer's keys are currently unavailable.
    #[error("the issuer's keys cannot be read now: {0}")]
    KeysUnavailable(String),
}

/// A stored token; the secret cannot be derived from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRecord {
    /// Id of the token in lists, logs and revocations.
    pub id: String,
    /// Display name.
    pub name: String,
    /// The principal that the token authenticates.
    pub principal: Arc<Principal>,
    /// Digest of the secret.
    pub secret: Digest,
    /// Creation time.
    pub created_at: Timestamp,
    /// Expiration time; the token never expires if absent.
    pub expires_at: Option<Timestamp>,
    /// Time of revocation.
    pub revoked_at: Option<Timestamp>,
}

/// Durable store of token records.
pub trait TokenStore: Send + Sync + 'static {
    /// All tokens, oldest first.
    fn tokens(&self) -> BoxFuture<'_, Result<Vec<TokenRecord>, JournalError>>;

    /// Inserts or replaces a token by id; on disk when this returns.
    fn put_token(&self, token: TokenRecord) -> BoxFuture<'_, Result<(), JournalError>>;
}

/// Parameters of a new token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// Display name.
    pub name: String,
    /// The principal that the token authenticates.
    pub principal: Arc<Principal>,
    /// Expiration time; the token never expires if absent.
    pub expires_at: Option<Timestamp>,
}

/// A newly issued token; its secret is shown only this once.
#[derive(Clone, PartialEq, Eq)]
pub struct IssuedToken {
    /// The stored record.
    pub record: TokenRecord,
    /// The bearer token for the caller.
    pub token: String,
}

/// Omits the secret, because debug output ends up in logs.
impl fmt::Debug for IssuedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IssuedToken").field("record", &self.record).finish_non_exhaustive()
    }
}

/// Error of token creation or revocation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// The parameters are invalid.
    #[error("{0}")]
    Invalid(String),
    /// No token has this id.
    #[error("there is no token '{0}'")]
    NotFound(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] JournalError),
}

/// Issues and revokes tokens.
pub trait TokenIssuer: Send + Sync + 'static {
    /// Issues a token; it is valid as soon as this returns, also after a crash.
    fn create(&self, token: NewToken) -> BoxFuture<'_, Result<IssuedToken, TokenError>>;

    /// All issued tokens, oldest first.
    fn list(&self) -> Vec<TokenRecord>;

    /// Revokes a token; idempotent.
    fn revoke<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<TokenRecord, TokenError>>;
}

/// A denied request.
#[derive(Clone, Debug)]
pub struct AccessDenial {
    /// Time of the denial.
    pub at: Timestamp,
    /// Error code as sent to the caller, even if no response was sent; a task of another principal is reported as
    /// missing.
    pub code: ErrorCode,
    /// The reason, for the operator.
    pub reason: String,
    /// The HTTP method.
    pub method: String,
    /// The path, without its query.
    pub path: String,
    /// Remote address of the connection.
    pub remote: Option<IpAddr>,
    /// The principal, if known.
    pub principal: Option<Arc<Principal>>,
    /// Name of the credential, if known.
    pub credential: Option<Arc<str>>,
}

/// An administrative change: tokens, definitions, peers, permissions.
#[derive(Clone, Debug)]
pub struct AdminChange {
    /// Time of the change.
    pub at: Timestamp,
    /// Description of the change for the operator; never a secret.
    pub change: String,
    /// The HTTP method.
    pub method: String,
    /// The path, without its query.
    pub path: String,
    /// Remote address of the connection.
    pub remote: Option<IpAddr>,
    /// The principal that made the change.
    pub principal: Arc<Principal>,
    /// Name of the credential, if known.
    pub credential: Option<Arc<str>>,
}

/// Audit log of denied requests and administrative changes.
pub trait AuditLog: Send + Sync + 'static {
    /// Queues the record and returns immediately; lost records are counted.
    fn record_denial(&self, denial: AccessDenial);

    /// Queues the record and returns immediately; lost records are counted.
    fn record_change(&self, change: AdminChange);
}

/// One signature over an agent card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardSignature {
    /// The protected header, as base64url.
    pub protected: String,
    /// The signature, as base64url.
    pub signature: String,
}

/// Signs agent cards with this Baton's keys.
pub trait CardSigner: Send + Sync + 'static {
    /// Signatures over a canonical card; `jku` is the address of the published keys.
    fn sign(&self, payload: &[u8], jku: &str) -> Result<Vec<CardSignature>, String>;

    /// The public keys, as a JWK set.
    fn keys(&self) -> Json;
}

impl fmt::Debug for dyn CardSigner {
    /// Shows the public keys only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CardSigner").field(&self.keys()).finish()
    }
}
