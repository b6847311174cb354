//! The settings of a request, by the rules of each provider.

use super::form::Form;
use crate::{Provider, ProviderKind, names::Names};
use baton_ports::{ModelCall, ModelError, ToolChoice};
use genai::chat::{ChatOptions, ReasoningEffort};
use serde_json::{Map, Value, json};

pub(super) fn all(
    provider: &Provider,
    kind: ProviderKind,
    model: &str,
    call: &ModelCall,
    names: &Names,
    form: Form,
) -> Result<ChatOptions, ModelError> {
    let effort = effort(kind, model, call)?;
    let thinks =
        effort.as_ref().is_some_and(|effort| !matches!(effort, ReasoningEffort::Zero | ReasoningEffort::Budget(0)));
    let mut options = ChatOptions::default()
        .with_capture_usage(true)
        .with_capture_content(true)
        .with_capture_tool_calls(true)
        .with_capture_reasoning_content(shows_thoughts(kind, model, thinks))
        .with_stream_header_timeout(provider.patience.first)
        .with_stream_read_timeout(provider.patience.next);
    if let Some(most) = call.writing.max_output_tokens {
        options = options.with_max_tokens(most);
    }
    let (temperature, top_p) = chances(kind, model, call, thinks);
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
    if let Some(format) = form.option {
        options = options.with_response_format(format);
    }
    if !call.tools.is_empty() {
        choose(kind, call, names, &mut options, &mut body);
    }
    // Without this the library takes `-max`, `-high` and the like off the end of a name.
    if !matches!(kind, ProviderKind::Gemini | ProviderKind::Bedrock | ProviderKind::Ollama) {
        body.insert("model".to_owned(), json!(model));
    }
    if let Some(effort) = effort.or_else(|| unsaid(kind, model)) {
        options = options.with_reasoning_effort(effort);
    }
    if !body.is_empty() {
        options = options.with_extra_body(Value::Object(body));
    }
    Ok(options)
}

/// Whether tools may be called, and how many at once.
fn choose(
    kind: ProviderKind,
    call: &ModelCall,
    names: &Names,
    options: &mut ChatOptions,
    body: &mut Map<String, Value>,
) {
    use genai::chat::ToolChoice as Sent;
    options.tool_choice = match &call.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(Sent::None),
        ToolChoice::Required => Some(Sent::Required),
        ToolChoice::Named(name) => Some(Sent::tool(names.sent(name))),
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
                    json!({"type": "tool", "name": names.sent(name), "disable_parallel_tool_use": true})
                }
            };
            body.insert("tool_choice".to_owned(), choice);
        }
        ProviderKind::Gemini | ProviderKind::Bedrock | ProviderKind::Ollama => {}
    }
}

/// Temperature and top-p as the model takes them: Claude one of both and none while it thinks, OpenAI's thinkers none.
fn chances(kind: ProviderKind, model: &str, call: &ModelCall, thinks: bool) -> (Option<f64>, Option<f64>) {
    let temperature = call.writing.temperature.map(baton_types::Thousandths::get);
    let top_p = call.writing.top_p.map(baton_types::Thousandths::get);
    let claude = kind == ProviderKind::Anthropic || (kind == ProviderKind::Bedrock && model.contains("anthropic."));
    let openai = matches!(kind, ProviderKind::OpenAi | ProviderKind::OpenAiResponses);
    if (claude && thinks) || (openai && is_thinker(model)) {
        return (None, None);
    }
    if claude {
        // Claude's temperature ends at 1.
        return (temperature.map(|it| it.min(1.0)), top_p.filter(|_| temperature.is_none()));
    }
    (temperature, top_p)
}

/// OpenAI's models that think before they answer.
fn is_thinker(model: &str) -> bool {
    let thinker = ["o1", "o3", "o4", "gpt-5", "gpt-6", "codex"].iter().any(|start| model.starts_with(start));
    thinker && !model.contains("-chat")
}

/// Whether the service ends answers at stop texts; where it refuses the setting, the run ends them by itself.
fn takes_stop(kind: ProviderKind, model: &str) -> bool {
    match kind {
        ProviderKind::OpenAi => !is_thinker(model),
        ProviderKind::OpenAiResponses => false,
        _ => true,
    }
}

/// Whether thoughts are asked for; models that have none refuse the question.
fn shows_thoughts(kind: ProviderKind, model: &str, thinks: bool) -> bool {
    match kind {
        ProviderKind::OpenAiResponses => thinks || is_thinker(model),
        ProviderKind::Gemini => thinks || ["gemini-2.5", "gemini-3"].iter().any(|series| model.contains(series)),
        _ => true,
    }
}

/// How much the model thinks, as the writing says it.
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
                    "effort '{written}' is none of none, minimal, low, medium, high, xhigh, max and a number of tokens"
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
        // Claude's thoughts have to fit what it may write.
        effort if counts_thoughts(kind, model) && tokens(&effort).is_some() => {
            let most = call.writing.max_output_tokens.unwrap_or(u32::MAX).saturating_sub(1);
            ReasoningEffort::Budget(tokens(&effort).unwrap_or_default().min(most).max(1_024))
        }
        // The library says nothing at all for none, which leaves Gemini thinking.
        ReasoningEffort::Zero if kind == ProviderKind::Gemini => match model {
            third if third.contains("gemini-3") => ReasoningEffort::Low,
            pro if pro.contains("-pro") => ReasoningEffort::Budget(128),
            _ => ReasoningEffort::Budget(0),
        },
        effort => effort,
    }))
}

/// Claude models that take thoughts as a number of tokens rather than a word.
fn counts_thoughts(kind: ProviderKind, model: &str) -> bool {
    const COUNTING: &[&str] = &[
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
        ProviderKind::Anthropic => COUNTING.iter().any(|series| model.contains(series)),
        ProviderKind::Bedrock => model.contains("anthropic."),
        _ => false,
    }
}

/// About how many tokens of thought a word means.
fn tokens(effort: &ReasoningEffort) -> Option<u32> {
    match effort {
        ReasoningEffort::Zero => None,
        ReasoningEffort::Budget(tokens) => Some(*tokens),
        ReasoningEffort::Minimal | ReasoningEffort::Low => Some(1_024),
        ReasoningEffort::Medium => Some(8_000),
        ReasoningEffort::High | ReasoningEffort::XHigh | ReasoningEffort::Max => Some(24_000),
    }
}

/// For a name that ends like an effort: an effort that adds nothing to the request and keeps the library from guessing.
fn unsaid(kind: ProviderKind, model: &str) -> Option<ReasoningEffort> {
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
