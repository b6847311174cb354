//! Standing orders.

use crate::sample::{at, commit, handoff, owed, task, told, write};
use baton_ports::{Commit, Journal, JournalError, OutboxEntry, OutboxProgress};
use baton_types::Json;

fn orders(entries: impl IntoIterator<Item = OutboxEntry>) -> Commit {
    Commit { outbox: entries.into_iter().collect(), ..Commit::default() }
}

fn with(entry: OutboxEntry, progress: OutboxProgress) -> OutboxEntry {
    OutboxEntry { progress, ..entry }
}

fn ids(entries: &[OutboxEntry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.id.as_str()).collect()
}

pub(crate) async fn an_order_is_replaced_whole_and_found_in_order(journal: &dyn Journal) {
    let mut first = commit([write("a", 0, &["one"]), write("b", 0, &["one"]), handoff("a")]);
    let of_handoff = OutboxEntry { stream: handoff("a").stream, ..owed("h", "push", "a") };
    first.outbox = vec![owed("c", "push", "a"), owed("a", "push", "b"), owed("b", "push", "a"), owed("x", "mail", "a")];
    first.outbox.push(of_handoff.clone());
    assert_eq!(journal.append(first).await, Ok(3));

    let of = async |channel: &str, id: &str| journal.outbox(channel, &task(id)).await.unwrap();
    let open =
        async |after: Option<&str>, limit| journal.outbox_open("push", after.map(str::to_owned), limit).await.unwrap();
    assert_eq!(of("push", "a").await, [owed("b", "push", "a"), owed("c", "push", "a")]);
    assert_eq!(of("mail", "a").await, [owed("x", "mail", "a")]);
    assert_eq!(journal.outbox("push", &handoff("a").stream).await.unwrap(), [of_handoff]);
    assert_eq!((of("push", "nowhere").await, of("fax", "a").await), (vec![], vec![]));
    assert_eq!(ids(&open(None, 9).await), ["a", "b", "c", "h"]);
    assert_eq!(ids(&open(None, 2).await), ["a", "b"]);
    assert_eq!(ids(&open(Some("b"), 9).await), ["c", "h"]);
    assert_eq!(ids(&open(Some("bb"), 1).await), ["c"]);

    // The same id twice in one commit and once more in the next: the last one holds, in all of its parts.
    let closed = OutboxProgress { cursor: 7, due_at: at(5), attempts: 3, failing_since: Some(at(4)), open: false };
    let last = OutboxEntry { body: Json::string("new"), ..with(owed("c", "mail", "b"), closed) };
    journal.append(orders([owed("n", "push", "a"), with(owed("n", "push", "a"), told(2))])).await.unwrap();
    journal.append(orders([last.clone()])).await.unwrap();
    assert_eq!(of("push", "a").await, [owed("b", "push", "a"), with(owed("n", "push", "a"), told(2))]);
    assert_eq!(of("mail", "b").await, [last]);
    assert_eq!(ids(&open(None, 9).await), ["a", "b", "h", "n"]);
    assert!(ids(&journal.outbox_open("mail", None, 9).await.unwrap()) == ["x"], "a closed one is not open");
    // An order alone is no event.
    assert_eq!(journal.tail(0, 9).await.unwrap().len(), 3);
}

pub(crate) async fn progress_goes_forwards_and_never_brings_an_order_back(journal: &dyn Journal) {
    let mut first = commit([write("a", 0, &["one", "two"])]);
    first.outbox = vec![owed("o", "push", "a"), owed("p", "push", "a")];
    journal.append(first).await.unwrap();
    let now = async || journal.outbox("push", &task("a")).await.unwrap().remove(0).progress;

    let failing = OutboxProgress { attempts: 2, failing_since: Some(at(7)), due_at: at(90), ..told(0) };
    let closed = OutboxProgress { open: false, ..told(2) };
    for progress in [failing.clone(), told(1), OutboxProgress { cursor: 1, ..failing.clone() }, closed.clone()] {
        assert_eq!(journal.outbox_advance("o", progress.clone()).await, Ok(true));
        assert_eq!(now().await, progress);
    }
    for stale in [told(1), failing] {
        assert_eq!(journal.outbox_advance("o", stale).await, Ok(true), "it is there");
        assert_eq!(now().await, closed, "what is said of an earlier event is out of date");
    }
    assert_eq!(journal.outbox_advance("o", told(2)).await, Ok(true));
    assert_eq!(now().await, told(2), "a closed one can be opened again");
    assert_eq!(journal.outbox("push", &task("a")).await.unwrap()[1], owed("p", "push", "a"));

    assert_eq!((journal.outbox_remove("o").await, journal.outbox_remove("o").await), (Ok(true), Ok(false)));
    assert_eq!(journal.outbox_advance("o", told(3)).await, Ok(false));
    assert_eq!(journal.outbox_advance("never", told(3)).await, Ok(false));
    assert_eq!(journal.outbox("push", &task("a")).await.unwrap(), [owed("p", "push", "a")]);
    assert_eq!(journal.outbox_open("push", None, 9).await.unwrap(), [owed("p", "push", "a")]);
    // One that replaces may begin anew.
    journal.append(orders([with(owed("p", "push", "a"), told(2))])).await.unwrap();
    journal.append(orders([owed("p", "push", "a")])).await.unwrap();
    assert_eq!(now().await, told(0));
}

pub(crate) async fn an_order_is_about_a_stream_that_exists(journal: &dyn Journal) {
    journal.append(commit([write("a", 0, &["one"])])).await.unwrap();
    let missing = Err(JournalError::Missing { stream: task("b") });
    let mut torn = commit([write("a", 1, &["two"])]);
    torn.outbox = vec![owed("o", "push", "a"), owed("p", "push", "b")];
    assert_eq!(journal.append(torn.clone()).await, missing);
    assert_eq!(journal.append(orders([owed("p", "push", "b")])).await, missing);
    assert!(journal.outbox_open("push", None, 9).await.unwrap().is_empty());
    assert_eq!(journal.tail(0, 9).await.unwrap().len(), 1);
    // Queued together with the write that makes it so.
    let (made, told) = (journal.append(commit([write("b", 0, &["one"])])), journal.append(torn));
    assert_eq!((made.await, told.await), (Ok(2), Ok(3)));
    assert_eq!(ids(&journal.outbox_open("push", None, 9).await.unwrap()), ["o", "p"]);
}
