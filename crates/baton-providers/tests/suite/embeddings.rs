//! Embeddings and model lists.

use crate::{
    calls::{KEY, provider},
    scripted_server::{Reply, ScriptedServer},
};
use baton_ports::ModelError;
use baton_types::ProviderKind;
use serde_json::{Value, json};

async fn embed_with_response(kind: ProviderKind, answer: Value) -> (Result<Vec<Vec<f32>>, String>, Value, String) {
    let mut server = ScriptedServer::new(Reply::json("200 OK", &answer)).await;
    let embedder = provider(kind, &server.url).embedder("small").expect("an embedder");
    assert_eq!(embedder.model(), "mine:small");
    let vectors = embedder.embed(vec!["one".to_owned(), "two".to_owned()]).await;
    let request = server.request().await;
    (vectors, request.body, request.line)
}

#[tokio::test]
async fn embeddings_are_ordered_and_normalized() {
    let openai = json!({"data": [{"index": 1, "embedding": [0.0, 2.0]}, {"index": 0, "embedding": [3.0, 4.0]}]});
    let gemini = json!({"embeddings": [{"values": [3.0, 4.0]}, {"values": [0.0, 2.0]}]});
    let ollama = json!({"embeddings": [[3.0, 4.0], [0.0, 2.0]]});
    for (kind, answer, path) in [
        (ProviderKind::OpenAi, openai.clone(), "/v1/embeddings"),
        (ProviderKind::Compatible, openai, "/v1/embeddings"),
        (ProviderKind::Gemini, gemini, "/v1beta/models/small:batchEmbedContents"),
        (ProviderKind::Ollama, ollama, "/api/embed"),
    ] {
        let (vectors, body, line) = embed_with_response(kind, answer).await;
        assert_eq!(vectors, Ok(vec![vec![0.6, 0.8], vec![0.0, 1.0]]), "{kind:?}");
        assert!(line.starts_with(&format!("POST {path} ")), "{line}");
        assert!(body.to_string().contains("\"two\""), "{body}");
    }
    let (vectors, ..) = embed_with_response(ProviderKind::Ollama, json!({"embeddings": [[1.0]]})).await;
    assert!(vectors.is_err_and(|words| words.contains("one valid vector per text")));
}

#[tokio::test]
async fn model_list_is_one_get_and_reports_a_wrong_key() {
    let mut server = ScriptedServer::new(Reply::json("200 OK", &json!({"data": [{"id": "a"}, {"id": "b"}]}))).await;
    let listed = provider(ProviderKind::Anthropic, &server.url).list().await.expect("a list");
    assert_eq!(listed.iter().map(|model| model.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    let request = server.request().await;
    assert!(request.line.starts_with("GET /v1/models?limit=1000 "), "{}", request.line);
    assert!(request.headers.to_ascii_lowercase().contains(&format!("x-api-key: {KEY}")));

    let refuses =
        ScriptedServer::new(Reply::json("403 Forbidden", &json!({"error": {"message": format!("no: {KEY}")}}))).await;
    let error = provider(ProviderKind::Gemini, &refuses.url).list().await.expect_err("a refusal");
    let ModelError::Refused { status: 403, message, .. } = &error else { panic!("{error:?}") };
    assert!(message.contains("MY_KEY") && !message.contains(KEY), "{message}");
}
