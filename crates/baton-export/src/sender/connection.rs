//! Connection to a target, created lazily because loading the system's certificates is slow.

use crate::{OtlpProtocol, Route, Signal};
use ::http::Uri;
use baton_outbound::{
    AddressPolicy, CertificateDer, ClientIdentity, GuardedClient, Http2Service, OutboundOptions, Target,
};
use bytes::Bytes;
use http_body_util::Full;
use rustls::pki_types::pem::PemObject as _;
use std::path::Path;

/// A connection; clones share it.
#[derive(Clone)]
pub(super) struct TargetConnection {
    pub(super) uri: Uri,
    pub(super) client: TargetClient,
}

/// Client by protocol.
#[derive(Clone)]
pub(super) enum TargetClient {
    Grpc(Http2Service<Full<Bytes>>),
    Http(GuardedClient),
}

impl TargetConnection {
    pub(super) async fn open(route: &Route, signal: Signal) -> Result<Self, String> {
        let route = route.clone();
        let opened = tokio::task::spawn_blocking(move || open(&route, signal)).await;
        opened.unwrap_or_else(|error| Err(error.to_string()))
    }
}

fn open(route: &Route, signal: Signal) -> Result<TargetConnection, String> {
    let target = Target::parse(&route.url).map_err(|error| error.to_string())?;
    // The configured address may be private; all other private addresses stay forbidden.
    let policy = AddressPolicy::allowing([target.host()]).map_err(|error| error.to_string())?;
    let usual = OutboundOptions::default();
    let options = OutboundOptions {
        connect_timeout: usual.connect_timeout.min(route.timeout),
        request_timeout: route.timeout,
        extra_roots: route.certificate.as_deref().map_or(Ok(Vec::new()), read_root_certificates)?,
        client_identity: route.identity.as_ref().map(|(own, key)| read_identity(own, key)).transpose()?,
        same_origin: true,
        ..usual
    };
    let client = GuardedClient::new(policy, &options).map_err(|error| error.to_string())?;
    if route.protocol != OtlpProtocol::Grpc {
        return Ok(TargetConnection { uri: target.uri().clone(), client: TargetClient::Http(client) });
    }
    let uri = format!("{target}{}", signal.method()).parse().map_err(|_| "the address is malformed".to_owned())?;
    let service = client.grpc_service().map_err(|error| error.to_string())?;
    Ok(TargetConnection { uri, client: TargetClient::Grpc(service) })
}

fn read_root_certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&read_file(path)?).collect();
    found.map_err(|error| format!("{} has no certificates: {error}", path.display()))
}

fn read_identity(certificate: &Path, key: &Path) -> Result<ClientIdentity, String> {
    ClientIdentity::from_pem(&read_file(certificate)?, &read_file(key)?).map_err(|error| error.to_string())
}

fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))
}
