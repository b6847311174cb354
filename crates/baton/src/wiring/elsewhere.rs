//! Agents that live elsewhere.

use super::{
    agents::{FixedAgents, Loaded, load},
    reach::TypedHosts,
};
use crate::{config::Settings, failure::Failure};
use baton_peers::{Book, BookOptions, Credential, PeerClient, PeerConfig, SecretRef};
use baton_ports::{AgentSource, KnownPeer, NewPeer, PeerBook as _, PeerBookError};
use baton_types::{AgentName, AgentSpec, ErrorCode, ModelSpec};
use baton_wire::api::{AgentDetails, RemoteEntry};
use std::{path::Path, sync::Arc};

/// Where added agents are kept, below the data directory.
const FILE: &str = "peers.json";

/// The book of a data directory: what the configuration names and what was added. Nobody is asked for anything.
pub(super) fn book(settings: &Settings, locals: &Arc<FixedAgents>) -> Result<Book, Failure> {
    for name in settings.peers.iter().filter_map(|peer| peer.name.as_ref()) {
        if locals.agent(name).is_some() {
            let message = format!("peers: an agent that lives here is called '{name}' too");
            return Err(Failure::new(ErrorCode::CONFIG_INVALID, message).hint("Give the peer another name."));
        }
    }
    open(settings.peers.clone(), Some(&settings.data.join(FILE)), Some(Arc::clone(locals)))
}

fn open(configured: Vec<PeerConfig>, file: Option<&Path>, locals: Option<Arc<FixedAgents>>) -> Result<Book, Failure> {
    let options = BookOptions {
        configured,
        file: file.map(Path::to_owned),
        locals: locals.map(|locals| locals as Arc<dyn AgentSource>),
        reach: Arc::new(TypedHosts::new()),
    };
    Book::open(options).map_err(failure)
}

/// The agents that live here and those that live elsewhere.
pub(super) struct AllAgents {
    pub(super) locals: Arc<FixedAgents>,
    pub(super) book: Arc<Book>,
}

impl AgentSource for AllAgents {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        let mut agents = self.locals.agents();
        let elsewhere = self.book.agents();
        // One that was added before an agent of its name came to live here is hidden by it.
        agents.extend(elsewhere.into_iter().filter(|agent| self.locals.agent(&agent.name).is_none()));
        agents
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        self.locals.agent(name).or_else(|| AgentSource::agent(&*self.book, name))
    }
}

/// The agents that a Baton with these settings would serve, wherever they live. Nobody is asked for anything.
pub(crate) fn known(settings: &Settings) -> Result<Loaded, Failure> {
    let (agents, diagnostics, nobody) = match load(&settings.agents, settings.tools) {
        Ok(loaded) => (loaded.agents, loaded.diagnostics, None),
        Err(failure) => (Vec::new(), Vec::new(), Some(failure)),
    };
    let locals = Arc::new(FixedAgents(agents));
    let book = Arc::new(book(settings, &locals)?);
    let agents = AllAgents { locals, book }.agents();
    match nobody {
        Some(failure) if agents.is_empty() => Err(failure),
        _ => Ok(Loaded { agents, diagnostics }),
    }
}

/// Whether an agent is named by its address.
pub(crate) fn is_address(agent: &str) -> bool {
    agent.starts_with("http://") || agent.starts_with("https://")
}

/// A client for the agent at an address, with what the configuration says about that address.
pub(crate) async fn elsewhere(
    url: &str,
    bearer: Option<SecretRef>,
    settings: &Settings,
) -> Result<PeerClient, Failure> {
    let mut config = configured(url, settings);
    if let Some(bearer) = bearer {
        config.credential = Credential::Bearer(bearer);
    }
    config.credential.check().map_err(|error| Failure::new(error.code(), error.to_string()))?;
    PeerClient::connect(&TypedHosts::new(), &config).await.map(|(client, _)| client).map_err(failure)
}

/// What an address offers.
pub(crate) async fn discover(url: &str, settings: &Settings) -> Result<AgentDetails, Failure> {
    let config = configured(url, settings);
    let peer = match config.name.clone() {
        Some(name) => {
            let book = open(vec![config], None, None)?;
            book.client(&name).await.map_err(failure)?;
            book.peer(&name)
        }
        None => {
            let book = open(Vec::new(), None, None)?;
            Some(book.add(NewPeer { url: url.to_owned(), ..NewPeer::default() }).await.map_err(failure)?)
        }
    };
    let peer = peer.ok_or_else(|| Failure::new(ErrorCode::PEER_CARD_INVALID, format!("{url} gave no card")))?;
    Ok(details(&peer))
}

fn configured(url: &str, settings: &Settings) -> PeerConfig {
    let same = |peer: &&PeerConfig| peer.url.trim_end_matches('/') == url.trim_end_matches('/');
    settings.peers.iter().find(same).cloned().unwrap_or_else(|| PeerConfig::at(url))
}

/// An agent that is not served here takes requests where it lives.
fn details(peer: &KnownPeer) -> AgentDetails {
    let url = match &peer.agent.model {
        ModelSpec::Peer { url, .. } => url.clone(),
        ModelSpec::Playbook { .. } => peer.card_url.clone(),
    };
    AgentDetails {
        url: peer.endpoint.clone(),
        card_url: peer.card_url.clone(),
        remote: Some(RemoteEntry {
            url,
            card_url: peer.card_url.clone(),
            spoken: peer.spoken.clone(),
            endpoint: peer.endpoint.clone(),
            security: peer.security.clone(),
            signatures: peer.signatures.clone(),
            signed_by: peer.signed_by.clone(),
            configured: peer.configured,
        }),
        ..AgentDetails::of(&peer.agent, "")
    }
}

pub(super) fn failure(error: PeerBookError) -> Failure {
    let failure = Failure::new(error.code, error.detail);
    match error.code {
        ErrorCode::PEER_UNREACHABLE => failure.exit(crate::failure::Exit::Server),
        _ => failure,
    }
}
