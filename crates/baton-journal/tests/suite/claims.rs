//! Idempotency keys.

use crate::sample::{claim, commit, owed, principal, task, write};
use baton_ports::{Claim, Commit, Journal, JournalError, Write};
use baton_types::Digest;
use std::sync::Arc;

fn claiming(write: Write, claims: impl IntoIterator<Item = Claim>) -> Commit {
    Commit { claims: claims.into_iter().collect(), ..Commit::from_writes(vec![write]) }
}

fn taken(key: &str) -> Result<u64, JournalError> {
    Err(JournalError::Claimed { key: key.to_owned() })
}

pub(crate) async fn a_key_is_taken_once_and_by_its_owner(journal: &dyn Journal) {
    let (ann, bob) = (principal("local", "ann"), principal("local", "bob"));
    let other_tenant = principal("other", "ann");
    let scoped = Arc::new(baton_types::Principal { scopes: vec!["admin".into()], ..(*ann).clone() });
    let by = |who: &Arc<baton_types::Principal>, about: &str| Claim { principal: who.clone(), ..claim("k", about) };
    assert_eq!(journal.claim(&ann, "k").await, Ok(None));
    assert_eq!(journal.append(claiming(write("a", 0, &["one"]), [by(&scoped, "a")])).await, Ok(1));
    assert_eq!(journal.claim(&ann, "k").await, Ok(Some(claim("k", "a"))));
    assert_eq!(journal.claim(&scoped, "k").await, Ok(Some(claim("k", "a"))), "scopes do not matter");
    for (who, key) in [(&bob, "k"), (&other_tenant, "k"), (&ann, "K"), (&ann, "")] {
        assert_eq!(journal.claim(who, key).await, Ok(None));
    }

    for (who, about) in [(&bob, "b"), (&other_tenant, "c")] {
        journal.append(claiming(write(about, 0, &["one"]), [by(who, about)])).await.unwrap();
        assert_eq!(journal.claim(who, "k").await, Ok(Some(by(who, about))));
    }
    let later = Claim { number: 2, request: Digest::compute(b"later"), ..claim("l", "a") };
    journal.append(claiming(write("a", 1, &["two"]), [later.clone()])).await.unwrap();
    assert_eq!(journal.claim(&ann, "l").await, Ok(Some(later)));
    assert_eq!(journal.claim(&ann, "k").await, Ok(Some(claim("k", "a"))));
}

pub(crate) async fn a_refused_commit_leaves_nothing(journal: &dyn Journal) {
    let ann = principal("local", "ann");
    journal.append(claiming(write("a", 0, &["one"]), [claim("k", "a")])).await.unwrap();
    let mut again = claiming(write("b", 0, &["one"]), [claim("free", "b"), claim("k", "b")]);
    again.outbox.push(owed("o", "push", "b"));
    assert_eq!(journal.append(again).await, taken("k"));
    // A repeated request hears that it is one, rather than that its stream has moved on.
    assert_eq!(journal.append(claiming(write("a", 0, &["one"]), [claim("k", "a")])).await, taken("k"));
    assert_eq!(journal.append(claiming(write("b", 0, &["one"]), [claim("t", "b"), claim("t", "b")])).await, taken("t"));
    let nowhere = claiming(write("b", 0, &["one"]), [claim("n", "c")]);
    assert_eq!(journal.append(nowhere).await, Err(JournalError::Missing { stream: task("c") }));

    for key in ["free", "t", "n"] {
        assert_eq!(journal.claim(&ann, key).await, Ok(None));
    }
    assert_eq!(journal.claim(&ann, "k").await, Ok(Some(claim("k", "a"))));
    assert!(journal.load(None, &task("b")).await.unwrap().is_none());
    assert!(journal.outbox_open("push", None, 9).await.unwrap().is_empty());
    assert_eq!(journal.tail(0, 9).await.unwrap().len(), 1);

    // Two at the same time: the first one queued has it, and what stood behind the other goes on.
    let receipts = ["x", "y"].map(|id| journal.append(claiming(write(id, 0, &["one"]), [claim("race", id)])));
    let behind = journal.append(commit([write("y", 0, &["one"])]));
    let [first, second] = receipts;
    assert_eq!((first.await, second.await, behind.await), (Ok(2), taken("race"), Ok(3)));
    assert_eq!(journal.claim(&ann, "race").await, Ok(Some(claim("race", "x"))));
}
