//! Embeddings from provider models.

use crate::{
    Provider, address, exchange,
    failure::{self, AnswerProgress},
    protocol::EmbeddingRules,
};
use baton_ports::{BoxFuture, Embedder, ModelError};

/// Texts per request; services reject more than a few hundred.
const MAX_BATCH_TEXTS: usize = 96;

/// An embedding model.
#[derive(Clone)]
pub(crate) struct ProviderEmbedder {
    provider: Provider,
    model: String,
    rules: EmbeddingRules,
}

impl ProviderEmbedder {
    pub(crate) fn new(provider: Provider, model: &str, rules: EmbeddingRules) -> Self {
        Self { provider, model: model.to_owned(), rules }
    }

    async fn batch(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, ModelError> {
        let EmbeddingRules { path, body, parse } = self.rules;
        let url = address::join_path(&self.provider.checked_base_url()?, &path(&self.model));
        let answer = exchange::post(&self.provider, &url, &body(&self.model, texts)).await?;
        let vectors = parse(&answer).filter(|vectors| vectors.len() == texts.len());
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

/// The vector normalized to length 1; `None` for a zero or non-finite vector.
fn normalize(vector: Vec<f32>) -> Option<Vec<f32>> {
    let length = vector.iter().map(|it| it * it).sum::<f32>().sqrt();
    (length.is_finite() && length > 0.0).then(|| vector.into_iter().map(|it| it / length).collect())
}
