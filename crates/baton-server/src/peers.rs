//! Registry of remote agents.

use crate::{PeerOptions, ServerError, agents::LocalAgents, error_codes};
use baton_peers::{LocalPeerRegistry, PeerConfig, PeerRegistryOptions, TypedHostConnector};
use baton_ports::{AgentSource, NewPeer, PeerRecord, PeerRegistry as _};
use std::{path::Path, sync::Arc};

/// File of added peers, below the data directory.
const PEERS_FILE: &str = "peers.json";

/// Opens the registry of configured and added peers. Sends no requests.
pub(crate) fn open_registry(
    options: &PeerOptions,
    locals: &Arc<LocalAgents>,
) -> Result<LocalPeerRegistry, ServerError> {
    let file = options.directory.as_deref().map(|data| data.join(PEERS_FILE));
    let mut names = options.configured.iter().filter_map(|peer| peer.name.as_ref());
    if file.is_some()
        && let Some(name) = names.find(|name| locals.has(name))
    {
        return Err(ServerError::PeerName(name.clone()));
    }
    open(options.configured.clone(), file.as_deref(), Some(Arc::clone(locals)))
}

fn open(
    configured: Vec<PeerConfig>,
    file: Option<&Path>,
    locals: Option<Arc<LocalAgents>>,
) -> Result<LocalPeerRegistry, ServerError> {
    let options = PeerRegistryOptions {
        configured,
        file: file.map(Path::to_owned),
        locals: locals.map(|locals| locals as Arc<dyn AgentSource>),
        connector: Arc::new(TypedHostConnector::new()),
    };
    LocalPeerRegistry::open(options).map_err(ServerError::Peer)
}

/// Reads the agent card at the URL of this configuration.
pub async fn discover_peer(config: PeerConfig) -> Result<PeerRecord, ServerError> {
    let url = config.url.clone();
    let record = match config.name.clone() {
        Some(name) => {
            let registry = open(vec![config], None, None)?;
            registry.client(&name).await.map_err(ServerError::Peer)?;
            registry.peer(&name)
        }
        None => {
            let registry = open(Vec::new(), None, None)?;
            let peer = NewPeer { url: url.clone(), ..NewPeer::default() };
            Some(registry.add(peer).await.map_err(ServerError::Peer)?)
        }
    };
    record.ok_or_else(|| {
        let detail = format!("{url} returned no agent card");
        ServerError::Peer(baton_ports::PeerRegistryError { code: error_codes::PEER_CARD_INVALID, detail })
    })
}
