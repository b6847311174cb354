//! Embeddings from provider models.

use crate::{
    Provider, ProviderKind, address, exchange,
    failure::{self, AnswerProgress},
};
use baton_ports::{BoxFuture, Embedder, ModelError};
use serde_json::{Value, json};

/// Texts per request; services reject more than a few hundred.
const MAX_BATCH_TEXTS: usize = 96;

/// An embedding model.
#[derive(Clone, Debug)]
pub(crate) struct ProviderEmbedder {
    provider: Provider,
    model: String,
}

impl ProviderEmbedder {
    pub(crate) fn new(provider: Provider, model: &str) -> Self {
        Self { provider, model: model.to_owned() }
    }

    async fn batch(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, ModelError> {
        let kind = self.provider.kind();
        let url = address::embeddings(kind, &self.provider.checked_base_url()?, &self.model);
        let answer = exchange::post(&self.provider, &url, &request_body(kind, &self.model, texts)).await?;
        let vectors = parse_vectors(kind, &answer).filter(|vectors| vectors.len() == texts.len());
        let vectors = vectors.and_then(|vectors| vectors.into_iter().map(normalize).collect::<Option<Vec<_>>>());
        vectors.ok_or_else(|| {
            failure::answer_failed(
                &self.provider,
                "did not return one valid vector per text",
                AnswerProgress::NotStarted,
            )
        })
    }
}

impl Embedder for ProviderEmbedder {
    fn model(&self) -> String {
        format!("{}:{}", self.provider.name(), self.model)
    }

    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, String>> {
        Box::pin(async move {
            let mut vectors: Vec<Vec<f32>> = Vec::with_capacity(texts.len());
            for texts in texts.chunks(MAX_BATCH_TEXTS) {
                vectors.extend(self.batch(texts).await.map_err(|error| error.to_string())?);
            }
            let length = vectors.first().map_or(0, Vec::len);
            if vectors.iter().any(|vector| vector.len() != length) {
                return Err(format!("{} returned vectors of different lengths", self.provider.name()));
            }
            Ok(vectors)
        })
    }
}

fn request_body(kind: ProviderKind, model: &str, texts: &[String]) -> Value {
    match kind {
        ProviderKind::Gemini => {
            let one =
                |text: &String| json!({"model": format!("models/{model}"), "content": {"parts": [{"text": text}]}});
            json!({"requests": texts.iter().map(one).collect::<Vec<_>>()})
        }
        _ => json!({"model": model, "input": texts}),
    }
}

fn parse_vectors(kind: ProviderKind, answer: &Value) -> Option<Vec<Vec<f32>>> {
    let vector = |value: &Value| serde_json::from_value::<Vec<f32>>(value.clone()).ok();
    match kind {
        ProviderKind::Gemini => {
            answer.get("embeddings")?.as_array()?.iter().map(|it| vector(it.get("values")?)).collect()
        }
        ProviderKind::Ollama => answer.get("embeddings")?.as_array()?.iter().map(vector).collect(),
        _ => {
            let mut all: Vec<&Value> = answer.get("data")?.as_array()?.iter().collect();
            all.sort_by_key(|it| it.get("index").and_then(Value::as_u64));
            all.into_iter().map(|it| vector(it.get("embedding")?)).collect()
        }
    }
}

/// The vector normalized to length 1; `None` for a zero or non-finite vector.
fn normalize(vector: Vec<f32>) -> Option<Vec<f32>> {
    let length = vector.iter().map(|it| it * it).sum::<f32>().sqrt();
    (length.is_finite() && length > 0.0).then(|| vector.into_iter().map(|it| it / length).collect())
}
