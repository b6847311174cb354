//! What of each provider is tried again, what goes to the next one, and what does not: requests are counted where they arrive.

use crate::{
    ask::{hear_with_notes, provider, user},
    pieces,
    scripted::{Reply, Scripted},
};
use baton_models::{GateLimits, JitterSource, ModelCatalog, ModelLayers, ProviderGate, chain};
use baton_ports::{Clock, Model};
use baton_providers::ProviderKind;
use baton_types::Timestamp;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_800_000_000_000)
    }
}

/// A model of this kind at an address with everything around it; its waits are as short as can be.
fn model(kind: ProviderKind, name: &str, server: &Scripted) -> Arc<dyn Model> {
    let gate = ProviderGate::new("mine", GateLimits::default());
    let mut layers = ModelLayers::new(gate, Arc::new(ModelCatalog::default()), Arc::new(Noon));
    layers.jitter = JitterSource::from_fn(|| 0.0);
    layers.wrap(provider(kind, &server.url).model(name))
}

fn good(kind: ProviderKind) -> Reply {
    Reply::stream(pieces::form(kind), &[pieces::first(kind), pieces::last(kind)].concat())
}

/// What goes wrong, how often the service is asked in all when it goes on as it should, and whether the next model is asked
/// when it always goes wrong.
fn faults(kind: ProviderKind) -> [(&'static str, Reply, usize, bool); 7] {
    let status =
        |line: &str| Reply::text(&format!("HTTP/1.1 {line}\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{{}}"));
    [
        ("429 with retry-after", status("429 Too Many Requests\r\nretry-after-ms: 40"), 2, true),
        ("429 with a retry-after of two minutes", status("429 Too Many Requests\r\nretry-after: 120"), 1, true),
        ("500", status("500 Internal Server Error"), 2, true),
        ("no word before the end", Reply::Broken(Vec::new()), 2, true),
        ("an end before the first piece", Reply::cut(pieces::form(kind), b""), 2, true),
        ("an end after the first piece", Reply::cut(pieces::form(kind), &pieces::first(kind)), 1, false),
        ("401", status("401 Unauthorized"), 1, false),
    ]
}

#[tokio::test]
async fn what_is_tried_again_for_every_provider() {
    for kind in ProviderKind::ALL {
        for (what, fault, asked, _) in faults(kind) {
            let mut server = Scripted::in_turn(vec![fault, good(kind)]).await;
            let begun = Instant::now();
            let (heard, notes) = hear_with_notes(&*model(kind, "m", &server), user("go")).await;
            assert_eq!(server.count(), asked, "{kind:?}, {what}: {heard:?}");
            assert_eq!(heard.error.is_none(), asked > 1, "{kind:?}, {what}: {heard:?}");
            assert_eq!(
                heard.text,
                if asked > 1 || what.contains("after the first") { "Half" } else { "" },
                "{kind:?}, {what}"
            );
            assert_eq!(notes.len(), asked - 1, "{kind:?}, {what}: every further try is announced");
            if what == "429 with retry-after" {
                assert!(begun.elapsed() >= Duration::from_millis(40), "{kind:?}: {:?}", begun.elapsed());
            }
        }
    }
}

#[tokio::test]
async fn what_goes_to_the_next_model_for_every_provider() {
    for kind in ProviderKind::ALL {
        for (what, fault, asked, falls) in faults(kind) {
            let mut first = Scripted::new(fault).await;
            let mut second = Scripted::new(good(kind)).await;
            let others = vec![model(kind, "other", &second)];
            let both = chain(model(kind, "m", &first), others, Duration::from_secs(60));
            let (heard, _) = hear_with_notes(&*both, user("go")).await;
            // Four tries, where there is more than one.
            assert_eq!(first.count(), if asked > 1 { 4 } else { 1 }, "{kind:?}, {what}: {heard:?}");
            assert_eq!(
                (second.count(), heard.error.is_none()),
                (usize::from(falls), falls),
                "{kind:?}, {what}: {heard:?}"
            );
        }
    }
}
