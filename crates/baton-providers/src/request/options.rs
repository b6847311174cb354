//! Request options by provider.

use super::structured_output::StructuredOutput;
use crate::{Provider, ProviderKind, names::WireToolNames};
use baton_ports::{ModelCall, ModelError, ToolChoice};
use genai::chat::{ChatOptions, ReasoningEffort};
use serde_json::{Map, Value, json};

pub(super) fn build_options(
    provider: &Provider,
    kind: ProviderKind,
    model: &str,
    call: &ModelCall,
    names: &WireToolNames,
    form: StructuredOutput,
) -> Result<ChatOptions, ModelError> {
    let effort = effort(kind, model, call)?;
    let thinks =
        effort.as_ref().is_some_and(|effort| !matches!(effort, ReasoningEffort::Zero | ReasoningEffort::Budget(0)));
    let mut options = ChatOptions::default()
        .with_capture_usage(true)
        .with_capture_content(true)
        .with_capture_tool_calls(true)
        .with_capture_reasoning_content(requests_reasoning(kind, model, thinks))
        .with_stream_header_timeout(provider.timeouts.first_byte)
        .with_stream_read_timeout(provider.timeouts.idle);
    if let Some(max_tokens) = call.writing.max_output_tokens {
        options = options.with_max_tokens(max_tokens);
    }
    let (temperature, top_p) = sampling_options(kind, model, call, thinks);
    if let Some(temperature) = temperature {
        options = options.with_temperature(temperature);
    }
    if let Some(top_p) = top_p {
        options = options.with_top_p(top_p);
    }
    if takes_stop(kind, model) && !call.writing.stop.is_empty() {
        options = options.with_stop_sequences(call.writing.stop.clone());
    }
    let mut body = form.body;
    if let Some(format) = form.response_format {
        options = options.with_response_format(format);
    }
    if !call.tools.is_empty() {
        set_tool_choice(kind, call, names, &mut options, &mut body);
    }
    // Without this, the library strips suffixes such as `-max` and `-high` from the model name.
    if !matches!(kind, ProviderKind::Gemini | ProviderKind::Bedrock | ProviderKind::Ollama) {
        body.insert("model".to_owned(), json!(model));
    }
    if let Some(effort) = effort.or_else(|| neutral_effort(kind, model)) {
        options = options.with_reasoning_effort(effort);
    }
    if !body.is_empty() {
        options = options.with_extra_body(Value::Object(body));
    }
    Ok(options)
}

/// Sets the tool choice and whether parallel tool calls are allowed.
fn set_tool_choice(
    kind: ProviderKind,
    call: &ModelCall,
    names: &WireToolNames,
    options: &mut ChatOptions,
    body: &mut Map<String, Value>,
) {
    use genai::chat::ToolChoice as Sent;
    options.tool_choice = match &call.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(Sent::None),
        ToolChoice::Required => Some(Sent::Required),
        ToolChoice::Named(name) => Some(Sent::tool(names.wire_name(name))),
    };
    if call.parallel_calls {
        return;
    }
    match kind {
        ProviderKind::OpenAi | ProviderKind::OpenAiResponses | ProviderKind::Compatible => {
            body.insert("parallel_tool_calls".to_owned(), json!(false));
        }
        ProviderKind::Anthropic => {
            let choice = match &call.tool_choice {
                ToolChoice::None => return,
                ToolChoice::Auto => json!({"type": "auto", "disable_parallel_tool_use": true}),
                ToolChoice::Required => json!({"type": "any", "disable_parallel_tool_use": true}),
                ToolChoice::Named(name) => {
                    json!({"type": "tool", "name": names.wire_name(name), "disable_parallel_tool_use": true})
                }
            };
            body.insert("tool_choice".to_owned(), choice);
        }
        ProviderKind::Gemini | ProviderKind::Bedrock | ProviderKind::Ollama => {}
    }
}

/// Temperature and top-p as the model accepts them: Claude takes one of the two, and neither with thinking; OpenAI
/// reasoning models take neither.
fn sampling_options(kind: ProviderKind, model: &str, call: &ModelCall, thinks: bool) -> (Option<f64>, Option<f64>) {
    let temperature = call.writing.temperature.map(baton_types::Thousandths::get);
    let top_p = call.writing.top_p.map(baton_types::Thousandths::get);
    let claude = kind == ProviderKind::Anthropic || (kind == ProviderKind::Bedrock && model.contains("anthropic."));
    let openai = matches!(kind, ProviderKind::OpenAi | ProviderKind::OpenAiResponses);
    if (claude && thinks) || (openai && is_reasoning_model(model)) {
        return (None, None);
    }
    if claude {
        // The maximum temperature of Claude is 1.
        return (temperature.map(|it| it.min(1.0)), top_p.filter(|_| temperature.is_none()));
    }
    (temperature, top_p)
}

/// Whether it is an OpenAI reasoning model.
fn is_reasoning_model(model: &str) -> bool {
    let thinker = ["o1", "o3", "o4", "gpt-5", "gpt-6", "codex"].iter().any(|start| model.starts_with(start));
    thinker && !model.contains("-chat")
}

