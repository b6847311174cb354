//! One peer of the registry.

use super::{
    FetchedCard, PeerConnector, PeerInterface,
    agent::{clean, spec_from_card, spec_from_config},
};
use crate::{PeerClient, PeerConfig, environment::peer_resources};
use baton_ports::{PeerRecord, PeerRegistryError};
use baton_types::{AgentName, AgentResources, AgentSpec};
use baton_wire::a2a::v1::AgentCard;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(super) struct PeerEntry {
    pub(super) config: PeerConfig,
    /// Secret reference of its bearer token, if added by command.
    pub(super) bearer: Option<String>,
    /// Whether it is from the configuration.
    pub(super) configured: bool,
    pub(super) agent: Arc<AgentSpec>,
    pub(super) resources: Arc<AgentResources>,
    pub(super) card: Option<Arc<FetchedCard>>,
    interface: Option<PeerInterface>,
}

impl PeerEntry {
    pub(super) fn new(name: &AgentName, config: PeerConfig, bearer: Option<String>, configured: bool) -> Self {
        let agent = Arc::new(spec_from_config(name, &config));
        let resources = Arc::new(peer_resources(&config, None));
        Self { config, bearer, configured, agent, resources, card: None, interface: None }
    }

    /// The same peer with a card; an unusable interface is only reported when the peer is called.
    pub(super) fn with_card(mut self, card: Arc<FetchedCard>, reach: &dyn PeerConnector) -> Self {
        self.agent = Arc::new(spec_from_card(&self.agent.name, &self.config, &card.card));
        let resources = peer_resources(&self.config, Some(&card));
        if *self.resources != resources {
            self.resources = Arc::new(resources);
        }
        self.interface = match reach.bind(&self.config, &card.card) {
            Ok(bound) => Some(bound),
            Err(error) => {
                tracing::warn!(peer = %self.agent.name, %error, "a remote agent has no usable interface");
                None
            }
        };
        self.card = Some(card);
        self
    }

    pub(super) fn name(&self) -> &AgentName {
        &self.agent.name
    }

    /// A client of the peer; `None` while its card is unknown.
    pub(super) fn client(&self, reach: &dyn PeerConnector) -> Option<Result<PeerClient, PeerRegistryError>> {
        let card = self.card.as_ref()?;
        let bound = match &self.interface {
            Some(bound) => Ok(bound.clone()),
            None => reach.bind(&self.config, &card.card),
        };
        Some(bound.map(|bound| bound.client(&self.config, &card.card)))
    }

    pub(super) fn record(&self) -> PeerRecord {
        let unknown = || "unknown".to_owned();
        PeerRecord {
            agent: Arc::clone(&self.agent),
            card_url: self.card.as_ref().map_or_else(|| self.config.url.clone(), |card| card.url.clone()),
            protocol: self.interface.as_ref().map_or_else(unknown, PeerInterface::protocol_label),
            endpoint: self.interface.as_ref().map_or_else(unknown, |bound| bound.endpoint.clone()),
            security: self.card.as_ref().map(|card| security(&card.card)).unwrap_or_default(),
            signatures: self.card.as_ref().map(|card| signers(&card.card)).unwrap_or_default(),
            signed_by: self.card.as_ref().and_then(|card| card.signed_by.clone()),
            configured: self.configured,
        }
    }
}

/// Key ids of the card's signatures, as claimed by the card.
fn signers(card: &AgentCard) -> Vec<String> {
    let text = serde_json::to_string(card).unwrap_or_default();
    let headers = baton_identity::signature_headers(&text).unwrap_or_default();
    headers.iter().take(16).map(|header| clean(&header.kid, 200)).collect()
}

/// Authentication schemes of the card.
fn security(card: &AgentCard) -> Vec<String> {
    let schemes = card.security_schemes.iter().take(16).map(|(name, scheme)| {
        let kind = if scheme.api_key_security_scheme.is_some() {
            "API key".to_owned()
        } else if let Some(http) = &scheme.http_auth_security_scheme {
            format!("HTTP {}", clean(&http.scheme, 32))
        } else if scheme.oauth2_security_scheme.is_some() {
            "OAuth 2.0".to_owned()
        } else if scheme.open_id_connect_security_scheme.is_some() {
            "OpenID Connect".to_owned()
        } else if scheme.mtls_security_scheme.is_some() {
            "mutual TLS".to_owned()
        } else {
            "unknown".to_owned()
        };
        format!("{} ({kind})", clean(name, 64))
    });
    schemes.collect()
}
