//! Discovery: from a URL entered by a person to the agent's card and its usable interfaces.

mod candidates;
mod card;
mod error;
mod fetch;
mod vet;

pub(crate) use candidates::with_scheme;
pub use error::DiscoverError;
pub(crate) use vet::is_own_host;

use crate::{Anonymous, Authorize, CallError};
use baton_outbound::{GuardedClient, Target};
use baton_types::Json;
use baton_wire::a2a::v1::{AgentCard, AgentInterface};
use fetch::{FetchOutcome, fetch};
use std::{fmt, sync::Arc};

/// Options of discovery.
#[derive(Clone)]
pub struct DiscoveryOptions {
    /// Additional hosts that may serve the agent.
    pub hosts: Vec<String>,
    /// Credential for the host of the card.
    pub authorize: Arc<dyn Authorize>,
}

/// A discovered card.
#[derive(Clone, Debug)]
pub struct DiscoveredCard {
    /// The card in the form of 1.0, with the usable interfaces.
    pub card: AgentCard,
    /// The original JSON, for signature verification.
    pub raw: Json,
    /// Its URL, after redirects.
    pub url: String,
    /// ETag of the reply.
    pub etag: Option<String>,
    /// The usable interfaces in the card's order, each with a full URL.
    pub interfaces: Vec<AgentInterface>,
    /// Reasons for the rejection of the other interfaces.
    pub rejections: Vec<String>,
}

/// Finds the card of an agent: at the URL itself if it names a document, else at the well-known paths below it, then at
/// those of its origin. The first valid card is used.
pub async fn discover(
    client: &GuardedClient,
    url: &str,
    looking: &DiscoveryOptions,
) -> Result<DiscoveredCard, DiscoverError> {
    let mut tries = Vec::new();
    for candidate in candidates::card_urls(url)? {
        match fetch(client, &candidate, None, looking).await {
            Ok(FetchOutcome::Found { body, etag, target }) => match card::read(&body) {
                Ok((card, raw)) => return found(card, raw, &target, etag, looking),
                Err(reason) => tries.push((candidate, reason)),
            },
            Ok(FetchOutcome::Unchanged) => tries.push((candidate, "it answered 304 Not Modified".to_owned())),
            // The other candidates are on the same server.
            Err(CallError::NotSent(reason)) => return Err(DiscoverError::Unreachable(reason)),
            Err(CallError::Forbidden(reason)) => return Err(DiscoverError::Forbidden(reason)),
            Err(error) => tries.push((candidate, error.to_string())),
        }
    }
    Err(DiscoverError::NoCard { tries })
}

/// Fetches a card again from its URL; `None` if it has not changed.
pub async fn refresh(
    client: &GuardedClient,
    url: &str,
    etag: Option<&str>,
    looking: &DiscoveryOptions,
) -> Result<Option<DiscoveredCard>, DiscoverError> {
    match fetch(client, url, etag, looking).await {
        Ok(FetchOutcome::Unchanged) => Ok(None),
        Ok(FetchOutcome::Found { body, etag, target }) => match card::read(&body) {
            Ok((card, raw)) => found(card, raw, &target, etag, looking).map(Some),
            Err(reason) => Err(DiscoverError::NoCard { tries: vec![(url.to_owned(), reason)] }),
        },
        Err(CallError::NotSent(reason) | CallError::ConnectionLost(reason)) => Err(DiscoverError::Unreachable(reason)),
        Err(CallError::Forbidden(reason)) => Err(DiscoverError::Forbidden(reason)),
        Err(error) => Err(DiscoverError::NoCard { tries: vec![(url.to_owned(), error.to_string())] }),
    }
}

fn found(
    mut card: AgentCard,
    raw: Json,
    from: &Target,
    etag: Option<String>,
    looking: &DiscoveryOptions,
) -> Result<DiscoveredCard, DiscoverError> {
    let listed = std::mem::take(&mut card.supported_interfaces);
    let (interfaces, elsewhere) = vet::check_interfaces(listed, from, &looking.hosts);
    if interfaces.is_empty() {
        return Err(DiscoverError::NoAllowedInterface { url: from.uri().to_string(), reasons: elsewhere });
    }
    card.supported_interfaces.clone_from(&interfaces);
    Ok(DiscoveredCard { card, raw, url: from.uri().to_string(), etag, interfaces, rejections: elsewhere })
}

impl Default for DiscoveryOptions {
    fn default() -> Self {
        Self { hosts: Vec::new(), authorize: Arc::new(Anonymous) }
    }
}

impl fmt::Debug for DiscoveryOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DiscoveryOptions").field("hosts", &self.hosts).finish_non_exhaustive()
    }
}
