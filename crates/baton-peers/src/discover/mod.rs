//! From an address that a person gives to an agent's card, and to the interfaces in it that may be used.

mod candidates;
mod card;
mod error;
mod fetch;
mod vet;

pub(crate) use candidates::with_scheme;
pub use error::DiscoverError;
pub(crate) use vet::is_at_home;

use crate::{Anonymous, Authorize, CallError};
use baton_outbound::{GuardedClient, Target};
use baton_types::Json;
use baton_wire::a2a::v1::{AgentCard, AgentInterface};
use fetch::{Fetched, fetch};
use std::{fmt, sync::Arc};

/// How a card is looked for.
#[derive(Clone)]
pub struct Looking {
    /// Hosts besides the card's own at which its agent may be served.
    pub hosts: Vec<String>,
    /// What is shown to whoever has the card.
    pub authorize: Arc<dyn Authorize>,
}

/// A card that was found.
#[derive(Clone, Debug)]
pub struct Discovered {
    /// The card in 1.0, with the interfaces that may be used.
    pub card: AgentCard,
    /// The card as it was written, for whoever checks its signatures.
    pub raw: Json,
    /// Where it was found, after redirects.
    pub url: String,
    /// What tells its version.
    pub etag: Option<String>,
    /// The interfaces that may be used, in the card's order, each with a full URL.
    pub interfaces: Vec<AgentInterface>,
    /// Why each of the others may not.
    pub elsewhere: Vec<String>,
}

/// Finds the card of an agent: at the URL itself when that names a document, else at the well-known places below it, and
/// then at those of its site. The first that is a card counts.
pub async fn discover(client: &GuardedClient, url: &str, looking: &Looking) -> Result<Discovered, DiscoverError> {
    let mut tries = Vec::new();
    for candidate in candidates::of(url)? {
        match fetch(client, &candidate, None, looking).await {
            Ok(Fetched::Found { body, etag, target }) => match card::read(&body) {
                Ok((card, raw)) => return found(card, raw, &target, etag, looking),
                Err(reason) => tries.push((candidate, reason)),
            },
            Ok(Fetched::Unchanged) => tries.push((candidate, "it says that nothing changed".to_owned())),
            // The other places are on the same server.
            Err(CallError::NotSent(reason)) => return Err(DiscoverError::Unreachable(reason)),
            Err(CallError::Forbidden(reason)) => return Err(DiscoverError::Forbidden(reason)),
            Err(error) => tries.push((candidate, error.to_string())),
        }
    }
    Err(DiscoverError::NoCard { tries })
}

/// Reads a card anew at the place where it was found; `None` when it has not changed.
pub async fn refresh(
    client: &GuardedClient,
    url: &str,
    etag: Option<&str>,
    looking: &Looking,
) -> Result<Option<Discovered>, DiscoverError> {
    match fetch(client, url, etag, looking).await {
        Ok(Fetched::Unchanged) => Ok(None),
        Ok(Fetched::Found { body, etag, target }) => match card::read(&body) {
            Ok((card, raw)) => found(card, raw, &target, etag, looking).map(Some),
            Err(reason) => Err(DiscoverError::NoCard { tries: vec![(url.to_owned(), reason)] }),
        },
        Err(CallError::NotSent(reason) | CallError::Broken(reason)) => Err(DiscoverError::Unreachable(reason)),
        Err(CallError::Forbidden(reason)) => Err(DiscoverError::Forbidden(reason)),
        Err(error) => Err(DiscoverError::NoCard { tries: vec![(url.to_owned(), error.to_string())] }),
    }
}

fn found(
    mut card: AgentCard,
    raw: Json,
    from: &Target,
    etag: Option<String>,
    looking: &Looking,
) -> Result<Discovered, DiscoverError> {
    let listed = std::mem::take(&mut card.supported_interfaces);
    let (interfaces, elsewhere) = vet::interfaces(listed, from, &looking.hosts);
    if interfaces.is_empty() {
        return Err(DiscoverError::Elsewhere { url: from.uri().to_string(), reasons: elsewhere });
    }
    card.supported_interfaces.clone_from(&interfaces);
    Ok(Discovered { card, raw, url: from.uri().to_string(), etag, interfaces, elsewhere })
}

impl Default for Looking {
    fn default() -> Self {
        Self { hosts: Vec::new(), authorize: Arc::new(Anonymous) }
    }
}

impl fmt::Debug for Looking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Looking").field("hosts", &self.hosts).finish_non_exhaustive()
    }
}