/// Whether the service supports stop sequences; where it rejects the option, the run applies them.
fn takes_stop(kind: ProviderKind, model: &str) -> bool {
    match kind {
        ProviderKind::OpenAi => !is_reasoning_model(model),
        ProviderKind::OpenAiResponses => false,
        _ => true,
    }
}

/// Whether reasoning output is requested; models without reasoning reject the option.
fn requests_reasoning(kind: ProviderKind, model: &str, thinks: bool) -> bool {
    match kind {
        ProviderKind::OpenAiResponses => thinks || is_reasoning_model(model),
        ProviderKind::Gemini => thinks || ["gemini-2.5", "gemini-3"].iter().any(|series| model.contains(series)),
        _ => true,
    }
}

/// Reasoning effort from the generation settings.
fn effort(kind: ProviderKind, model: &str, call: &ModelCall) -> Result<Option<ReasoningEffort>, ModelError> {
    let Some(written) = call.writing.effort.as_deref() else { return Ok(None) };
    let effort = match written.trim().to_ascii_lowercase().as_str() {
        "none" | "zero" => ReasoningEffort::Zero,
        "minimal" => ReasoningEffort::Minimal,
        "low" => ReasoningEffort::Low,
        "medium" => ReasoningEffort::Medium,
        "high" => ReasoningEffort::High,
        "xhigh" => ReasoningEffort::XHigh,
        "max" => ReasoningEffort::Max,
        number => match number.parse::<u32>() {
            Ok(0) => ReasoningEffort::Zero,
            Ok(tokens) => ReasoningEffort::Budget(tokens),
            Err(_) => {
                return Err(ModelError::Configuration(format!(
                    "effort '{written}' is invalid; use none, minimal, low, medium, high, xhigh, max or a number of tokens"
                )));
            }
        },
    };
    let words_only = matches!(kind, ProviderKind::OpenAi | ProviderKind::OpenAiResponses | ProviderKind::Compatible)
        || (kind == ProviderKind::Gemini && model.contains("gemini-3"));
    Ok(Some(match effort {
        ReasoningEffort::Budget(tokens) if words_only => match tokens {
            ..=2_048 => ReasoningEffort::Low,
            2_049..=12_000 => ReasoningEffort::Medium,
            _ => ReasoningEffort::High,
        },
        // The thinking budget of Claude must be smaller than the maximum output tokens.
        effort if takes_thinking_budget(kind, model) && effort_tokens(&effort).is_some() => {
            let max_budget = call.writing.max_output_tokens.unwrap_or(u32::MAX).saturating_sub(1);
            ReasoningEffort::Budget(effort_tokens(&effort).unwrap_or_default().min(max_budget).max(1_024))
        }
        // For no reasoning, the library sends nothing, and Gemini would still think.
        ReasoningEffort::Zero if kind == ProviderKind::Gemini => match model {
            name if name.contains("gemini-3") => ReasoningEffort::Low,
            pro if pro.contains("-pro") => ReasoningEffort::Budget(128),
            _ => ReasoningEffort::Budget(0),
        },
        effort => effort,
    }))
}

/// Whether it is a Claude model that takes a token budget for thinking instead of an effort level.
fn takes_thinking_budget(kind: ProviderKind, model: &str) -> bool {
    const THINKING_BUDGET_MODELS: &[&str] = &[
        "claude-3-7",
        "claude-sonnet-4-0",
        "claude-sonnet-4-2",
        "claude-sonnet-4-5",
        "claude-haiku-4",
        "claude-opus-4-0",
        "claude-opus-4-1",
        "claude-opus-4-2",
    ];
    match kind {
        ProviderKind::Anthropic => THINKING_BUDGET_MODELS.iter().any(|series| model.contains(series)),
        ProviderKind::Bedrock => model.contains("anthropic."),
        _ => false,
    }
}

/// Approximate thinking budget of an effort level.
fn effort_tokens(effort: &ReasoningEffort) -> Option<u32> {
    match effort {
        ReasoningEffort::Zero => None,
        ReasoningEffort::Budget(tokens) => Some(*tokens),
        ReasoningEffort::Minimal | ReasoningEffort::Low => Some(1_024),
        ReasoningEffort::Medium => Some(8_000),
        ReasoningEffort::High | ReasoningEffort::XHigh | ReasoningEffort::Max => Some(24_000),
    }
}

/// For a model name that ends like an effort level: an effort that adds nothing to the request and keeps the library
/// from parsing the name.
fn neutral_effort(kind: ProviderKind, model: &str) -> Option<ReasoningEffort> {
    let (_, end) = model.rsplit_once('-')?;
    let looks = matches!(end, "none" | "zero" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max");
    match kind {
        ProviderKind::OpenAi | ProviderKind::OpenAiResponses | ProviderKind::Compatible if looks => {
            Some(ReasoningEffort::Budget(0))
        }
        ProviderKind::Anthropic | ProviderKind::Gemini if looks => Some(ReasoningEffort::Zero),
        _ => None,
    }
}
