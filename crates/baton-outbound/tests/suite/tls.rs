//! HTTPS: trusted authorities, host names, and no downgrade to HTTP.

use crate::fixtures::{Answer, Receiver, ScriptedResolver, client_with, post};
use baton_outbound::{CertificateDer, OutboundError, OutboundOptions};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::sync::Arc;
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::ring, pki_types::PrivateKeyDer},
};

const ALLOW: &[&str] = &["127.0.0.0/8"];

/// A receiver with a certificate for 127.0.0.1 and `hooks.example`, and the authority that signed it.
async fn secure(
    behaviour: impl Fn(&crate::fixtures::ReceivedRequest) -> Answer + Send + Sync + 'static,
) -> (Receiver, CertificateDer<'static>) {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let names = vec!["127.0.0.1".to_owned(), "hooks.example".to_owned()];
    let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &authority).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::try_from(key.serialize_der()).unwrap())
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let (receiver, listener) = Receiver::bind(behaviour).await;
    let serving = receiver.clone();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            if let Ok(stream) = acceptor.accept(stream).await {
                tokio::spawn(serving.clone().serve(stream));
            }
        }
    });
    (receiver, authority.der().clone())
}

fn options(root: CertificateDer<'static>) -> OutboundOptions {
    OutboundOptions { extra_roots: vec![root], ..OutboundOptions::default() }
}

#[tokio::test]
async fn https_needs_a_trusted_authority_and_matching_name() {
    let (receiver, root) = secure(|_| Answer::status(200)).await;
    let port = receiver.address.port();
    let names = ScriptedResolver::of(&[("hooks.example", &[&["127.0.0.1"]]), ("other.example", &[&["127.0.0.1"]])]);
    let client = client_with(ALLOW, names.clone(), &options(root));
    for host in ["127.0.0.1", "hooks.example"] {
        let reply = client.send(post(&format!("https://{host}:{port}/"))).await.unwrap();
        assert_eq!(reply.status, 200);
    }
    let stranger = client_with(ALLOW, names, &OutboundOptions::default());
    for (client, host, said) in [
        (&client, "other.example", "its certificate is for another name"),
        (&stranger, "hooks.example", "its certificate is from an authority not trusted by this system"),
    ] {
        let error = client.send(post(&format!("https://{host}:{port}/"))).await.unwrap_err();
        assert!(matches!(error, OutboundError::Unreachable { .. }), "{error:?}");
        assert!(error.to_string().ends_with(said), "{error}");
    }
    let plain = Receiver::start(|_| Answer::status(200)).await;
    let error = client.send(post(&plain.url("/").replace("http:", "https:"))).await.unwrap_err();
    assert!(error.to_string().ends_with("the server does not speak TLS; did you mean http://?"), "{error}");
    assert_eq!(receiver.received().len(), 2);
}

#[tokio::test]
async fn https_does_not_redirect_to_http() {
    let plain = Receiver::start(|_| Answer::status(200)).await;
    let to = plain.url("/");
    let (receiver, root) = secure(move |_| Answer::redirect(307, to.clone())).await;
    let client = client_with(ALLOW, ScriptedResolver::default(), &options(root));
    let error = client.send(post(&format!("https://{}/", receiver.address))).await.unwrap_err();
    assert!(error.to_string().ends_with("leads from https to http"), "{error}");
    assert!(plain.received().is_empty());
}

#[tokio::test]
async fn invalid_root_certificate_is_reported_at_setup() {
    let policy = baton_outbound::AddressPolicy::public_only();
    let broken = options(CertificateDer::from(vec![1, 2, 3]));
    let error = baton_outbound::GuardedClient::new(policy, &broken).err().unwrap();
    assert!(matches!(error, baton_outbound::SetupError::Root(_)), "{error:?}");
}
