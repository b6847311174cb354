//! Outbox entries.

use crate::sample::{at, commit, handoff, open_progress, outbox_entry, task, write};
use baton_ports::{Commit, Journal, JournalError, OutboxEntry, OutboxProgress};
use baton_types::Json;

fn outbox_commit(entries: impl IntoIterator<Item = OutboxEntry>) -> Commit {
    Commit { outbox: entries.into_iter().collect(), ..Commit::default() }
}

fn with(entry: OutboxEntry, progress: OutboxProgress) -> OutboxEntry {
    OutboxEntry { progress, ..entry }
}

fn ids(entries: &[OutboxEntry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.id.as_str()).collect()
}

pub(crate) async fn entry_is_replaced_completely_and_listed_in_order(journal: &dyn Journal) {
    let mut first = commit([write("a", 0, &["one"]), write("b", 0, &["one"]), handoff("a")]);
    let of_handoff = OutboxEntry { stream: handoff("a").stream, ..outbox_entry("h", "push", "a") };
    first.outbox = vec![
        outbox_entry("c", "push", "a"),
        outbox_entry("a", "push", "b"),
        outbox_entry("b", "push", "a"),
        outbox_entry("x", "mail", "a"),
    ];
    first.outbox.push(of_handoff.clone());
    assert_eq!(journal.append(first).await, Ok(3));

    let of = async |channel: &str, id: &str| journal.outbox(channel, &task(id)).await.unwrap();
    let open =
        async |after: Option<&str>, limit| journal.outbox_open("push", after.map(str::to_owned), limit).await.unwrap();
    assert_eq!(of("push", "a").await, [outbox_entry("b", "push", "a"), outbox_entry("c", "push", "a")]);
    assert_eq!(of("mail", "a").await, [outbox_entry("x", "mail", "a")]);
    assert_eq!(journal.outbox("push", &handoff("a").stream).await.unwrap(), [of_handoff]);
    assert_eq!((of("push", "nowhere").await, of("fax", "a").await), (vec![], vec![]));
    assert_eq!(ids(&open(None, 9).await), ["a", "b", "c", "h"]);
    assert_eq!(ids(&open(None, 2).await), ["a", "b"]);
    assert_eq!(ids(&open(Some("b"), 9).await), ["c", "h"]);
    assert_eq!(ids(&open(Some("bb"), 1).await), ["c"]);

    // The same id twice in one commit and once more in the next: the last entry replaces all fields.
    let closed = OutboxProgress { cursor: 7, due_at: at(5), attempts: 3, failing_since: Some(at(4)), open: false };
    let last = OutboxEntry { body: Json::string("new"), ..with(outbox_entry("c", "mail", "b"), closed) };
    journal
        .append(outbox_commit([outbox_entry("n", "push", "a"), with(outbox_entry("n", "push", "a"), open_progress(2))]))
        .await
        .unwrap();
    journal.append(outbox_commit([last.clone()])).await.unwrap();
    assert_eq!(
        of("push", "a").await,
        [outbox_entry("b", "push", "a"), with(outbox_entry("n", "push", "a"), open_progress(2))]
    );
    assert_eq!(of("mail", "b").await, [last]);
    assert_eq!(ids(&open(None, 9).await), ["a", "b", "h", "n"]);
    assert!(ids(&journal.outbox_open("mail", None, 9).await.unwrap()) == ["x"], "a closed entry is not listed");
    // An outbox entry alone is not an event.
    assert_eq!(journal.tail(0, 9).await.unwrap().len(), 3);
}

pub(crate) async fn progress_only_advances_and_never_restores_an_entry(journal: &dyn Journal) {
    let mut first = commit([write("a", 0, &["one", "two"])]);
    first.outbox = vec![outbox_entry("o", "push", "a"), outbox_entry("p", "push", "a")];
    journal.append(first).await.unwrap();
    let now = async || journal.outbox("push", &task("a")).await.unwrap().remove(0).progress;

    let failing = OutboxProgress { attempts: 2, failing_since: Some(at(7)), due_at: at(90), ..open_progress(0) };
    let closed = OutboxProgress { open: false, ..open_progress(2) };
    for progress in [failing.clone(), open_progress(1), OutboxProgress { cursor: 1, ..failing.clone() }, closed.clone()]
    {
        assert_eq!(journal.outbox_advance("o", progress.clone()).await, Ok(true));
        assert_eq!(now().await, progress);
    }
    for stale in [open_progress(1), failing] {
        assert_eq!(journal.outbox_advance("o", stale).await, Ok(true), "the entry exists");
        assert_eq!(now().await, closed, "progress of an earlier event is stale");
    }
    assert_eq!(journal.outbox_advance("o", open_progress(2)).await, Ok(true));
    assert_eq!(now().await, open_progress(2), "a closed entry can be reopened");
    assert_eq!(journal.outbox("push", &task("a")).await.unwrap()[1], outbox_entry("p", "push", "a"));

    assert_eq!((journal.outbox_remove("o").await, journal.outbox_remove("o").await), (Ok(true), Ok(false)));
    assert_eq!(journal.outbox_advance("o", open_progress(3)).await, Ok(false));
    assert_eq!(journal.outbox_advance("never", open_progress(3)).await, Ok(false));
    assert_eq!(journal.outbox("push", &task("a")).await.unwrap(), [outbox_entry("p", "push", "a")]);
    assert_eq!(journal.outbox_open("push", None, 9).await.unwrap(), [outbox_entry("p", "push", "a")]);
    // A replacement may reset the progress.
    journal.append(outbox_commit([with(outbox_entry("p", "push", "a"), open_progress(2))])).await.unwrap();
    journal.append(outbox_commit([outbox_entry("p", "push", "a")])).await.unwrap();
    assert_eq!(now().await, open_progress(0));
}

pub(crate) async fn entry_needs_an_existing_stream(journal: &dyn Journal) {
    journal.append(commit([write("a", 0, &["one"])])).await.unwrap();
    let missing = Err(JournalError::Missing { stream: task("b") });
    let mut torn = commit([write("a", 1, &["two"])]);
    torn.outbox = vec![outbox_entry("o", "push", "a"), outbox_entry("p", "push", "b")];
    assert_eq!(journal.append(torn.clone()).await, missing);
    assert_eq!(journal.append(outbox_commit([outbox_entry("p", "push", "b")])).await, missing);
    assert!(journal.outbox_open("push", None, 9).await.unwrap().is_empty());
    assert_eq!(journal.tail(0, 9).await.unwrap().len(), 1);
    // Queued together with the write that creates the stream.
    let (created, appended) = (journal.append(commit([write("b", 0, &["one"])])), journal.append(torn));
    assert_eq!((created.await, appended.await), (Ok(2), Ok(3)));
    assert_eq!(ids(&journal.outbox_open("push", None, 9).await.unwrap()), ["o", "p"]);
}
