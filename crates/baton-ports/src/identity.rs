//! Who is asking, what they show for it, and what is kept of those who were turned away.

use crate::{BoxFuture, JournalError};
use baton_types::{Digest, ErrorCode, Json, Principal, Timestamp};
use std::{fmt, net::IpAddr, sync::Arc};

/// Knows callers by the bearer tokens that they show.
pub trait Identity: Send + Sync + 'static {
    /// Who shows this token; the answer holds for this request only.
    fn identify<'a>(&'a self, bearer: &'a str) -> BoxFuture<'a, Result<Identified, Unidentified>>;

    /// Where else callers can get tokens that are accepted here.
    fn issuers(&self) -> Vec<String>;
}

/// A caller who is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identified {
    /// Who it is.
    pub principal: Arc<Principal>,
    /// What was shown, as logs may name it: never the token itself.
    pub credential: Arc<str>,
}

/// Why a token identifies nobody.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unidentified {
    /// It has the form of no token.
    #[error("the token cannot be read")]
    Malformed,
    /// It has the right form, and nobody made it.
    #[error("the token is not known here")]
    Unknown,
    /// It was taken back.
    #[error("the token was revoked")]
    Revoked,
    /// Its time is over.
    #[error("the token has expired")]
    Expired,
    /// Its time has not come.
    #[error("the token is not valid yet")]
    NotYetValid,
    /// It was made for another service.
    #[error("the token was made for another audience")]
    WrongAudience,
    /// Nobody here trusts who made it.
    #[error("the token's issuer is not trusted here")]
    WrongIssuer,
    /// It is not signed in a way that is accepted; `none` never is.
    #[error("the token's algorithm is not accepted")]
    Algorithm,
    /// It was changed, or signed by somebody else.
    #[error("the token's signature does not hold")]
    BadSignature,
    /// The keys that would tell cannot be had now.
    #[error("the issuer's keys cannot be read now: {0}")]
    KeysUnavailable(String),
}

/// A token as it is stored: whoever reads it cannot use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRecord {
    /// Names the token in lists, logs and revocations.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Who shows it.
    pub principal: Arc<Principal>,
    /// The digest of the secret.
    pub secret: Digest,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it stops working; never, when not given.
    pub expires_at: Option<Timestamp>,
    /// When it was taken back.
    pub revoked_at: Option<Timestamp>,
}

/// Keeps token records durably.
pub trait TokenStore: Send + Sync + 'static {
    /// All of them, oldest first.
    fn tokens(&self) -> BoxFuture<'_, Result<Vec<TokenRecord>, JournalError>>;

    /// Stores one, replacing that of the same id; on disk when this returns.
    fn put_token(&self, token: TokenRecord) -> BoxFuture<'_, Result<(), JournalError>>;
}

/// A token to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// What people call it.
    pub name: String,
    /// Who shows it.
    pub principal: Arc<Principal>,
    /// When it stops working; never, when not given.
    pub expires_at: Option<Timestamp>,
}

/// A token that was just made; its secret is shown this once.
#[derive(Clone, PartialEq, Eq)]
pub struct IssuedToken {
    /// What is stored.
    pub record: TokenRecord,
    /// What the caller shows.
    pub token: String,
}

/// Without the secret: what is printed for a developer ends up in logs.
impl fmt::Debug for IssuedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IssuedToken").field("record", &self.record).finish_non_exhaustive()
    }
}

/// Why a token was not made or taken back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// Its description is wrong.
    #[error("{0}")]
    Invalid(String),
    /// There is none of that id.
    #[error("there is no token '{0}'")]
    NotFound(String),
    /// The store refused.
    #[error(transparent)]
    Store(#[from] JournalError),
}

/// Makes tokens and takes them back.
pub trait Tokens: Send + Sync + 'static {
    /// Makes one; it works as soon as this returns, also after a crash.
    fn create(&self, token: NewToken) -> BoxFuture<'_, Result<IssuedToken, TokenError>>;

    /// All that were made, oldest first.
    fn list(&self) -> Vec<TokenRecord>;

    /// Takes one back; taking it back again changes nothing.
    fn revoke<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<TokenRecord, TokenError>>;
}

/// Somebody was turned away.
#[derive(Clone, Debug)]
pub struct Denial {
    /// When.
    pub at: Timestamp,
    /// What they were told, or would have been: a foreign task looks missing to them.
    pub code: ErrorCode,
    /// Why, for the operator.
    pub reason: String,
    /// The HTTP method.
    pub method: String,
    /// The path, without its query.
    pub path: String,
    /// Where the connection came from.
    pub remote: Option<IpAddr>,
    /// Who it was, when that is known.
    pub principal: Option<Arc<Principal>>,
    /// What was shown, when it is known.
    pub credential: Option<Arc<str>>,
}

/// An administrator changed something: tokens, definitions, peers, permissions.
#[derive(Clone, Debug)]
pub struct AdminChange {
    /// When.
    pub at: Timestamp,
    /// What was changed, for the operator; never a secret.
    pub change: String,
    /// The HTTP method.
    pub method: String,
    /// The path, without its query.
    pub path: String,
    /// Where the connection came from.
    pub remote: Option<IpAddr>,
    /// Who changed it.
    pub principal: Arc<Principal>,
    /// What was shown, when it is known.
    pub credential: Option<Arc<str>>,
}

/// Keeps who was turned away and why, and what administrators changed.
pub trait Audit: Send + Sync + 'static {
    /// Takes the record and returns at once; what cannot be kept is counted.
    fn denied(&self, denial: Denial);

    /// Takes the record and returns at once; what cannot be kept is counted.
    fn changed(&self, change: AdminChange);
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
    /// Signatures over a canonical card; `jku` is where the keys are published.
    fn sign(&self, payload: &[u8], jku: &str) -> Result<Vec<CardSignature>, String>;

    /// The public keys, as a JWK set.
    fn keys(&self) -> Json;
}

impl fmt::Debug for dyn CardSigner {
    /// The public keys, and nothing of the others.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CardSigner").field(&self.keys()).finish()
    }
}
