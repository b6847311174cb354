//! Authentication of JWTs of trusted issuers.

use super::{Documents, IssuerConfig, IssuerError, config::host, keys::Keys, scopes};
use crate::jwt::{Claims, Compact};
use baton_ports::{Clock, Identified, Unidentified};
use baton_types::Principal;
use std::sync::Arc;

/// Maximum trusted issuers.
const MAX_ISSUERS: usize = 64;

/// The issuers whose tokens are accepted.
pub struct Issuers {
    trusted: Vec<Trusted>,
    clock: Arc<dyn Clock>,
}

struct Trusted {
    config: Arc<IssuerConfig>,
    /// Name of the issuer in logs.
    host: String,
    tenant: Arc<str>,
    keys: Keys,
}

impl Issuers {
    /// Trusts no issuer.
    pub fn none(clock: Arc<dyn Clock>) -> Self {
        Self { trusted: Vec::new(), clock }
    }

    /// Trusts these issuers. An issuer may occur several times, with different audiences.
    pub fn new(
        configs: Vec<IssuerConfig>,
        documents: &Arc<dyn Documents>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, IssuerError> {
        if configs.len() > MAX_ISSUERS {
            return Err(IssuerError::TooMany(configs.len(), MAX_ISSUERS));
        }
        let trust = |config: IssuerConfig| {
            config.check()?;
            let config = Arc::new(config);
            let keys = Keys::new(config.clone(), documents.clone(), clock.clone());
            let host = host(&config.issuer).unwrap_or_default();
            let tenant = config.tenant.as_deref().unwrap_or(&config.issuer).into();
            Ok(Trusted { config, host, tenant, keys })
        };
        Ok(Self { trusted: configs.into_iter().map(trust).collect::<Result<_, _>>()?, clock })
    }

    /// Issuer URLs without duplicates.
    pub fn urls(&self) -> Vec<String> {
        let mut urls = Vec::new();
        for trusted in &self.trusted {
            if !urls.contains(&trusted.config.issuer) {
                urls.push(trusted.config.issuer.clone());
            }
        }
        urls
    }

    /// Identity of the token's subject, if a trusted issuer signed the token and its audience and time are valid.
    pub async fn identify(&self, token: &str) -> Result<Identified, Unidentified> {
        let token = Compact::parse(token)?;
        let trusted = self.find(&token.claims).ok_or(Unidentified::WrongIssuer)?;
        if !trusted.config.accepts(token.algorithm) {
            return Err(Unidentified::Algorithm);
        }
        if !trusted.keys.for_token(&token).await?.verifies(&token) {
            return Err(Unidentified::BadSignature);
        }
        if !token.claims.is_for(&trusted.config.audience) {
            return Err(Unidentified::WrongAudience);
        }
        token.claims.check_time(self.clock.now())?;
        trusted.identified(&token.claims)
    }

    /// The issuer in the token's claims; among several entries for it, the one with a matching audience.
    fn find(&self, claims: &Claims) -> Option<&Trusted> {
        let issuer = claims.issuer()?;
        let named = || self.trusted.iter().filter(|trusted| trusted.config.issuer == issuer);
        named().find(|trusted| claims.is_for(&trusted.config.audience)).or_else(|| named().next())
    }
}

impl Trusted {
    fn identified(&self, claims: &Claims) -> Result<Identified, Unidentified> {
        let subject = claims.subject()?;
        let owner = Principal::local();
        // An issuer chooses its subjects; none of them may become the owner of the server.
        if (&*self.tenant, subject) == (&*owner.tenant, &*owner.subject) {
            return Err(Unidentified::Unknown);
        }
        let credential = format!("jwt:{}:{subject}", self.host).into();
        let scopes = scopes::granted(&self.config, claims);
        let principal = Principal { tenant: self.tenant.clone(), subject: subject.into(), scopes };
        Ok(Identified { principal: Arc::new(principal), credential })
    }
}
