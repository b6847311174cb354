//! A new certificate is loaded without closing existing connections.

use super::world::{Authority, Directory, Server, pem, send_request};
use baton_client::ClientError;
use baton_http::{ServeOptions, Tls};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

#[tokio::test]
async fn a_rotated_certificate_is_shown_to_new_connections_only() {
    let authority = Authority::new();
    let (old, new) = (authority.issue(), authority.issue());
    let directory = Directory::with(&old);
    let tls = Tls::load(directory.files()).unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    tls.on_change({
        let told = Arc::clone(&told);
        move |fingerprint| told.lock().unwrap().push(fingerprint.to_string())
    });
    let bounds = ServeOptions { certificate_recheck: Duration::ZERO, ..ServeOptions::default() };
    let server = Server::start_with(tls.clone(), bounds).await;
    let before = server.pinned(&old);
    let mut stream = before.send_streaming("weather", send_request("hang")).await.unwrap();
    stream.next().await.unwrap().unwrap();
    let task = stream.task().unwrap().to_owned();

    // With incomplete or invalid files the old certificate stays in use.
    directory.put("cert.pem", pem("CERTIFICATE", &new.cert));
    server.pinned(&old).health().await.unwrap();
    directory.put("key.pem", "rubbish");
    server.pinned(&old).health().await.unwrap();
    std::fs::remove_file(directory.path("key.pem")).unwrap();
    server.pinned(&old).health().await.unwrap();
    assert!(told.lock().unwrap().is_empty());

    directory.put("key.pem", pem("PRIVATE KEY", &new.key));
    server.pinned(&new).health().await.unwrap();
    assert_eq!(*told.lock().unwrap(), [new.fingerprint()]);
    assert_eq!(tls.fingerprint().as_str(), new.fingerprint());
    let late = server.pinned(&old).health().await.unwrap_err();
    assert!(matches!(late, ClientError::Unreachable { .. }), "{late}");

    server.pinned(&new).cancel("weather", &task).await.unwrap();
    while let Some(event) = stream.next().await {
        event.unwrap();
    }
    assert!(stream.is_settled());
    before.health().await.unwrap();
}

#[tokio::test]
async fn certificate_files_are_not_rechecked_within_the_interval() {
    let authority = Authority::new();
    let (old, new) = (authority.issue(), authority.issue());
    let directory = Directory::with(&old);
    let bounds = ServeOptions { certificate_recheck: Duration::from_secs(3600), ..ServeOptions::default() };
    let server = Server::start_with(Tls::load(directory.files()).unwrap(), bounds).await;
    directory.put("cert.pem", pem("CERTIFICATE", &new.cert));
    directory.put("key.pem", pem("PRIVATE KEY", &new.key));
    server.pinned(&old).health().await.unwrap();
}
