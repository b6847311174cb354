//! Pages of streams.

use crate::sample::{at, commit, created, handoff, head, principal, write};
use baton_ports::{Journal, StreamCursor, StreamPage, StreamQuery};
use baton_types::{AgentName, ContextId, TaskState};

fn ids(page: &StreamPage) -> Vec<&str> {
    page.heads.iter().map(|head| head.stream.id()).collect()
}

pub(crate) async fn lists_filter_count_and_break_ties(journal: &dyn Journal) {
    let ann = principal("local", "ann");
    for (id, state, status_at) in [
        ("t1", TaskState::Working, 10),
        ("t3", TaskState::Completed, 20),
        ("t2", TaskState::Completed, 20),
        ("t4", TaskState::Working, 5),
    ] {
        journal.append(commit([created(id, state, status_at)])).await.unwrap();
    }
    let mut other = created("t5", TaskState::Working, 30);
    other.head.agent = AgentName::new("personal");
    other.head.context = ContextId::new("c2");
    journal.append(commit([other, handoff("h1")])).await.unwrap();

    let whole = journal.list(&ann, &StreamQuery::tasks(10)).await.unwrap();
    assert_eq!((ids(&whole), whole.total, &whole.next), (vec!["t5", "t3", "t2", "t1", "t4"], 5, &None));
    for (query, expected) in [
        (StreamQuery::tasks(10).in_state(TaskState::Completed), vec!["t3", "t2"]),
        (StreamQuery { agent: Some(AgentName::new("personal")), ..StreamQuery::tasks(10) }, vec!["t5"]),
        (StreamQuery { context: Some(ContextId::new("c1")), ..StreamQuery::tasks(10) }, vec!["t3", "t2", "t1", "t4"]),
        (StreamQuery { status_after: Some(at(20)), ..StreamQuery::tasks(10) }, vec!["t5", "t3", "t2"]),
        (StreamQuery { status_after: Some(at(31)), ..StreamQuery::tasks(10) }, vec![]),
        (StreamQuery { noun: "handoff", ..StreamQuery::tasks(10) }, vec!["h1"]),
    ] {
        let page = journal.list(&ann, &query).await.unwrap();
        assert_eq!((ids(&page), page.total), (expected.clone(), expected.len() as u64), "{query:?}");
    }

    let mut query = StreamQuery::tasks(2);
    let mut seen = Vec::new();
    loop {
        let page = journal.list(&ann, &query).await.unwrap();
        assert_eq!(page.total, 5);
        seen.extend(page.heads);
        match page.next {
            Some(next) => query.after = Some(next),
            None => break,
        }
    }
    assert_eq!(seen, whole.heads);
    let page = journal.list(&ann, &StreamQuery { after: None, ..StreamQuery::tasks(5) }).await.unwrap();
    assert_eq!((page.heads.len(), page.next), (5, None));
    let page = journal.list(&ann, &StreamQuery::tasks(0)).await.unwrap();
    assert_eq!((page.heads.len(), page.total, page.next), (0, 5, None));
}

pub(crate) async fn paging_is_stable_while_rows_change(journal: &dyn Journal) {
    let ann = principal("local", "ann");
    for (id, status_at) in [("a", 1), ("b", 2), ("c", 3), ("d", 4)] {
        journal.append(commit([created(id, TaskState::Working, status_at)])).await.unwrap();
    }
    let mut query = StreamQuery::tasks(2);
    let first = journal.list(&ann, &query).await.unwrap();
    assert_eq!(ids(&first), ["d", "c"]);
    assert_eq!(first.next, Some(StreamCursor { status_at: at(3), id: "c".to_owned() }));
    // The last row of the page moves up and a new one appears: the rest is neither skipped nor repeated.
    let mut moved = write("c", 1, &["news"]);
    moved.head = head(TaskState::Working, 9);
    journal.append(commit([moved])).await.unwrap();
    journal.append(commit([created("e", TaskState::Working, 10)])).await.unwrap();
    query.after = first.next;
    let second = journal.list(&ann, &query).await.unwrap();
    assert_eq!((ids(&second), second.next.as_ref()), (vec!["b", "a"], None));
    query.after = None;
    assert_eq!(ids(&journal.list(&ann, &query).await.unwrap()), ["e", "c"]);
}
