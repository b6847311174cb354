//! Differences between the publishers of models on Bedrock.

use crate::request::effort_tokens;
use genai::chat::{ChatOptions, ReasoningEffort, ToolChoice};
use serde_json::{Map, Value, json};

/// Prefixes of inference profiles, which precede the publisher in a model id.
const PROFILE_PREFIXES: &[&str] = &["us", "us-gov", "eu", "apac", "au", "ca", "jp", "in", "global"];

/// Publisher of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ModelPublisher {
    Anthropic,
    Amazon,
    OpenAi,
    Other,
}

impl ModelPublisher {
    /// The publisher in a model id.
    pub(super) fn from_model(model: &str) -> Self {
        let mut labels = model.split('.').skip_while(|label| PROFILE_PREFIXES.contains(label));
        match labels.next() {
            Some("anthropic") => Self::Anthropic,
            Some("amazon") => Self::Amazon,
            Some("openai") => Self::OpenAi,
            _ => Self::Other,
        }
    }

    /// Common inference options.
    pub(super) fn inference_options(self, model: &str, options: &ChatOptions) -> Map<String, Value> {
        let mut all = Map::new();
        // Nova rejects these options with high reasoning effort.
        let is_excluded =
            self == Self::Amazon && options.reasoning_effort.as_ref().and_then(nova_level) == Some("high");
        if !is_excluded {
            let max_tokens = options.max_tokens.unwrap_or_else(|| self.default_max_tokens(model));
            all.insert("maxTokens".to_owned(), json!(max_tokens));
            let sampling = [("temperature", options.temperature), ("topP", options.top_p)];
            for (name, value) in sampling.into_iter().filter_map(|(name, value)| Some((name, value?))) {
                all.insert(name.to_owned(), json!(value));
            }
        }
        if !options.stop_sequences.is_empty() {
            all.insert("stopSequences".to_owned(), json!(options.stop_sequences));
        }
        all
    }

    /// Maximum output tokens if none are configured; several publishers require the option.
    fn default_max_tokens(self, model: &str) -> u32 {
        let has = |part: &str| model.contains(part);
        match self {
            Self::Anthropic if has("claude-sonnet") || has("claude-haiku") || has("claude-opus-4-5") => 64_000,
            Self::Anthropic if has("claude-opus-4") => 32_000,
            Self::Anthropic if has("claude-3-5") => 8_192,
            Self::Amazon => 5_000,
            // Reasoning counts as output.
            Self::OpenAi => 16_384,
            Self::Anthropic | Self::Other => 4_096,
        }
    }

    /// A mandatory tool, if the models of the publisher support it; they reject it while they reason.
    pub(super) fn tool_choice(self, options: &ChatOptions) -> Option<Value> {
        let is_supported = matches!(self, Self::Anthropic | Self::Amazon) && self.reasoning_options(options).is_none();
        match options.tool_choice.as_ref().filter(|_| is_supported)? {
            ToolChoice::Required => Some(json!({"any": {}})),
            ToolChoice::Tool { name } => Some(json!({"tool": {"name": name}})),
            ToolChoice::Auto | ToolChoice::None => None,
        }
    }

    /// Options of the publisher for the reasoning effort.
    pub(super) fn reasoning_options(self, options: &ChatOptions) -> Option<Value> {
        let effort = options.reasoning_effort.as_ref()?;
        match self {
            Self::Anthropic => Some(json!({"thinking": {"type": "enabled", "budget_tokens": effort_tokens(effort)?}})),
            // Reasoning is off by default, and older models reject the option.
            Self::Amazon => {
                let reasoning = json!({"type": "enabled", "maxReasoningEffort": nova_level(effort)?});
                Some(json!({"inferenceConfig": {"reasoningConfig": reasoning}}))
            }
            Self::OpenAi => {
                let level = if matches!(effort, ReasoningEffort::Zero) { "none" } else { effort.as_keyword()? };
                Some(json!({"reasoning": {"effort": level}}))
            }
            Self::Other => None,
        }
    }
}

/// Effort level of Nova; `None` for no reasoning.
fn nova_level(effort: &ReasoningEffort) -> Option<&'static str> {
    Some(match effort_tokens(effort)? {
        ..=1_024 => "low",
        1_025..=8_000 => "medium",
        _ => "high",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn publishers_are_found_behind_profiles() {
        for (model, publisher) in [
            ("anthropic.claude-sonnet-4-5-20250929-v1:0", ModelPublisher::Anthropic),
            ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", ModelPublisher::Anthropic),
            ("amazon.nova-pro-v1:0", ModelPublisher::Amazon),
            ("apac.amazon.nova-lite-v1:0", ModelPublisher::Amazon),
            ("global.openai.gpt-5.6-terra", ModelPublisher::OpenAi),
            ("meta.llama3-1-70b-instruct-v1:0", ModelPublisher::Other),
        ] {
            assert_eq!(ModelPublisher::from_model(model), publisher, "{model}");
        }
    }

    #[test]
    fn options_follow_the_publisher() {
        let reasoning = |model: &str, effort| {
            let options = ChatOptions::default().with_reasoning_effort(effort);
            ModelPublisher::from_model(model).reasoning_options(&options)
        };
        assert_eq!(
            reasoning("us.anthropic.claude-haiku-4-5", ReasoningEffort::Low),
            Some(json!({"thinking": {"type": "enabled", "budget_tokens": 1_024}}))
        );
        assert_eq!(
            reasoning("us.amazon.nova-2-lite-v1:0", ReasoningEffort::Medium),
            Some(json!({"inferenceConfig": {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "medium"}}}))
        );
        assert_eq!(reasoning("us.amazon.nova-2-lite-v1:0", ReasoningEffort::Zero), None);
        assert_eq!(reasoning("openai.gpt-5.4", ReasoningEffort::Zero), Some(json!({"reasoning": {"effort": "none"}})));
        assert_eq!(reasoning("meta.llama3", ReasoningEffort::High), None);
        let options = ChatOptions::default().with_temperature(0.5).with_max_tokens(4_000);
        let inference = |model: &str, options: ChatOptions| {
            Value::Object(ModelPublisher::from_model(model).inference_options(model, &options))
        };
        let nova = "amazon.nova-2-lite-v1:0";
        assert_eq!(inference(nova, options.clone()), json!({"maxTokens": 4_000, "temperature": 0.5}));
        assert_eq!(inference(nova, options.with_reasoning_effort(ReasoningEffort::High)), json!({}));
        assert_eq!(inference("anthropic.claude-sonnet-4-5", ChatOptions::default()), json!({"maxTokens": 64_000}));
    }
}
