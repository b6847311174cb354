//! Model list of a provider.

use crate::{ListedModel, Provider, ProviderKind, address, exchange};
use baton_ports::ModelError;
use serde_json::Value;

/// Fetches the current list.
pub(crate) async fn list(provider: &Provider) -> Result<Vec<ListedModel>, ModelError> {
    let base = provider.checked_base_url()?;
    let answer = exchange::get(provider, &address::models(provider.kind(), &base)).await?;
    Ok(parse_models(provider.kind(), &answer))
}

fn parse_models(kind: ProviderKind, answer: &Value) -> Vec<ListedModel> {
    let list = ["data", "models", "modelSummaries"].iter().find_map(|name| answer.get(name).and_then(Value::as_array));
    let list = list.or_else(|| answer.as_array()).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(|model| parse_model(kind, model)).collect()
}

fn parse_model(kind: ProviderKind, model: &Value) -> Option<ListedModel> {
    let text = |name: &str| model.get(name).and_then(Value::as_str).map(str::to_owned);
    let number = |names: &[&str]| names.iter().find_map(|name| model.get(name).and_then(Value::as_u64));
    if kind == ProviderKind::Gemini {
        let ways = model.get("supportedGenerationMethods").and_then(Value::as_array);
        if ways.is_some_and(|ways| !ways.iter().any(|way| way == "generateContent" || way == "embedContent")) {
            return None;
        }
    }
    let id = text("id").or_else(|| text("modelId")).or_else(|| text("name"))?;
    let id = id.strip_prefix("models/").map_or(id.clone(), str::to_owned);
    let title = text("display_name").or_else(|| text("displayName")).or_else(|| text("modelName"));
    Some(ListedModel {
        title: title.filter(|title| *title != id),
        window: number(&["inputTokenLimit", "max_input_tokens", "context_length", "context_window", "max_model_len"]),
        max_output: number(&["outputTokenLimit", "max_tokens", "max_output_tokens"]),
        id,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn model_lists_of_every_service_are_parsed() {
        let listed = |kind, answer: Value| {
            parse_models(kind, &answer)
                .into_iter()
                .map(|model| (model.id, model.title, model.window))
                .collect::<Vec<_>>()
        };
        let plain = |id: &str| (id.to_owned(), None, None);
        assert_eq!(listed(ProviderKind::OpenAi, json!({"data": [{"id": "gpt-5"}]})), [plain("gpt-5")]);
        assert_eq!(listed(ProviderKind::Ollama, json!({"models": [{"name": "qwen3:8b"}]})), [plain("qwen3:8b")]);
        assert_eq!(
            listed(ProviderKind::Anthropic, json!({"data": [{"id": "claude-x", "display_name": "Claude X"}]})),
            [("claude-x".to_owned(), Some("Claude X".to_owned()), None)]
        );
        assert_eq!(
            listed(
                ProviderKind::Gemini,
                json!({"models": [
                    {"name": "models/gemini-x", "inputTokenLimit": 1000, "supportedGenerationMethods": ["generateContent"]},
                    {"name": "models/veo", "supportedGenerationMethods": ["predictLongRunning"]}
                ]})
            ),
            [("gemini-x".to_owned(), None, Some(1000))]
        );
        assert_eq!(
            listed(ProviderKind::Bedrock, json!({"modelSummaries": [{"modelId": "a.b-v1:0", "modelName": "B"}]})),
            [("a.b-v1:0".to_owned(), Some("B".to_owned()), None)]
        );
    }
}
