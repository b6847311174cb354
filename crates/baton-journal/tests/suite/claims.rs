//! Idempotency keys.

use crate::sample::{claim, commit, outbox_entry, principal, task, write};
use baton_ports::{Claim, Commit, Journal, JournalError, Write};
use baton_types::Digest;
use std::sync::Arc;

fn commit_with_claims(write: Write, claims: impl IntoIterator<Item = Claim>) -> Commit {
    Commit { claims: claims.into_iter().collect(), ..Commit::from_writes(vec![write]) }
}

fn claimed(key: &str) -> Result<u64, JournalError> {
    Err(JournalError::Claimed { key: key.to_owned() })
}

pub(crate) async fn key_is_claimed_once_per_owner(journal: &dyn Journal) {
    let (ann, bob) = (principal("local", "ann"), principal("local", "bob"));
    let other_tenant = principal("other", "ann");
    let scoped = Arc::new(baton_types::Principal { scopes: vec!["admin".into()], ..(*ann).clone() });
    let by = |owner: &Arc<baton_types::Principal>, about: &str| Claim { principal: owner.clone(), ..claim("k", about) };
    assert_eq!(journal.claim(&ann, "k").await, Ok(None));
    assert_eq!(journal.append(commit_with_claims(write("a", 0, &["one"]), [by(&scoped, "a")])).await, Ok(1));
    assert_eq!(journal.claim(&ann, "k").await, Ok(Some(claim("k", "a"))));
    assert_eq!(journal.claim(&scoped, "k").await, Ok(Some(claim("k", "a"))), "scopes do not matter");
    for (owner, key) in [(&bob, "k"), (&other_tenant, "k"), (&ann, "K"), (&ann, "")] {
        assert_eq!(journal.claim(owner, key).await, Ok(None));
    }

    for (owner, about) in [(&bob, "b"), (&other_tenant, "c")] {
        journal.append(commit_with_claims(write(about, 0, &["one"]), [by(owner, about)])).await.unwrap();
        assert_eq!(journal.claim(owner, "k").await, Ok(Some(by(owner, about))));
    }
    let later = Claim { number: 2, request: Digest::compute(b"later"), ..claim("l", "a") };
    journal.append(commit_with_claims(write("a", 1, &["two"]), [later.clone()])).await.unwrap();
    assert_eq!(journal.claim(&ann, "l").await, Ok(Some(later)));
    assert_eq!(journal.claim(&ann, "k").await, Ok(Some(claim("k", "a"))));
}

pub(crate) async fn refused_commit_changes_nothing(journal: &dyn Journal) {
    let ann = principal("local", "ann");
    journal.append(commit_with_claims(write("a", 0, &["one"]), [claim("k", "a")])).await.unwrap();
    let mut again = commit_with_claims(write("b", 0, &["one"]), [claim("free", "b"), claim("k", "b")]);
    again.outbox.push(outbox_entry("o", "push", "b"));
    assert_eq!(journal.append(again).await, claimed("k"));
    // A repeated request gets the claim error rather than a version conflict.
    assert_eq!(journal.append(commit_with_claims(write("a", 0, &["one"]), [claim("k", "a")])).await, claimed("k"));
    assert_eq!(
        journal.append(commit_with_claims(write("b", 0, &["one"]), [claim("t", "b"), claim("t", "b")])).await,
        claimed("t")
    );
    let nowhere = commit_with_claims(write("b", 0, &["one"]), [claim("n", "c")]);
    assert_eq!(journal.append(nowhere).await, Err(JournalError::Missing { stream: task("c") }));

    for key in ["free", "t", "n"] {
        assert_eq!(journal.claim(&ann, key).await, Ok(None));
    }
    assert_eq!(journal.claim(&ann, "k").await, Ok(Some(claim("k", "a"))));
    assert!(journal.load(None, &task("b")).await.unwrap().is_none());
    assert!(journal.outbox_open("push", None, 9).await.unwrap().is_empty());
    assert_eq!(journal.tail(0, 9).await.unwrap().len(), 1);

    // Of two concurrent commits, the first one queued claims the key; commits queued behind the other continue.
    let receipts = ["x", "y"].map(|id| journal.append(commit_with_claims(write(id, 0, &["one"]), [claim("race", id)])));
    let behind = journal.append(commit([write("y", 0, &["one"])]));
    let [first, second] = receipts;
    assert_eq!((first.await, second.await, behind.await), (Ok(2), claimed("race"), Ok(3)));
    assert_eq!(journal.claim(&ann, "race").await, Ok(Some(claim("race", "x"))));
}
