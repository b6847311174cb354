//! Streams last no longer than the credentials by which they were opened.

use super::house::House;
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
const AWAY: u8 = 1;
const REVOKED: u8 = 2;

/// Judges every token by what is set.
#[derive(Clone, Default)]
struct Fickle(Arc<AtomicU8>);

impl Authenticator for Fickle {
    fn authenticate<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<AuthenticatedCaller, TokenRejection>> {
        let (tenant, subject) = ("acme".into(), "ann".into());
        let principal = Arc::new(Principal { tenant, subject, scopes: vec!["call".into()] });
        let judged = match self.0.load(Ordering::Relaxed) {
            AWAY => Err(TokenRejection::KeysUnavailable("no answer".to_owned())),
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
async fn a_stream_ends_soon_after_its_token() {
    let identity = Fickle::default();
    let house = House::with(|access| access.identity = Some(Arc::new(identity.clone())));
    let client = house.client("token");
    let mut stream = client.send_streaming("weather", SendRequest::new(message("hang"))).await.unwrap();
    let minute = Duration::from_secs(60);
    for standing in [GOOD, AWAY] {
        identity.0.store(standing, Ordering::Relaxed);
        while let Ok(event) = timeout(minute, stream.next()).await {
            event.expect("a stream whose token holds goes on").unwrap();
        }
    }
    identity.0.store(REVOKED, Ordering::Relaxed);
    let revoked_at = Instant::now();
    assert!(timeout(minute, stream.next()).await.unwrap().is_none());
    assert!(revoked_at.elapsed() <= Duration::from_secs(6), "{:?}", revoked_at.elapsed());
}
