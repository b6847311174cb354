//! Retries and fallbacks of every provider, counted at the server.

use crate::{
    calls::{collect_output_with_notes, provider, user},
    chunks,
    scripted_server::{Reply, ScriptedServer},
};
use baton_models::{GateLimits, JitterSource, ModelCatalog, ModelLayers, ProviderGate, chain};
use baton_ports::Model;
use baton_types::{Clock, ProviderKind, Timestamp};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

struct NoonClock;

impl Clock for NoonClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_800_000_000_000)
    }
}

/// A model with all layers at an address, with minimal retry delays.
fn model(kind: ProviderKind, name: &str, server: &ScriptedServer) -> Arc<dyn Model> {
    let gate = ProviderGate::new("mine", GateLimits::default());
    let mut layers = ModelLayers::new(gate, Arc::new(ModelCatalog::default()), Arc::new(NoonClock));
    layers.jitter = JitterSource::from_fn(|| 0.0);
    layers.wrap(provider(kind, &server.url).model(name))
}

fn good(kind: ProviderKind) -> Reply {
    Reply::stream(chunks::content_type(kind), &[chunks::first(kind), chunks::last(kind)].concat())
}

/// Fault, number of requests if the retry succeeds, and whether the fallback is used if it persists.
fn faults(kind: ProviderKind) -> [(&'static str, Reply, usize, bool); 7] {
    let status =
        |line: &str| Reply::text(&format!("HTTP/1.1 {line}\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{{}}"));
    [
        ("429 with retry-after", status("429 Too Many Requests\r\nretry-after-ms: 40"), 2, true),
        ("429 with a retry-after of two minutes", status("429 Too Many Requests\r\nretry-after: 120"), 1, true),
        ("500", status("500 Internal Server Error"), 2, true),
        ("no word before the end", Reply::Broken(Vec::new()), 2, true),
        ("an end before the first piece", Reply::cut(chunks::content_type(kind), b""), 2, true),
        ("an end after the first piece", Reply::cut(chunks::content_type(kind), &chunks::first(kind)), 1, false),
        ("401", status("401 Unauthorized"), 1, false),
    ]
}

#[tokio::test]
async fn transient_faults_are_retried_for_every_provider() {
    for kind in ProviderKind::ALL {
        for (what, fault, asked, _) in faults(kind) {
            let mut server = ScriptedServer::in_turn(vec![fault, good(kind)]).await;
            let begun = Instant::now();
            let (heard, notes) = collect_output_with_notes(&*model(kind, "m", &server), user("go")).await;
            assert_eq!(server.count(), asked, "{kind:?}, {what}: {heard:?}");
            assert_eq!(heard.error.is_none(), asked > 1, "{kind:?}, {what}: {heard:?}");
            assert_eq!(
                heard.text,
                if asked > 1 || what.contains("after the first") { "Half" } else { "" },
                "{kind:?}, {what}"
            );
            assert_eq!(notes.len(), asked - 1, "{kind:?}, {what}: each retry emits a note");
            if what == "429 with retry-after" {
                assert!(begun.elapsed() >= Duration::from_millis(40), "{kind:?}: {:?}", begun.elapsed());
            }
        }
    }
}

#[tokio::test]
async fn persistent_faults_fall_back_for_every_provider() {
    for kind in ProviderKind::ALL {
        for (what, fault, asked, falls) in faults(kind) {
            let mut first = ScriptedServer::new(fault).await;
            let mut second = ScriptedServer::new(good(kind)).await;
            let others = vec![model(kind, "other", &second)];
            let both = chain(model(kind, "m", &first), others, Duration::from_secs(60));
            let (heard, _) = collect_output_with_notes(&*both, user("go")).await;
            // Four attempts if the fault is retried.
            assert_eq!(first.count(), if asked > 1 { 4 } else { 1 }, "{kind:?}, {what}: {heard:?}");
            assert_eq!(
                (second.count(), heard.error.is_none()),
                (usize::from(falls), falls),
                "{kind:?}, {what}: {heard:?}"
            );
        }
    }
}
