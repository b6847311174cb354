//! Only the owner may set the location of a secret.

use super::server::{TestServer, bearer, token};
use crate::bindings::{headers, raw};
use baton_engine::NoPeers;
use baton_http_api::PeerPorts;
use baton_ports::{BoxFuture, NewPeer, PeerRecord, PeerRegistry, PeerRegistryError};
use baton_types::{AgentName, Digest, ErrorCode};
use std::sync::{Arc, Mutex};

/// Records the peers to add and rejects all of them.
#[derive(Default)]
struct RecordingPeerRegistry(Mutex<Vec<NewPeer>>);

impl PeerRegistry for RecordingPeerRegistry {
    fn add(&self, peer: NewPeer) -> BoxFuture<'_, Result<PeerRecord, PeerRegistryError>> {
        self.0.lock().unwrap().push(peer);
        let (code, detail) = (ErrorCode::PEER_UNREACHABLE, "nobody is there".to_owned());
        Box::pin(std::future::ready(Err(PeerRegistryError { code, detail })))
    }

    fn remove<'a>(&'a self, _: &'a AgentName) -> BoxFuture<'a, Result<(), PeerRegistryError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn peer(&self, _: &AgentName) -> Option<PeerRecord> {
        None
    }

    fn peers(&self) -> Vec<PeerRecord> {
        Vec::new()
    }
}

#[tokio::test]
async fn only_the_owner_sets_secret_locations() {
    let admin = token("acme", "root", "admin");
    let owner = token("local", "local", "admin");
    let with_secret = r#"{"url": "http://127.0.0.1:9", "bearer": "file:///etc/passwd"}"#;
    let without = r#"{"url": "http://127.0.0.1:9"}"#;
    for (local, shown, body, status) in [
        (false, Some(&admin), with_secret, 403),
        (false, Some(&admin), without, 503),
        (false, Some(&owner), with_secret, 503),
        (true, None, with_secret, 403),
        (true, Some(&admin), with_secret, 403),
        (true, None, without, 503),
        (true, Some(&owner), with_secret, 503),
    ] {
        let registry = Arc::new(RecordingPeerRegistry::default());
        let ports = PeerPorts { registry: Arc::<RecordingPeerRegistry>::clone(&registry), peers: Arc::new(NoPeers) };
        let server = TestServer::with_options(
            |access| {
                access.owner = Some(Digest::compute(owner.as_bytes()));
                if local {
                    access.identity = None;
                }
            },
            |options| options.api.peers = Some(ports),
        );
        let shown = shown.map(|token| bearer(token));
        let mut given = vec![("content-type", "application/json")];
        given.extend(shown.as_deref().map(|shown| ("authorization", shown)));
        let answered = raw(&server.app, "POST", "/api/v1/agents", headers(&given), body).await;
        assert_eq!(answered.status().as_u16(), status, "local {local}, {shown:?}, {body}");
        assert_eq!(registry.0.lock().unwrap().len(), usize::from(status == 503));
    }
}
