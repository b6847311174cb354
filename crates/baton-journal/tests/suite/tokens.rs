//! Records of bearer tokens.

use crate::sample::at;
use baton_journal::{
    JournalOptions, MemoryJournal, SqliteJournal,
    fault::{Fault, FaultyJournal},
};
use baton_ports::{Journal as _, JournalError, TokenRecord, TokenStore};
use baton_types::{Digest, Principal};
use std::sync::Arc;

pub(crate) fn token(id: &str, created_at: i64) -> TokenRecord {
    TokenRecord {
        id: id.to_owned(),
        name: format!("the \"token\" of {id}"),
        principal: Arc::new(Principal { tenant: "local".into(), subject: "ann".into(), scopes: vec!["call".into()] }),
        secret: Digest::compute(id.as_bytes()),
        created_at: at(created_at),
        expires_at: Some(at(9_000)),
        revoked_at: None,
    }
}

/// A token that differs from [`token`] in every field except the id.
fn changed(id: &str, created_at: i64) -> TokenRecord {
    let scopes = vec!["read:a b".into(), "call:\"c\"".into(), "".into()];
    TokenRecord {
        id: id.to_owned(),
        name: "ночной".to_owned(),
        principal: Arc::new(Principal { tenant: "https://id.example".into(), subject: "bob".into(), scopes }),
        secret: Digest::compute(b"other"),
        created_at: at(created_at),
        expires_at: None,
        revoked_at: Some(at(8_000)),
    }
}

pub(crate) async fn token_is_replaced_completely_and_listed_oldest_first(store: &dyn TokenStore) {
    assert_eq!(store.tokens().await, Ok(Vec::new()));
    for (id, created_at) in [("c", 1_000), ("a", 1_000), ("b", 500)] {
        store.put_token(token(id, created_at)).await.unwrap();
    }
    assert_eq!(store.tokens().await, Ok(vec![token("b", 500), token("c", 1_000), token("a", 1_000)]));
    store.put_token(changed("c", 1_000)).await.unwrap();
    store.put_token(TokenRecord { principal: Arc::new(Principal::local()), ..token("b", 2_000) }).await.unwrap();
    let moved = TokenRecord { principal: Arc::new(Principal::local()), ..token("b", 2_000) };
    assert_eq!(store.tokens().await, Ok(vec![changed("c", 1_000), token("a", 1_000), moved]));
}

#[tokio::test]
async fn a_stored_token_survives_a_kill() {
    let (directory, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let journal = SqliteJournal::open(directory.path(), JournalOptions::default()).unwrap();
    journal.put_token(token("a", 1_000)).await.unwrap();
    journal.put_token(changed("a", 1_000)).await.unwrap();
    for name in ["journal.db", "journal.db-wal"] {
        std::fs::copy(directory.path().join(name), copy.path().join(name)).unwrap();
    }
    let reopened = SqliteJournal::open(copy.path(), JournalOptions::default()).unwrap();
    assert_eq!(reopened.tokens().await, Ok(vec![changed("a", 1_000)]));
    journal.close();
    assert!(matches!(journal.put_token(token("b", 1)).await, Err(JournalError::Unavailable(_))));
}

#[tokio::test]
async fn crashed_journal_stores_no_tokens() {
    let memory = Arc::new(MemoryJournal::new());
    let journal = FaultyJournal::new(memory.clone(), |_| Fault::Pass);
    journal.put_token(token("a", 1_000)).await.unwrap();
    journal.crash();
    assert!(matches!(journal.put_token(token("b", 1_000)).await, Err(JournalError::Unavailable(_))));
    assert!(journal.tokens().await.is_err() && !journal.healthy());
    assert_eq!(memory.tokens().await, Ok(vec![token("a", 1_000)]));
}
