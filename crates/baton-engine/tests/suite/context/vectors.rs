//! Relevance by embeddings: each text is embedded once, and a failure affects relevance selection only.

use super::{
    fixture::{ContextFixture, ask, shown},
    selection::fifty_rules,
};
use baton_ports::{BoxFuture, CachedVectors, Embedder, EmbeddingCache};
use baton_types::{AgentName, Knowledge, TaskState};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

/// An embedder with two directions: texts with the word "money", and all others.
#[derive(Clone, Default)]
struct TwoWayEmbedder {
    /// Embedded texts, oldest first.
    texts: Arc<Mutex<Vec<String>>>,
    fails: Arc<Mutex<Option<&'static str>>>,
    model: Arc<Mutex<String>>,
}

impl Embedder for TwoWayEmbedder {
    fn model(&self) -> String {
        self.model.lock().unwrap().clone()
    }

    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, String>> {
        Box::pin(async move {
            if let Some(reason) = *self.fails.lock().unwrap() {
                return Err(reason.to_owned());
            }
            self.texts.lock().unwrap().extend(texts.clone());
            let vector = |text: &String| if text.contains("money") { vec![1.0, 0.0] } else { vec![0.0, 1.0] };
            Ok(texts.iter().map(vector).collect())
        })
    }
}

#[derive(Clone, Default)]
struct MemoryEmbeddingCache(Arc<Mutex<HashMap<(AgentName, String), CachedVectors>>>);

impl EmbeddingCache for MemoryEmbeddingCache {
    fn read<'a>(&'a self, agent: &'a AgentName, model: &'a str) -> BoxFuture<'a, CachedVectors> {
        let kept = self.0.lock().unwrap().get(&(agent.clone(), model.to_owned())).cloned().unwrap_or_default();
        Box::pin(async move { kept })
    }

    fn write<'a>(
        &'a self,
        agent: &'a AgentName,
        model: &'a str,
        vectors: Arc<CachedVectors>,
    ) -> BoxFuture<'a, Result<(), String>> {
        self.0.lock().unwrap().insert((agent.clone(), model.to_owned()), (*vectors).clone());
        Box::pin(async { Ok(()) })
    }
}

fn rules(shown: Vec<String>) -> Vec<String> {
    shown.into_iter().filter(|line| line.starts_with("rule ")).collect()
}

#[tokio::test(start_paused = true)]
async fn embeddings_decide_relevance_and_each_text_is_embedded_once() {
    let fixture = ContextFixture::new(Knowledge { rules: fifty_rules(), ..Knowledge::default() });
    let (embedder, shelf) = (TwoWayEmbedder::default(), MemoryEmbeddingCache::default());
    let engine = || fixture.engine().with_embedder(Arc::new(embedder.clone()), Arc::new(shelf.clone()));
    let count = || embedder.texts.lock().unwrap().len();
    let first = engine();
    let done = ask(&first, None, "money").await;
    assert_eq!(rules(shown(&done)), ["rule refunds agent 1", "rule currency agent 1"]);
    let all = count();
    assert!(all > 100, "two chunks per rule, and the question: {all}");
    ask(&first, None, "money?").await;
    assert_eq!(count(), all + 1, "only the question");

    // After a restart, with a changed text, and with another model.
    let second = engine();
    ask(&second, None, "money!").await;
    assert_eq!(count(), all + 2);
    fixture.spec.lock().unwrap().as_mut().unwrap().knowledge.rules[0].text.push_str("\n\nAnother paragraph.");
    ask(&second, None, "money.").await;
    assert_eq!(embedder.texts.lock().unwrap()[all + 2..], ["Another paragraph.", "money."]);
    *embedder.model.lock().unwrap() = "newer".to_owned();
    ask(&second, None, "and money").await;
    assert_eq!(count(), all + 4 + all + 1);
}

#[tokio::test(start_paused = true)]
async fn teamspark_28_embedding_failure_is_a_warning_and_skips_selection() {
    let fixture = ContextFixture::new(Knowledge { rules: fifty_rules(), ..Knowledge::default() });
    let embedder = TwoWayEmbedder::default();
    *embedder.fails.lock().unwrap() = Some("the service is down");
    let engine = fixture.engine().with_embedder(Arc::new(embedder.clone()), Arc::new(MemoryEmbeddingCache::default()));
    let done = ask(&engine, None, "I want my money back").await;
    assert_eq!(done.state, TaskState::Completed);
    assert_eq!(fixture.last_messages(), ["user: I want my money back"]);
    let chosen = fixture.selections(&engine, &done).await;
    let warning = "relevant items could not be selected: the service is down";
    assert_eq!(chosen[0].1.as_deref(), Some(warning));
    assert!(rules(shown(&done)).is_empty());
    *embedder.fails.lock().unwrap() = None;
    let done = ask(&engine, None, "Where is my money?").await;
    assert_eq!(rules(shown(&done)).len(), 2);
}
