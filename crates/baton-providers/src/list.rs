//! Model list of a provider.

use crate::{ListedModel, Provider, exchange};
use baton_ports::ModelError;
use serde_json::Value;

/// Fetches the current list.
pub(crate) async fn list(provider: &Provider) -> Result<Vec<ListedModel>, ModelError> {
    let base = provider.checked_base_url()?;
    let answer = exchange::get(provider, &provider.protocol().models_url(&base)).await?;
    Ok(provider.protocol().parse_models(&answer))
}

/// Models of a list in the common form.
pub(crate) fn parse_models(answer: &Value) -> Vec<ListedModel> {
    items(answer).iter().filter_map(parse_model).collect()
}

/// Entries of a list.
pub(crate) fn items(answer: &Value) -> &[Value] {
    let list = ["data", "models"].iter().find_map(|name| answer.get(name).and_then(Value::as_array));
    list.or_else(|| answer.as_array()).map(Vec::as_slice).unwrap_or_default()
}

/// An entry in the common form.
pub(crate) fn parse_model(model: &Value) -> Option<ListedModel> {
    let text = |name: &str| model.get(name).and_then(Value::as_str).map(str::to_owned);
    let number = |names: &[&str]| names.iter().find_map(|name| model.get(name).and_then(Value::as_u64));
    let id = text("id").or_else(|| text("name"))?;
    let id = id.strip_prefix("models/").map_or(id.clone(), str::to_owned);
    let title = text("display_name").or_else(|| text("displayName"));
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
    use crate::protocol::protocol_for;
    use baton_types::ProviderKind;
    use serde_json::json;

    #[test]
    fn model_lists_of_every_service_are_parsed() {
        let listed = |kind, answer: Value| {
            protocol_for(kind)
                .parse_models(&answer)
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
