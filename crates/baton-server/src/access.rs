//! Access control: authentication, rate limits and the audit log.

use crate::{IdentityOptions, Management, ServerError, ServerHandle};
use baton_http::AccessOptions;
use baton_identity::{BearerAuthenticator, GuardedIssuerDocuments, IssuerConfig, IssuerDocuments, Issuers};
use baton_local::AuditFile;
use baton_ports::Authenticator;
use baton_system::SystemClock;
use baton_types::{Clock, Digest};
use std::{path::Path, sync::Arc};

/// Access options without authentication; tokens can still be created, for later use.
pub(crate) fn local_access(server: &ServerHandle) -> AccessOptions {
    let parts = server.components();
    AccessOptions {
        tokens: match parts.management {
            Management::Enabled => Some(Arc::new(parts.tokens.clone())),
            Management::Disabled => None,
        },
        clock: Arc::new(SystemClock),
        ..AccessOptions::default()
    }
}

/// Access options with authentication, rate limit and audit log.
pub(crate) fn caller_access(
    server: &ServerHandle,
    options: &IdentityOptions,
    data: Option<&Path>,
) -> Result<AccessOptions, ServerError> {
    let mut access = local_access(server);
    access.owner = options.owner_token.as_ref().map(|token| Digest::compute(token.as_bytes()));
    access.rate = options.rate_limit;
    if options.required {
        if options.owner_token.is_none() {
            return Err(ServerError::invalid_option("auth.required", &"the owner of the server needs a token"));
        }
        let tokens = server.components().tokens.clone();
        let gate = BearerAuthenticator::new(options.owner_token.as_deref(), tokens, issuers(&options.issuers)?);
        access.identity = Some(Arc::new(gate) as Arc<dyn Authenticator>);
        access.private_cards = options.private_cards;
        access.open_metrics = options.public_metrics;
        if let Some(data) = data {
            access.audit = Some(Arc::new(audit(data)?));
        }
    }
    Ok(access)
}

/// Denied requests are recorded in `audit.jsonl` of the data directory.
fn audit(data: &Path) -> Result<AuditFile, ServerError> {
    AuditFile::open(data).map_err(|error| {
        ServerError::Storage(format!("the audit log in {} cannot be written: {error}", data.display()))
    })
}

fn issuers(configs: &[IssuerConfig]) -> Result<Issuers, ServerError> {
    let wrong = |error: baton_identity::IssuerError| ServerError::invalid_option("auth.issuers", &error);
    let documents = GuardedIssuerDocuments::new(configs, Vec::new()).map_err(wrong)?;
    let documents: Arc<dyn IssuerDocuments> = Arc::new(documents);
    Issuers::new(configs.to_vec(), &documents, Arc::new(SystemClock) as Arc<dyn Clock>).map_err(wrong)
}
