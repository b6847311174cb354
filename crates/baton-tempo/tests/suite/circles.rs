//! Stores that ask each other, and how such questions end.

use super::{
    naive::Naive,
    scripted::{Said, Scripted},
    world::{FakeClock, NOON, SECOND, metrics, search, span, tags, trace_id},
};
use baton_ports::{ForwardTarget, HopList, SpanStore};
use baton_tempo::{TeeOptions, TeeSpans, TempoReadStore};
use baton_traceql::{Field, Intrinsic, Steps};
use http::StatusCode;
use std::sync::Arc;

const OWN: &str = "own-mark";

fn trail(text: &str) -> HopList {
    HopList::parse([text.as_bytes()])
}

/// Asks everything that can be asked, and ignores the answers.
async fn ask_everything(store: &dyn SpanStore) {
    let steps = Steps::single((NOON - 7_200) * SECOND, NOON * SECOND);
    let _ = store.search(search("{ }")).await;
    let _ = store.metrics(metrics("{ } | rate()", steps)).await;
    let _ = store.trace(trace_id(1)).await;
    let _ = store.tags(tags()).await;
    let _ = store.tag_values(Field::Intrinsic(Intrinsic::Name), tags()).await;
}

#[tokio::test]
async fn every_question_says_who_passed_it_on_and_none_goes_in_circles() {
    // A query that nobody takes does not make the Tempo look silent.
    let server = Scripted::start(|_| Said::Status(StatusCode::BAD_REQUEST, "no")).await;
    let clock = FakeClock::at(NOON);
    let local = Naive::of(vec![span(1, 1, (NOON - 60) * SECOND, "a")]);
    let tempo = Arc::new(server.store_with(&clock, |options| options.hop_id = OWN.to_owned()));
    let tee = TeeSpans::new(local.clone(), tempo.clone(), clock.clone(), TeeOptions::default());
    let reads = TempoReadStore::new(local.clone(), tempo.clone());
    for (store, name) in [(&tee as &dyn SpanStore, "tee"), (&reads, "reads")] {
        for (came, went) in [
            (HopList::default(), Some("own-mark")),
            (trail("other"), Some("other,own-mark")),
            (trail("a,b,c"), Some("a,b,c,own-mark")),
            // It was here, has come too far, or nobody knows where it was.
            (trail("own-mark"), None),
            (trail("other,own-mark"), None),
            (trail("a,b,c,d"), None),
            (trail("what is this?"), None),
        ] {
            let before = server.asked().len();
            match store.forwarding(&came) {
                ForwardTarget::Delegate(onward) => {
                    ask_everything(&*onward).await;
                    let found = onward.search(search("{ }")).await.map(|answer| answer.traces.len());
                    assert!(went.is_some() || found == Ok(1), "{name}, {came}: only what is here: {found:?}");
                }
                ForwardTarget::Local | ForwardTarget::Rejected => panic!("{name}, {came}: somebody else answers"),
            }
            let asked = server.asked().split_off(before);
            assert_eq!(asked.is_empty(), went.is_none(), "{name}, {came}: {asked:?}");
            for asked in asked {
                let said = asked.headers.get(HopList::HEADER).and_then(|value| value.to_str().ok());
                assert_eq!(said, went, "{name}, {came}: {}", asked.path);
            }
        }
    }
    assert!(matches!(tempo.forwarding(&trail(OWN)), ForwardTarget::Rejected), "a Tempo alone has nothing else to ask");
    assert!(matches!(local.forwarding(&trail(OWN)), ForwardTarget::Local), "a store that asks nobody does not care");
}

#[tokio::test]
async fn who_has_no_mark_leaves_none() {
    let server = Scripted::start(|_| Said::Status(StatusCode::BAD_REQUEST, "no")).await;
    ask_everything(&server.store(&FakeClock::at(NOON))).await;
    let asked = server.asked();
    assert!(!asked.is_empty() && asked.iter().all(|asked| !asked.headers.contains_key(HopList::HEADER)), "{asked:?}");
}
