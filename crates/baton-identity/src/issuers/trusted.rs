//! Authentication of JWTs of trusted issuers.

use super::{IssuerConfig, IssuerDocuments, IssuerError, config::host, keys::IssuerKeyCache, scopes};
use crate::jwt::{Claims, CompactJwt};
use baton_ports::{AuthenticatedCaller, TokenRejection};
use baton_types::{Clock, Principal};
use std::sync::Arc;

/// Maximum trusted issuers.
const MAX_ISSUERS: usize = 64;

/// The issuers whose tokens are accepted.
pub struct Issuers {
    trusted: Vec<TrustedIssuer>,
    clock: Arc<dyn Clock>,
}

struct TrustedIssuer {
    config: Arc<IssuerConfig>,
    /// Name of the issuer in logs.
    host: String,
    tenant: Arc<str>,
    keys: IssuerKeyCache,
}

impl Issuers {
    /// Trusts no issuer.
    pub fn none(clock: Arc<dyn Clock>) -> Self {
        Self { trusted: Vec::new(), clock }
    }

    /// Trusts these issuers. An issuer may occur several times, with different audiences.
    pub fn new(
        configs: Vec<IssuerConfig>,
        documents: &Arc<dyn IssuerDocuments>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, IssuerError> {
        if configs.len() > MAX_ISSUERS {
            return Err(IssuerError::TooMany(configs.len(), MAX_ISSUERS));
        }
        let trust = |config: IssuerConfig| {
            config.check()?;
            let config = Arc::new(config);
            let keys = IssuerKeyCache::new(config.clone(), documents.clone(), clock.clone());
            let host = host(&config.issuer).unwrap_or_default();
            let tenant = config.tenant.as_deref().unwrap_or(&config.issuer).into();
            Ok(TrustedIssuer { config, host, tenant, keys })
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
    pub async fn identify(&self, token: &str) -> Result<AuthenticatedCaller, TokenRejection> {
        let token = CompactJwt::parse(token)?;
        let trusted = self.find(&token.claims).ok_or(TokenRejection::WrongIssuer)?;
        if !trusted.config.accepts(token.algorithm) {
            return Err(TokenRejection::Algorithm);
        }
        if !trusted.keys.for_token(&token).await?.verifies(&token) {
            return Err(TokenRejection::BadSignature);
        }
        if !token.claims.has_audience(&trusted.config.audience) {
            return Err(TokenRejection::WrongAudience);
        }
        token.claims.check_time(self.clock.now())?;
        trusted.identify_subject(&token.claims)
    }

    /// The issuer in the token's claims; among several entries for it, the one with a matching audience.
    fn find(&self, claims: &Claims) -> Option<&TrustedIssuer> {
        let issuer = claims.issuer()?;
        let named = || self.trusted.iter().filter(|trusted| trusted.config.issuer == issuer);
        named().find(|trusted| claims.has_audience(&trusted.config.audience)).or_else(|| named().next())
    }
}

impl TrustedIssuer {
    fn identify_subject(&self, claims: &Claims) -> Result<AuthenticatedCaller, TokenRejection> {
        let subject = claims.subject()?;
        let owner = Principal::local();
        // An issuer chooses its subjects; none of them may become the owner of the server.
        if (&*self.tenant, subject) == (&*owner.tenant, &*owner.subject) {
            return Err(TokenRejection::Unknown);
        }
        let credential = format!("jwt:{}:{subject}", self.host).into();
        let scopes = scopes::granted_scopes(&self.config, claims);
        let principal = Principal { tenant: self.tenant.clone(), subject: subject.into(), scopes };
        Ok(AuthenticatedCaller { principal: Arc::new(principal), credential })
    }
}
