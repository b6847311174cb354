//! Access control: authentication, rate limits and TLS.

use super::baton::Baton;
use crate::{
    config::{Auth, BatonSettings, CardAccess, Issuer, MetricsAccess, Tls},
    failure::CliError,
};
use baton_http::{AccessOptions, RateLimit, TlsFiles};
use baton_identity::{BearerAuthenticator, GuardedIssuerDocuments, IssuerConfig, IssuerDocuments, Issuers};
use baton_local::AuditFile;
use baton_ports::Authenticator;
use baton_system::SystemClock;
use baton_types::Clock;
use baton_types::{Digest, ErrorCode};
use std::{path::Path, sync::Arc};

/// Default scope of callers.
const DEFAULT_SCOPE: &str = "call";

/// Access options with authentication, rate limit and audit log; `owner` is the token of the server's owner.
pub(super) fn access(baton: &Baton, settings: &BatonSettings, owner: &str) -> Result<AccessOptions, CliError> {
    let required = settings.auth.required;
    let mut access = baton.local_access();
    access.owner = Some(Digest::compute(owner.as_bytes()));
    access.rate = settings.rate.map(|rate| RateLimit { per_second: rate.per_second, burst: rate.burst });
    if required {
        let gate = BearerAuthenticator::new(Some(owner), baton.tokens().clone(), issuers(&settings.auth)?);
        access.identity = Some(Arc::new(gate) as Arc<dyn Authenticator>);
        access.private_cards = settings.auth.cards == CardAccess::Private;
        access.open_metrics = settings.auth.metrics == MetricsAccess::Public;
        access.audit = Some(Arc::new(audit(&settings.data)?));
    }
    Ok(access)
}

/// Denied requests are recorded in `audit.jsonl` of the data directory.
fn audit(data: &Path) -> Result<AuditFile, CliError> {
    AuditFile::open(data).map_err(|error| {
        let message = format!("the audit log in {} cannot be written: {error}", data.display());
        CliError::new(ErrorCode::JOURNAL_UNAVAILABLE, message)
    })
}

fn issuers(auth: &Auth) -> Result<Issuers, CliError> {
    let wrong =
        |error: baton_identity::IssuerError| CliError::new(ErrorCode::CONFIG_INVALID, format!("auth.issuers: {error}"));
    let configs: Vec<IssuerConfig> = auth.issuers.iter().map(issuer).collect();
    let documents = GuardedIssuerDocuments::new(&configs, Vec::new()).map_err(wrong)?;
    let documents: Arc<dyn IssuerDocuments> = Arc::new(documents);
    Issuers::new(configs, &documents, Arc::new(SystemClock) as Arc<dyn Clock>).map_err(wrong)
}

fn issuer(config: &Issuer) -> IssuerConfig {
    let Issuer { issuer, audience, jwks_url, tenant, algorithms, scopes, scope_claim } = config.clone();
    let scopes = if scopes.is_empty() { vec![DEFAULT_SCOPE.to_owned()] } else { scopes };
    IssuerConfig { issuer, audience, jwks_url, tenant, algorithms, scopes, scope_claim }
}

/// Loads the server certificate.
pub(super) fn tls(config: &Tls) -> Result<baton_http::Tls, CliError> {
    let Tls { cert, key, client_ca } = config.clone();
    baton_http::Tls::load(TlsFiles { cert, key, client_ca })
        .map_err(|error| CliError::new(error.code(), error.to_string()))
}
