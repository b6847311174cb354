//! Who a token of a trusted issuer is about.

use super::{Documents, IssuerConfig, IssuerError, config::host, keys::Keys, scopes};
use crate::jwt::{Claims, Compact};
use baton_ports::{Clock, Identified, Unidentified};
use baton_types::Principal;
use std::sync::Arc;

/// Issuers that are trusted at most.
const MAX_ISSUERS: usize = 64;

/// The issuers whose tokens are accepted.
pub struct Issuers {
    trusted: Vec<Trusted>,
    clock: Arc<dyn Clock>,
}

struct Trusted {
    config: Arc<IssuerConfig>,
    /// How logs name the issuer.
    host: String,
    tenant: Arc<str>,
    keys: Keys,
}

impl Issuers {
    /// Trusts nobody.
    pub fn none(clock: Arc<dyn Clock>) -> Self {
        Self { trusted: Vec::new(), clock }
    }

    /// Trusts these; one issuer may stand there several times, with different audiences.
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

    /// Their URLs, each once.
    pub fn urls(&self) -> Vec<String> {
        let mut urls = Vec::new();
        for trusted in &self.trusted {
            if !urls.contains(&trusted.config.issuer) {
                urls.push(trusted.config.issuer.clone());
            }
        }
        urls
    }

    /// Who the token is about, if one of the issuers made it, for here and for now.
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

    /// The issuer that the token says it is from; where it stands several times, by the audience.
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
        // An issuer chooses its subjects; none of them may become the owner of this Baton.
        if (&*self.tenant, subject) == (&*owner.tenant, &*owner.subject) {
            return Err(Unidentified::Unknown);
        }
        let credential = format!("jwt:{}:{subject}", self.host).into();
        let scopes = scopes::granted(&self.config, claims);
        let principal = Principal { tenant: self.tenant.clone(), subject: subject.into(), scopes };
        Ok(Identified { principal: Arc::new(principal), credential })
    }
}
