//! Rejected clients: too slow, without TLS, without a client certificate, or with another pinned certificate.

use super::world::{Authority, ClientSettings, Directory, Server, pem};
use crate::bindings::{headers, raw};
use axum::Router;
use baton_client::{Client, ClientError};
use baton_http::{ServeOptions, Tls, TlsFiles};
use http::StatusCode;
use rcgen::ExtendedKeyUsagePurpose;
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tokio_rustls::rustls::version::{TLS12, TLS13};

async fn healthy(app: &Router) -> StatusCode {
    raw(app, "GET", "/healthz", headers(&[]), "").await.status()
}

#[tokio::test]
async fn stalled_handshake_is_closed_and_frees_its_slot() {
    let authority = Authority::new();
    let pair = authority.issue();
    let bounds = ServeOptions {
        max_connections: 1,
        // Long enough for regular clients on a busy machine.
        handshake_timeout: Duration::from_secs(1),
        header_timeout: Duration::from_secs(1),
        ..ServeOptions::default()
    };
    let server = Server::start_with(Tls::load(Directory::with(&pair).files()).unwrap(), bounds).await;
    // No bytes, half a record, and a complete handshake without a request.
    for first in [&b""[..], b"\x16\x03\x01\x02\x00\x01"] {
        let mut silent = TcpStream::connect(server.address).await.unwrap();
        silent.write_all(first).await.unwrap();
        let waiting = server.pinned(&pair);
        let (cut, served) = tokio::join!(silent.read_u8(), waiting.health());
        assert!(cut.is_err());
        served.unwrap();
    }
    let mut idle = server.connect(&ClientSettings::trusting(&authority)).await.unwrap();
    assert_eq!(idle.read(&mut [0; 16]).await.unwrap_or_default(), 0);
}

#[tokio::test]
async fn plain_http_request_gets_an_https_hint() {
    let server = Server::start(Directory::with(&Authority::new().issue()).files()).await;
    let mut plain = TcpStream::connect(server.address).await.unwrap();
    let request = format!("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000\r\n\r\n{}", "x".repeat(9000));
    plain.write_all(request.as_bytes()).await.unwrap();
    let mut reply = String::new();
    plain.read_to_string(&mut reply).await.unwrap();
    insta::assert_snapshot!(reply.replace('\r', ""), @r"
    HTTP/1.1 400 Bad Request
    Content-Type: text/plain; charset=utf-8
    Connection: close
    Content-Length: 57

    This port speaks TLS: use https:// in place of http://.
    ");
    let said = Client::tcp(&format!("http://{}", server.address)).unwrap().agents().await.unwrap_err().to_string();
    assert!(said.contains("use https://"), "{said}");
}

#[tokio::test]
async fn a_client_certificate_is_required_where_authorities_are_given() {
    let (ours, theirs) = (Authority::new(), Authority::new());
    let pair = ours.issue();
    let directory = Directory::with(&pair);
    directory.put("ca.pem", pem("CERTIFICATE", &ours.der()));
    let server = Server::start(TlsFiles { client_ca: Some(directory.path("ca.pem")), ..directory.files() }).await;
    let known = ours.issue_for(ExtendedKeyUsagePurpose::ClientAuth);
    let stranger = theirs.issue_for(ExtendedKeyUsagePurpose::ClientAuth);
    for versions in [&[&TLS12][..], &[&TLS13]] {
        for (shows, expect) in [(Some(&known), true), (Some(&stranger), false), (Some(&pair), false), (None, false)] {
            let settings = ClientSettings { shows, versions, ..ClientSettings::trusting(&ours) };
            let served = match server.connect(&settings).await {
                // In TLS 1.3 the client's handshake ends before the server checks its certificate.
                Ok(mut stream) => {
                    let _ = stream
                        .write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                        .await;
                    let mut reply = Vec::new();
                    let _ = stream.read_to_end(&mut reply).await;
                    reply.starts_with(b"HTTP/1.1 200 OK")
                }
                Err(_) => false,
            };
            assert_eq!(served, expect);
        }
    }
    let without = server.pinned(&pair).health().await.unwrap_err();
    assert!(!matches!(without, ClientError::Refused(_)), "{without}");
}

#[tokio::test]
async fn clients_reject_untrusted_and_unpinned_servers() {
    let authority = Authority::new();
    let (pair, other) = (authority.issue(), authority.issue());
    let server = Server::start(Directory::with(&pair).files()).await;
    let unknown = Client::tcp(&server.url()).unwrap().health().await.unwrap_err();
    let another = server.pinned(&other).health().await.unwrap_err();
    let port = server.address.port().to_string();
    insta::assert_snapshot!(format!("{unknown}\n{another}").replace(&port, "PORT"), @r"
    no Baton server answers at https://127.0.0.1:PORT: its certificate was issued by an authority that this system does not trust
    no Baton server answers at https://127.0.0.1:PORT: its certificate is not the pinned one
    ");

    let colons: Vec<String> = pair
        .fingerprint()
        .to_uppercase()
        .as_bytes()
        .chunks(2)
        .map(|two| String::from_utf8_lossy(two).into_owned())
        .collect();
    Client::pinned(&server.url(), &colons.join(":")).unwrap().health().await.unwrap();
    for (url, fingerprint) in [
        (server.url(), "abc".to_owned()),
        (server.url(), "x".repeat(64)),
        (format!("http://{}", server.address), pair.fingerprint()),
    ] {
        assert!(matches!(Client::pinned(&url, &fingerprint), Err(ClientError::Address { .. })), "{url} {fingerprint}");
    }
}

#[tokio::test]
async fn a_client_of_other_protocols_gets_no_connection() {
    let authority = Authority::new();
    let server = Server::start(Directory::with(&authority.issue()).files()).await;
    let settings = ClientSettings { alpn: &["smtp"], ..ClientSettings::trusting(&authority) };
    assert!(server.connect(&settings).await.is_err());
    assert_eq!(healthy(&server.http1(&ClientSettings::trusting(&authority)).await).await, StatusCode::OK);
}
