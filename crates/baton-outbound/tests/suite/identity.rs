//! Client certificates.

use crate::fixtures::{ScriptedResolver, client_with, post};
use baton_outbound::{CertificateDer, ClientIdentity, GuardedClient, OutboundError, OutboundOptions, SetupError};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::{body::Incoming, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::{convert::Infallible, net::SocketAddr, sync::Arc};
use tokio::net::TcpListener;
use tokio_rustls::{
    TlsAcceptor,
    rustls::{RootCertStore, ServerConfig, crypto::ring, pki_types::PrivateKeyDer, server::WebPkiClientVerifier},
};
use tower::Service as _;

const ALLOW: &[&str] = &["127.0.0.0/8"];

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority() -> Authority {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap()
}

/// A certificate of the authority as PEM, with its key.
fn issued(authority: &Authority, name: &str) -> (String, String) {
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&key, authority).unwrap();
    (certificate.pem(), key.serialize_pem())
}

/// A server for HTTP/1.1 and HTTP/2 that requires a client certificate of the authority.
async fn mutual_tls_server(authority: &Authority) -> SocketAddr {
    let key = KeyPair::generate().unwrap();
    let names = vec!["127.0.0.1".to_owned()];
    let certificate = CertificateParams::new(names).unwrap().signed_by(&key, authority).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(authority.der().clone()).unwrap();
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider)).build().unwrap();
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(verifier)
        .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::try_from(key.serialize_der()).unwrap())
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let Ok(stream) = acceptor.accept(stream).await else { continue };
            let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
            let service = service_fn(move |_: Request<Incoming>| async move {
                let version = if is_http2 { "h2" } else { "h1" };
                Ok::<_, Infallible>(Response::new(Full::new(Bytes::from(version))))
            });
            let stream = TokioIo::new(stream);
            if is_http2 {
                let server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                tokio::spawn(server.serve_connection(stream, service));
            } else {
                tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(stream, service));
            }
        }
    });
    address
}

fn client_trusting(root: CertificateDer<'static>) -> GuardedClient {
    client_with(
        ALLOW,
        ScriptedResolver::default(),
        &OutboundOptions { extra_roots: vec![root], ..OutboundOptions::default() },
    )
}

#[tokio::test]
async fn client_with_trusted_certificate_is_accepted() {
    let ours = authority();
    let url = format!("https://{}/", mutual_tls_server(&ours).await);
    let anonymous = client_trusting(ours.der().clone());
    let (certificate, key) = issued(&ours, "baton");
    let known =
        anonymous.with_identity(ClientIdentity::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap()).unwrap();
    let reply = known.send(post(&url)).await.unwrap();
    assert_eq!((reply.status.as_u16(), reply.body.as_ref()), (200, b"h1".as_slice()));
    assert_eq!(known.open(post(&url)).await.unwrap().into_body().read(10).await.unwrap(), "h1");
    let request = Request::post(&url).body(Full::new(Bytes::new())).unwrap();
    let response = known.grpc_service().unwrap().call(request).await.unwrap();
    assert_eq!(http_body_util::BodyExt::collect(response.into_body()).await.unwrap().to_bytes(), "h2");

    let theirs = authority();
    let (certificate, key) = issued(&theirs, "baton");
    let stranger = ClientIdentity::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap();
    for client in [anonymous.clone(), anonymous.with_identity(stranger).unwrap()] {
        let error = client.send(post(&url)).await.unwrap_err();
        assert!(matches!(error, OutboundError::Unreachable { .. }) && error.is_before_send(), "{error:?}");
    }
}

#[test]
fn invalid_identity_is_reported_without_its_key() {
    let ours = authority();
    let (certificate, key) = issued(&ours, "baton");
    let (_, other) = issued(&ours, "baton");
    for (certificate, key) in [("", key.as_str()), (certificate.as_str(), ""), ("nonsense", "nonsense")] {
        let error = ClientIdentity::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap_err();
        assert!(matches!(error, SetupError::Identity(_)), "{error:?}");
    }
    let mixed = ClientIdentity::from_pem(certificate.as_bytes(), other.as_bytes()).unwrap();
    assert!(matches!(client_trusting(ours.der().clone()).with_identity(mixed), Err(SetupError::Identity(_))));
    let identity = ClientIdentity::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap();
    assert_eq!(format!("{identity:?}"), "ClientIdentity { certificates: 1, .. }");
    let options = OutboundOptions { client_identity: Some(identity), ..OutboundOptions::default() };
    let secret = key.lines().nth(1).unwrap();
    assert!(!format!("{options:?}").contains(secret));
}
