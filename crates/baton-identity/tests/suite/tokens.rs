//! Tokens of the registry.

use crate::issuer_fixture::{HOUR, ManualClock, NOW};
use baton_identity::TokenRegistry;
use baton_journal::{
    JournalOptions, MemoryJournal, SqliteJournal,
    fault::{Fault, FaultyJournal},
};
use baton_ports::{
    BoxFuture, IssuedToken, JournalError, NewToken, TokenError, TokenIssuer as _, TokenRecord, TokenRejection,
    TokenStore,
};
use baton_types::{Clock as _, Digest, Principal, Timestamp};
use std::{future::Future as _, pin::pin, sync::Arc, task::Poll};
use tokio::sync::Semaphore;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis((NOW + seconds) * 1_000)
}

pub(crate) fn new(name: &str) -> NewToken {
    let principal = Principal { tenant: "local".into(), subject: name.into(), scopes: vec!["call".into()] };
    NewToken { name: name.to_owned(), principal: Arc::new(principal), expires_at: Some(at(HOUR)) }
}

async fn registry(store: Arc<dyn TokenStore>) -> (TokenRegistry, Arc<ManualClock>) {
    let clock = ManualClock::new();
    (TokenRegistry::open(store, clock.clone()).await.unwrap(), clock)
}

#[tokio::test]
async fn token_identifies_its_principal_until_it_expires() {
    let (registry, clock) = registry(Arc::new(MemoryJournal::new())).await;
    let IssuedToken { record, token } = registry.create(new("ci")).await.unwrap();
    let (id, secret) = token.strip_prefix("btn_").unwrap().split_once('_').unwrap();
    assert_eq!((id.len(), id, secret.len()), (10, record.id.as_str(), 43));
    assert_eq!((&record.secret, record.created_at), (&Digest::compute(secret.as_bytes()), at(0)));
    let identified = registry.identify(&token).unwrap();
    assert_eq!((&identified.principal, &*identified.credential), (&new("ci").principal, &*format!("token:{id}")));

    let forever = registry.create(NewToken { expires_at: None, ..new("ever") }).await.unwrap();
    clock.advance(HOUR - 1);
    assert!(registry.identify(&token).is_ok());
    clock.advance(1);
    assert_eq!(registry.identify(&token), Err(TokenRejection::Expired));
    clock.advance(100_000 * HOUR);
    assert!(registry.identify(&forever.token).is_ok());
    assert_eq!(registry.list(), [record, forever.record]);
}

#[tokio::test]
async fn only_the_complete_secret_is_accepted() {
    let (registry, _) = registry(Arc::new(MemoryJournal::new())).await;
    let (ann, bob) = (registry.create(new("ann")).await.unwrap(), registry.create(new("bob")).await.unwrap());
    let secret =
        |issued: &IssuedToken| issued.token.rsplit_once(&format!("{}_", issued.record.id)).unwrap().1.to_owned();
    let form = |id: &str, secret: &str| format!("btn_{id}_{secret}");
    let (id, own) = (&ann.record.id, secret(&ann));
    assert!(registry.identify(&form(id, &own)).is_ok());
    for (place, letter) in own.char_indices() {
        let other = if letter == 'A' { "B" } else { "A" };
        let wrong = format!("{}{other}{}", &own[..place], &own[place + 1..]);
        assert_eq!(registry.identify(&form(id, &wrong)), Err(TokenRejection::Unknown));
    }
    for wrong in [&own[1..], &format!("{own}="), &secret(&bob), ann.record.secret.as_str(), &own.to_lowercase()] {
        assert_eq!(registry.identify(&form(id, wrong)), Err(TokenRejection::Unknown), "{wrong}");
    }
    assert_eq!(registry.identify(&form("0000000000", &own)), Err(TokenRejection::Unknown));
    for malformed in ["", "btn_", "btn_x", "btn__", "btn_x_", &format!("btn__{own}"), &ann.token[1..]] {
        assert_eq!(registry.identify(malformed), Err(TokenRejection::Malformed), "{malformed}");
    }
    let seen = format!("{ann:?}");
    assert!(!seen.contains(&own) && seen.contains("ann"), "{seen}");
}

#[tokio::test]
async fn revoked_token_stops_at_once_and_unknown_tokens_are_not_found() {
    let memory = Arc::new(MemoryJournal::new());
    let (registry, clock) = registry(memory.clone()).await;
    let IssuedToken { record, token } = registry.create(new("ci")).await.unwrap();
    clock.advance(60);
    let revoked = registry.revoke(&record.id).await.unwrap();
    assert_eq!(revoked, TokenRecord { revoked_at: Some(at(60)), ..record.clone() });
    assert_eq!(registry.identify(&token), Err(TokenRejection::Revoked));
    let guessed = format!("btn_{}_guess", record.id);
    assert_eq!(registry.identify(&guessed), Err(TokenRejection::Unknown));
    clock.advance(60);
    assert_eq!(registry.revoke(&record.id).await.as_ref(), Ok(&revoked), "a repeated revocation changes nothing");
    assert_eq!((memory.tokens().await, registry.list()), (Ok(vec![revoked.clone()]), vec![revoked]));
    assert_eq!(registry.revoke("nobody").await, Err(TokenError::NotFound("nobody".to_owned())));
}

