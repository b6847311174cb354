//! Forwarding of queries between stores, and loop prevention.

use super::{
    fixtures::{FakeClock, NOON, SECOND, metrics, search, span, tags, trace_id},
    reference_store::ReferenceStore,
    scripted_tempo::{ScriptedReply, ScriptedTempo},
};
use baton_span_ports::{ForwardTarget, HopList, SpanStore};
use baton_tempo::{TeeOptions, TeeSpans, TempoReadStore};
use baton_traceql::{Field, Intrinsic, Steps};
use http::StatusCode;
use std::sync::Arc;

const OWN: &str = "own-mark";

fn trail(text: &str) -> HopList {
    HopList::parse([text.as_bytes()])
}

/// Calls every query method and ignores the results.
async fn call_every_query(store: &dyn SpanStore) {
    let steps = Steps::single((NOON - 7_200) * SECOND, NOON * SECOND);
    let _ = store.search(search("{ }")).await;
    let _ = store.metrics(metrics("{ } | rate()", steps)).await;
    let _ = store.trace(trace_id(1)).await;
    let _ = store.tags(tags()).await;
    let _ = store.tag_values(Field::Intrinsic(Intrinsic::Name), tags()).await;
}

#[tokio::test]
async fn queries_carry_their_hops_and_never_loop() {
    // A rejected query must not mark the Tempo as unavailable.
    let server = ScriptedTempo::start(|_| ScriptedReply::Status(StatusCode::BAD_REQUEST, "no")).await;
    let clock = FakeClock::at(NOON);
    let local = ReferenceStore::of(vec![span(1, 1, (NOON - 60) * SECOND, "a")]);
    let tempo = Arc::new(server.store_with(&clock, |options| options.hop_id = OWN.to_owned()));
    let tee = TeeSpans::new(local.clone(), tempo.clone(), clock.clone(), TeeOptions::default());
    let reads = TempoReadStore::new(local.clone(), tempo.clone());
    for (store, name) in [(&tee as &dyn SpanStore, "tee"), (&reads, "reads")] {
        for (came, went) in [
            (HopList::default(), Some("own-mark")),
            (trail("other"), Some("other,own-mark")),
            (trail("a,b,c"), Some("a,b,c,own-mark")),
            // Already visited, too many hops, or an invalid list.
            (trail("own-mark"), None),
            (trail("other,own-mark"), None),
            (trail("a,b,c,d"), None),
            (trail("what is this?"), None),
        ] {
            let before = server.asked().len();
            match store.forwarding(&came) {
                ForwardTarget::Delegate(onward) => {
                    call_every_query(&*onward).await;
                    let found = onward.search(search("{ }")).await.map(|answer| answer.traces.len());
                    assert!(went.is_some() || found == Ok(1), "{name}, {came}: only local spans: {found:?}");
                }
                ForwardTarget::Local | ForwardTarget::Rejected => panic!("{name}, {came}: expected another store"),
            }
            let asked = server.asked().split_off(before);
            assert_eq!(asked.is_empty(), went.is_none(), "{name}, {came}: {asked:?}");
            for asked in asked {
                let said = asked.headers.get(HopList::HEADER).and_then(|value| value.to_str().ok());
                assert_eq!(said, went, "{name}, {came}: {}", asked.path);
            }
        }
    }
    assert!(matches!(tempo.forwarding(&trail(OWN)), ForwardTarget::Rejected), "a lone Tempo has no other source");
    assert!(matches!(local.forwarding(&trail(OWN)), ForwardTarget::Local), "a local store ignores hops");
}

#[tokio::test]
async fn store_without_hop_id_sends_no_hop_header() {
    let server = ScriptedTempo::start(|_| ScriptedReply::Status(StatusCode::BAD_REQUEST, "no")).await;
    call_every_query(&server.store(&FakeClock::at(NOON))).await;
    let asked = server.asked();
    assert!(!asked.is_empty() && asked.iter().all(|asked| !asked.headers.contains_key(HopList::HEADER)), "{asked:?}");
}
