//! Relevance by vectors: each text is embedded once, and what fails takes nothing but its own part away.

use super::{
    choosing::fifty_rules,
    stage::{Stage, ask, shown},
};
use baton_ports::{BoxFuture, CachedVectors, Embedder, EmbeddingCache};
use baton_types::{AgentName, Knowledge, TaskState};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

/// Two directions: texts with the word money, and all others.
#[derive(Clone, Default)]
struct Direction {
    /// What was embedded, oldest first.
    texts: Arc<Mutex<Vec<String>>>,
    fails: Arc<Mutex<Option<&'static str>>>,
    model: Arc<Mutex<String>>,
}

impl Embedder for Direction {
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
struct Shelf(Arc<Mutex<HashMap<(AgentName, String), CachedVectors>>>);

impl EmbeddingCache for Shelf {
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
async fn vectors_decide_where_there_are_some_and_each_text_is_embedded_once() {
    let stage = Stage::new(Knowledge { rules: fifty_rules(), ..Knowledge::default() });
    let (embedder, shelf) = (Direction::default(), Shelf::default());
    let engine = || stage.engine().with_embedder(Arc::new(embedder.clone()), Arc::new(shelf.clone()));
    let count = || embedder.texts.lock().unwrap().len();
    let first = engine();
    let done = ask(&first, None, "money").await;
    assert_eq!(rules(shown(&done)), ["rule refunds agent 1", "rule currency agent 1"]);
    let all = count();
    assert!(all > 100, "two pieces of each rule, and the question: {all}");
    ask(&first, None, "money?").await;
    assert_eq!(count(), all + 1, "only the question");

    // Another process, a text that changed, another model.
    let second = engine();
    ask(&second, None, "money!").await;
    assert_eq!(count(), all + 2);
    stage.spec.lock().unwrap().as_mut().unwrap().knowledge.rules[0].text.push_str("\n\nAnother paragraph.");
    ask(&second, None, "money.").await;
    assert_eq!(embedder.texts.lock().unwrap()[all + 2..], ["Another paragraph.", "money."]);
    *embedder.model.lock().unwrap() = "newer".to_owned();
    ask(&second, None, "and money").await;
    assert_eq!(count(), all + 4 + all + 1);
}

#[tokio::test(start_paused = true)]
async fn teamspark_28_without_vectors_the_request_goes_on_with_a_warning_and_without_what_would_be_chosen() {
    let stage = Stage::new(Knowledge { rules: fifty_rules(), ..Knowledge::default() });
    let embedder = Direction::default();
    *embedder.fails.lock().unwrap() = Some("the service is down");
    let engine = stage.engine().with_embedder(Arc::new(embedder.clone()), Arc::new(Shelf::default()));
    let done = ask(&engine, None, "I want my money back").await;
    assert_eq!(done.state, TaskState::Completed);
    assert_eq!(stage.heard(), ["user: I want my money back"]);
    let chosen = stage.chosen(&engine, &done).await;
    let warning = "relevant items could not be selected: the service is down";
    assert_eq!(chosen[0].1.as_deref(), Some(warning));
    assert!(rules(shown(&done)).is_empty());
    *embedder.fails.lock().unwrap() = None;
    let done = ask(&engine, None, "Where is my money?").await;
    assert_eq!(rules(shown(&done)).len(), 2);
}