#[tokio::test]
async fn tokens_survive_reopening_the_journal() {
    let directory = tempfile::tempdir().unwrap();
    let open = || async {
        let journal = SqliteJournal::open(directory.path(), JournalOptions::default()).unwrap();
        registry(Arc::new(journal)).await
    };
    let (before, _) = open().await;
    let (kept, gone) = (before.create(new("kept")).await.unwrap(), before.create(new("gone")).await.unwrap());
    before.revoke(&gone.record.id).await.unwrap();
    let list = before.list();
    drop(before);
    let bytes = std::fs::read(directory.path().join("journal.db")).unwrap();
    let secret = kept.token.rsplit_once(&format!("{}_", kept.record.id)).unwrap().1.as_bytes();
    assert!(!bytes.windows(secret.len()).any(|window| window == secret), "the secret is on disk");

    let (after, clock) = open().await;
    assert_eq!(after.list(), list);
    assert_eq!(after.identify(&kept.token).map(|known| known.principal), Ok(new("kept").principal));
    assert_eq!(after.identify(&gone.token), Err(TokenRejection::Revoked));
    clock.advance(HOUR);
    assert_eq!(after.identify(&kept.token), Err(TokenRejection::Expired));
}

#[tokio::test]
async fn rejected_write_changes_nothing() {
    let memory = Arc::new(MemoryJournal::new());
    let faulty = Arc::new(FaultyJournal::new(memory.clone(), |_| Fault::Pass));
    let (registry, _) = registry(faulty.clone()).await;
    let issued = registry.create(new("ci")).await.unwrap();
    faulty.crash();
    assert!(matches!(registry.create(new("late")).await, Err(TokenError::Store(JournalError::Unavailable(_)))));
    assert!(matches!(registry.revoke(&issued.record.id).await, Err(TokenError::Store(_))));
    assert!(registry.identify(&issued.token).is_ok());
    assert_eq!((registry.list(), memory.tokens().await), (vec![issued.record.clone()], Ok(vec![issued.record])));
}

/// A store whose writes wait for a permit.
struct BlockingStore {
    memory: MemoryJournal,
    open: Semaphore,
}

impl TokenStore for BlockingStore {
    fn tokens(&self) -> BoxFuture<'_, Result<Vec<TokenRecord>, JournalError>> {
        self.memory.tokens()
    }

    fn put_token(&self, token: TokenRecord) -> BoxFuture<'_, Result<(), JournalError>> {
        Box::pin(async move {
            self.open.acquire().await.unwrap().forget();
            self.memory.put_token(token).await
        })
    }
}

#[tokio::test]
async fn dropped_revocation_is_still_completed() {
    let slow = Arc::new(BlockingStore { memory: MemoryJournal::new(), open: Semaphore::new(1) });
    let (registry, _) = registry(slow.clone()).await;
    let issued = registry.create(new("ci")).await.unwrap();
    {
        let mut leaving = pin!(registry.revoke(&issued.record.id));
        assert!(std::future::poll_fn(|context| Poll::Ready(leaving.as_mut().poll(context).is_pending())).await);
    }
    assert!(registry.identify(&issued.token).is_ok(), "the token is valid until the revocation is on disk");
    slow.open.add_permits(1);
    // The second revocation waits for the first one and has nothing to write.
    assert!(registry.revoke(&issued.record.id).await.unwrap().revoked_at.is_some());
    assert_eq!(registry.identify(&issued.token), Err(TokenRejection::Revoked));
}

#[tokio::test]
async fn invalid_token_requests_are_rejected() {
    let (registry, clock) = registry(Arc::new(MemoryJournal::new())).await;
    let who = |tenant: &str, subject: &str, scopes: &[&str]| {
        let scopes = scopes.iter().map(|scope| (*scope).into()).collect();
        NewToken {
            principal: Arc::new(Principal { tenant: tenant.into(), subject: subject.into(), scopes }),
            ..new("n")
        }
    };
    let wrong = [
        new(""),
        new(" ci"),
        new("c\ni"),
        new(&"x".repeat(101)),
        who("", "s", &["call"]),
        who("t", &"s".repeat(256), &["call"]),
        who("local", "local", &["read"]),
        who("t", "s", &[]),
        who("t", "s", &["call", "write"]),
        NewToken { expires_at: Some(clock.now()), ..new("ci") },
    ];
    let mut texts = Vec::new();
    for token in wrong {
        texts.push(registry.create(token).await.unwrap_err().to_string());
    }
    insta::assert_snapshot!(texts.join("\n"));
    assert!(registry.list().is_empty());
    for name in ["x", &"ж".repeat(100), "my laptop (ann's)"] {
        assert!(registry.create(new(name)).await.is_ok(), "{name}");
    }
}

#[tokio::test]
async fn token_count_is_limited() {
    let memory = Arc::new(MemoryJournal::new());
    let record = |number: i64| TokenRecord {
        id: number.to_string(),
        name: "n".to_owned(),
        principal: Arc::new(Principal::local()),
        secret: Digest::compute(b""),
        created_at: at(number),
        expires_at: None,
        revoked_at: None,
    };
    for number in 0..9_999 {
        memory.put_token(record(number)).await.unwrap();
    }
    let (registry, _) = registry(memory).await;
    registry.create(new("last")).await.unwrap();
    let refusal = registry.create(new("one more")).await.unwrap_err();
    assert_eq!(refusal.to_string(), "there are already 10000 tokens, the maximum");
}
