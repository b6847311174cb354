//! Receivers with TLS certificates, configured by the standard variables.

use crate::{
    fixtures::{Sender, TARGET, number, to},
    receiver::Receiver,
};
use baton_export::{ExportOptions, OtlpProtocol, from_environment};
use baton_ports::{ExportMonitor as _, ExportState};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use std::{fs, net::SocketAddr, path::Path, sync::Arc, time::Duration};
use tempfile::TempDir;
use tokio::{
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{RootCertStore, ServerConfig, crypto::ring, pki_types::PrivateKeyDer, server::WebPkiClientVerifier},
};

/// A certificate authority.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn issue(&self, purpose: ExtendedKeyUsagePurpose) -> (rcgen::Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        params.extended_key_usages = vec![purpose];
        (params.signed_by(&key, &self.0).unwrap(), key)
    }
}

/// A TLS proxy to a plaintext receiver; stops when dropped.
struct TlsProxy {
    address: SocketAddr,
    serving: JoinHandle<()>,
}

impl TlsProxy {
    /// With `strict`, clients must present a certificate of the authority.
    async fn before(receiver: &Receiver, authority: &Authority, strict: bool) -> Self {
        let (certificate, key) = authority.issue(ExtendedKeyUsagePurpose::ServerAuth);
        let provider = Arc::new(ring::default_provider());
        let config = ServerConfig::builder_with_provider(Arc::clone(&provider));
        let config = config.with_safe_default_protocol_versions().unwrap();
        let config = if strict {
            let mut roots = RootCertStore::empty();
            roots.add(authority.0.der().clone()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap();
            config.with_client_cert_verifier(verifier)
        } else {
            config.with_no_client_auth()
        };
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let mut config = config.with_single_cert(vec![certificate.der().clone()], key).unwrap();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let (acceptor, behind) = (TlsAcceptor::from(Arc::new(config)), receiver.address);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let acceptor = acceptor.clone();
                connections.spawn(async move {
                    let Ok(mut outside) = acceptor.accept(stream).await else { return };
                    let mut inside = TcpStream::connect(behind).await.unwrap();
                    let _ = tokio::io::copy_bidirectional(&mut outside, &mut inside).await;
                });
            }
        });
        Self { address, serving }
    }
}

impl Drop for TlsProxy {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Options from these variables, with short test intervals.
fn options(proxy: &TlsProxy, protocol: &str, variables: &[(&str, &Path)]) -> ExportOptions {
    let endpoint = format!("https://{}", proxy.address);
    let (mut targets, remarks) = from_environment(Vec::new(), |name| match name {
        "OTEL_EXPORTER_OTLP_ENDPOINT" => Some(endpoint.clone()),
        "OTEL_EXPORTER_OTLP_PROTOCOL" => Some(protocol.to_owned()),
        name => variables.iter().find(|(other, _)| *other == name).map(|(_, path)| path.display().to_string()),
    });
    assert_eq!(remarks, Vec::<String>::new());
    TARGET.clone_into(&mut targets[0].name);
    ExportOptions { targets, ..to(&endpoint, OtlpProtocol::Http) }
}

struct Files {
    directory: TempDir,
}

impl Files {
    fn of(authority: &Authority) -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("authority.pem"), authority.0.pem()).unwrap();
        let (certificate, key) = authority.issue(ExtendedKeyUsagePurpose::ClientAuth);
        fs::write(directory.path().join("own.pem"), certificate.pem()).unwrap();
        fs::write(directory.path().join("own-key.pem"), key.serialize_pem()).unwrap();
        Self { directory }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.directory.path().join(name)
    }
}

/// Waits until the target is unreachable or blocked and returns the reason.
async fn reason(sender: &Sender) -> String {
    let counts = sender.exporter.counts();
    let known = async {
        loop {
            if let ExportState::Unreachable { why } | ExportState::Blocked { why } = counts.reports().remove(0).state {
                return why;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), known).await.expect("it cannot be sent")
}

const CERTIFICATE: &str = "OTEL_EXPORTER_OTLP_CERTIFICATE";

#[tokio::test]
async fn spans_wait_until_the_server_certificate_is_trusted() {
    let authority = Authority::new();
    let files = Files::of(&authority);
    fs::write(files.path("nonsense.pem"), "-----BEGIN CERTIFICATE-----\n???\n-----END CERTIFICATE-----\n").unwrap();
    for protocol in ["grpc", "http/protobuf", "http/json"] {
        let receiver = Receiver::start(&[]).await;
        let proxy = TlsProxy::before(&receiver, &authority, false).await;
        let kept = tempfile::tempdir().unwrap();
        for (file, expect) in [
            (None, "authority not trusted by this system"),
            (Some("missing.pem"), "missing.pem cannot be read"),
            (Some("nonsense.pem"), "nonsense.pem has no certificates"),
        ] {
            let path = file.map(|file| files.path(file));
            let variables: Vec<(&str, &Path)> = path.iter().map(|path| (CERTIFICATE, path.as_path())).collect();
            let sender = Sender::start(kept.path(), &options(&proxy, protocol, &variables));
            sender.keep(0..3).await;
            let why = reason(&sender).await;
            assert!(why.contains(expect), "{protocol}: {why}");
            sender.close().await;
        }
        let authority = files.path("authority.pem");
        let sender = Sender::start(kept.path(), &options(&proxy, protocol, &[(CERTIFICATE, &authority)]));
        sender.keep(3..5).await;
        let spans = receiver.spans(5).await;
        assert_eq!(spans.iter().map(number).collect::<Vec<_>>(), [0, 1, 2, 3, 4], "{protocol}");
        sender.close().await;
    }
}

#[tokio::test]
async fn client_certificate_is_presented_if_required() {
    let authority = Authority::new();
    let files = Files::of(&authority);
    let (own, key) = (files.path("own.pem"), files.path("own-key.pem"));
    let trusted = files.path("authority.pem");
    for protocol in ["grpc", "http/protobuf"] {
        let receiver = Receiver::start(&[]).await;
        let proxy = TlsProxy::before(&receiver, &authority, true).await;
        let kept = tempfile::tempdir().unwrap();
        let sender = Sender::start(kept.path(), &options(&proxy, protocol, &[(CERTIFICATE, &trusted)]));
        sender.keep(0..2).await;
        reason(&sender).await;
        sender.close().await;
        let variables: [(&str, &Path); 3] = [
            (CERTIFICATE, &trusted),
            ("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", &own),
            ("OTEL_EXPORTER_OTLP_CLIENT_KEY", &key),
        ];
        let sender = Sender::start(kept.path(), &options(&proxy, protocol, &variables));
        let spans = receiver.spans(2).await;
        assert_eq!(spans.iter().map(number).collect::<Vec<_>>(), [0, 1], "{protocol}");
        sender.close().await;
    }
}
