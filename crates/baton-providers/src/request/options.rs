//! Request options.

use super::{
    effort::{ends_like_effort, parse_effort},
    structured_output::StructuredOutput,
};
use crate::{
    Provider,
    names::WireToolNames,
    protocol::{ProviderProtocol, SamplingOptions},
};
use baton_ports::{ModelCall, ModelError, ToolChoice};
use baton_types::Thousandths;
use genai::chat::{ChatOptions, ReasoningEffort};
use serde_json::{Value, json};

pub(super) fn build_options(
    provider: &Provider,
    protocol: &dyn ProviderProtocol,
    model: &str,
    call: &ModelCall,
    names: &WireToolNames,
    output: StructuredOutput,
) -> Result<ChatOptions, ModelError> {
    let max_tokens = call.writing.max_output_tokens;
    let effort = call.writing.effort.as_deref().map(parse_effort).transpose()?;
    let effort = effort.map(|effort| protocol.effort(model, effort, max_tokens));
    let thinks =
        effort.as_ref().is_some_and(|effort| !matches!(effort, ReasoningEffort::Zero | ReasoningEffort::Budget(0)));
    let mut options = ChatOptions::default()
        .with_capture_usage(true)
        .with_capture_content(true)
        .with_capture_tool_calls(true)
        .with_capture_reasoning_content(protocol.requests_reasoning(model, thinks))
        .with_stream_header_timeout(provider.timeouts.first_byte)
        .with_stream_read_timeout(provider.timeouts.idle);
    if let Some(max_tokens) = max_tokens {
        options = options.with_max_tokens(max_tokens);
    }
    let requested = SamplingOptions {
        temperature: call.writing.temperature.map(Thousandths::get),
        top_p: call.writing.top_p.map(Thousandths::get),
    };
    let SamplingOptions { temperature, top_p } = protocol.sampling(model, requested, thinks);
    if let Some(temperature) = temperature {
        options = options.with_temperature(temperature);
    }
    if let Some(top_p) = top_p {
        options = options.with_top_p(top_p);
    }
    if protocol.takes_stop(model) && !call.writing.stop.is_empty() {
        options = options.with_stop_sequences(call.writing.stop.clone());
    }
    if let Some(format) = output.response_format {
        options = options.with_response_format(format);
    }
    let mut body = output.body;
    if !call.tools.is_empty() {
        options.tool_choice = tool_choice(&call.tool_choice, names);
        if !call.parallel_calls {
            protocol.forbid_parallel_calls(&call.tool_choice, names, &mut body);
        }
    }
    if protocol.sends_model_name() {
        body.insert("model".to_owned(), json!(model));
    }
    if let Some(effort) = effort.or_else(|| protocol.neutral_effort().filter(|_| ends_like_effort(model))) {
        options = options.with_reasoning_effort(effort);
    }
    if !body.is_empty() {
        options = options.with_extra_body(Value::Object(body));
    }
    Ok(options)
}

fn tool_choice(choice: &ToolChoice, names: &WireToolNames) -> Option<genai::chat::ToolChoice> {
    use genai::chat::ToolChoice as Sent;
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(Sent::None),
        ToolChoice::Required => Some(Sent::Required),
        ToolChoice::Named(name) => Some(Sent::tool(names.wire_name(name))),
    }
}
