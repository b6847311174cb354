//! A server with a certificate, and clients over HTTP/1.1 and HTTP/2.

use crate::world::{configured, engine, message, options};
use axum::{Router, body::Body, extract::Request, response::IntoResponse as _};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use baton_client::{Client, SendRequest};
use baton_http::{ServeOptions, Tls, TlsFiles, serve};
use baton_server::app;
use http::Uri;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use std::{fs, io, net::SocketAddr, path::PathBuf, sync::Arc};
use tempfile::TempDir;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Mutex,
    task::JoinHandle,
};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{
        ClientConfig, RootCertStore, SupportedProtocolVersion,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, ServerName},
    },
};
use tokio_util::sync::CancellationToken;

/// Certificate authority.
pub(super) struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A certificate and its key.
pub(super) struct Pair {
    pub(super) cert: CertificateDer<'static>,
    pub(super) key: Vec<u8>,
}

impl Authority {
    pub(super) fn new() -> Self {
        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap())
    }

    pub(super) fn der(&self) -> CertificateDer<'static> {
        self.0.der().clone()
    }

    /// A certificate for 127.0.0.1.
    pub(super) fn issue(&self) -> Pair {
        self.issue_for(ExtendedKeyUsagePurpose::ServerAuth)
    }

    pub(super) fn issue_for(&self, purpose: ExtendedKeyUsagePurpose) -> Pair {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        params.extended_key_usages = vec![purpose];
        Pair { cert: params.signed_by(&key, &self.0).unwrap().der().clone(), key: key.serialize_der() }
    }
}

impl Pair {
    pub(super) fn fingerprint(&self) -> String {
        baton_types::Digest::compute(&self.cert).to_string()
    }

    fn key(&self) -> PrivateKeyDer<'static> {
        PrivateKeyDer::try_from(self.key.clone()).unwrap()
    }
}

pub(super) fn pem(label: &str, der: &[u8]) -> String {
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", STANDARD.encode(der))
}

/// A directory with a server's certificate files.
pub(super) struct Directory(TempDir);

impl Directory {
    pub(super) fn with(pair: &Pair) -> Self {
        let directory = Self(TempDir::new().unwrap());
        directory.put("cert.pem", pem("CERTIFICATE", &pair.cert));
        directory.put("key.pem", pem("PRIVATE KEY", &pair.key));
        directory
    }

    pub(super) fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(super) fn files(&self) -> TlsFiles {
        TlsFiles { cert: self.path("cert.pem"), key: self.path("key.pem"), client_ca: None }
    }
}

/// A server with TLS.
pub(super) struct Server {
    pub(super) address: SocketAddr,
    pub(super) shutdown: CancellationToken,
    pub(super) serving: JoinHandle<io::Result<()>>,
}

impl Server {
    pub(super) async fn start(files: TlsFiles) -> Self {
        Self::start_with(Tls::load(files).unwrap(), ServeOptions::default()).await
    }

    pub(super) async fn start_with(tls: Tls, served: ServeOptions) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let options = configured(options(), |options| {
            options.http.bound = Some(address);
            options.http.tls = true;
        });
        let shutdown = options.http.shutdown.clone();
        let served = ServeOptions { tls: Some(tls), ..served };
        let serving = tokio::spawn(serve(listener, app(engine(&["weather"]), options), served, shutdown.clone()));
        Self { address, shutdown, serving }
    }

    pub(super) fn url(&self) -> String {
        format!("https://{}", self.address)
    }

    pub(super) fn pinned(&self, pair: &Pair) -> Client {
        Client::pinned(&self.url(), &pair.fingerprint()).unwrap()
    }

    pub(super) async fn connect(&self, with: &ClientSettings<'_>) -> io::Result<TlsStream<TcpStream>> {
        let stream = TcpStream::connect(self.address).await.unwrap();
        let name = ServerName::try_from("127.0.0.1").unwrap();
        TlsConnector::from(Arc::new(with.config())).connect(name, stream).await
    }

    /// A router that sends its requests over one HTTP/2 connection to `localhost`.
    pub(super) async fn http2(&self, with: &ClientSettings<'_>) -> Router {
        let stream = TokioIo::new(self.connect(with).await.unwrap());
        let (sender, connection) = http2::handshake(TokioExecutor::new(), stream).await.unwrap();
        tokio::spawn(connection);
        let url = format!("https://localhost:{}", self.address.port());
        Router::new().fallback(move |mut request: Request| {
            let mut sender = sender.clone();
            *request.uri_mut() = format!("{url}{}", request.uri()).parse::<Uri>().unwrap();
            request.headers_mut().remove(http::header::HOST);
            async move { sender.send_request(request).await.unwrap().map(Body::new) }
        })
    }

    /// A router that sends its requests over one HTTP/1.1 connection.
    pub(super) async fn http1(&self, with: &ClientSettings<'_>) -> Router {
        let stream = TokioIo::new(self.connect(with).await.unwrap());
        let (sender, connection) = http1::handshake(stream).await.unwrap();
        tokio::spawn(connection);
        let sender = Arc::new(Mutex::new(sender));
        Router::new().fallback(move |request: Request| {
            let sender = Arc::clone(&sender);
            async move {
                let mut sender = sender.lock().await;
                sender.ready().await.unwrap();
                match sender.send_request(request).await {
                    Ok(response) => response.map(Body::new),
                    Err(error) => (http::StatusCode::IM_A_TEAPOT, error.to_string()).into_response(),
                }
            }
        })
    }
}

/// TLS settings of a client.
pub(super) struct ClientSettings<'a> {
    pub(super) trusts: &'a Authority,
    pub(super) alpn: &'a [&'a str],
    pub(super) versions: &'a [&'static SupportedProtocolVersion],
    pub(super) shows: Option<&'a Pair>,
}

impl<'a> ClientSettings<'a> {
    pub(super) fn trusting(trusts: &'a Authority) -> Self {
        Self { trusts, alpn: &[], versions: tokio_rustls::rustls::ALL_VERSIONS, shows: None }
    }

    fn config(&self) -> ClientConfig {
        let mut roots = RootCertStore::empty();
        roots.add(self.trusts.der()).unwrap();
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(self.versions)
            .unwrap()
            .with_root_certificates(roots);
        let mut config = match self.shows {
            Some(pair) => builder.with_client_auth_cert(vec![pair.cert.clone()], pair.key()).unwrap(),
            None => builder.with_no_client_auth(),
        };
        config.alpn_protocols = self.alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
        config
    }
}

pub(super) fn send_request(text: &str) -> SendRequest {
    SendRequest::new(message(text))
}
