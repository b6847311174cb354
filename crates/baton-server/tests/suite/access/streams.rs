//! Streams end when their credentials expire or are revoked.

use super::server::TestServer;
use crate::world::message;
use baton_client::SendRequest;
use baton_ports::{AuthenticatedCaller, Authenticator, BoxFuture, TokenRejection};
use baton_types::Principal;
use std::{
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    time::Duration,
};
use tokio::time::{Instant, timeout};

const GOOD: u8 = 0;
const UNAVAILABLE: u8 = 1;
const REVOKED: u8 = 2;

/// Answers for every token according to the stored state.
#[derive(Clone, Default)]
struct SwitchableAuthenticator(Arc<AtomicU8>);

impl Authenticator for SwitchableAuthenticator {
    fn authenticate<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<AuthenticatedCaller, TokenRejection>> {
        let (tenant, subject) = ("acme".into(), "ann".into());
        let principal = Arc::new(Principal { tenant, subject, scopes: vec!["call".into()] });
        let judged = match self.0.load(Ordering::Relaxed) {
            UNAVAILABLE => Err(TokenRejection::KeysUnavailable("no answer".to_owned())),
            REVOKED => Err(TokenRejection::Revoked),
            _ => Ok(AuthenticatedCaller { principal, credential: "token".into() }),
        };
        Box::pin(std::future::ready(judged))
    }

    fn issuers(&self) -> Vec<String> {
        Vec::new()
    }
}

#[tokio::test(start_paused = true)]
async fn stream_ends_soon_after_token_revocation() {
    let identity = SwitchableAuthenticator::default();
    let server = TestServer::with_access(|access| access.identity = Some(Arc::new(identity.clone())));
    let client = server.client("token");
    let mut stream = client.send_streaming("weather", SendRequest::new(message("hang"))).await.unwrap();
    let minute = Duration::from_secs(60);
    for state in [GOOD, UNAVAILABLE] {
        identity.0.store(state, Ordering::Relaxed);
        while let Ok(event) = timeout(minute, stream.next()).await {
            event.expect("a stream with a valid token continues").unwrap();
        }
    }
    identity.0.store(REVOKED, Ordering::Relaxed);
    let revoked_at = Instant::now();
    assert!(timeout(minute, stream.next()).await.unwrap().is_none());
    assert!(revoked_at.elapsed() <= Duration::from_secs(6), "{:?}", revoked_at.elapsed());
}
