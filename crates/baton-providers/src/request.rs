//! Conversion of a call of the model port to a request of the client library.

mod files;
mod messages;
mod options;
mod results;
mod structured_output;

use crate::{
    Provider, ProviderKind, address,
    names::{WireCallIds, WireToolNames},
    schema,
};
use baton_ports::{ChatMessage, ModelCall, ModelError, ToolChoice};
use genai::{
    Headers, ModelIden, ServiceTarget,
    adapter::AdapterKind,
    chat::{ChatOptions, ChatRequest, Tool},
    resolver::{AuthData, Endpoint},
};

/// A complete request.
pub(crate) struct ProviderRequest {
    pub(crate) target: ServiceTarget,
    pub(crate) chat: ChatRequest,
    pub(crate) options: ChatOptions,
    pub(crate) names: WireToolNames,
    /// Protocol of this request, which may differ from the default of the provider.
    pub(crate) kind: ProviderKind,
}

/// Builds the request; fails if the settings are invalid.
pub(crate) fn build_request(
    provider: &Provider,
    model: &str,
    full_name: &str,
    call: &ModelCall,
) -> Result<ProviderRequest, ModelError> {
    let base = provider.checked_base_url()?;
    let (kind, base) = structured_output::protocol(provider.kind, base, call);
    let mentioned = call.messages.iter().flat_map(|message| {
        let (calls, result) = match message {
            ChatMessage::User { .. } => (&[][..], None),
            ChatMessage::Assistant { calls, .. } => (calls.as_slice(), None),
            ChatMessage::Tool { name, .. } => (&[][..], Some(name.as_str())),
        };
        calls.iter().map(|call| call.name.as_str()).chain(result)
    });
    let names = WireToolNames::new(&call.tools, mentioned);
    let form = structured_output::for_call(kind, model, call);
    let system = match &form.instructions {
        Some(instructions) if call.system.is_empty() => instructions.clone(),
        Some(instructions) => format!("{}\n\n{instructions}", call.system),
        None => call.system.clone(),
    };
    let mut chat =
        ChatRequest::new(messages::convert_messages(kind, full_name, call, &names, &mut WireCallIds::default()));
    if !system.is_empty() {
        chat = chat.with_system(system);
    }
    let tools = tools(kind, call, &names);
    if !tools.is_empty() {
        chat = chat.with_tools(tools);
    }
    let options = options::build_options(provider, kind, model, call, &names, form)?;
    Ok(ProviderRequest { target: target(provider, kind, &base, model), chat, options, names, kind })
}

/// Address and credentials of the request; the library adds neither an address nor a key.
fn target(provider: &Provider, kind: ProviderKind, base: &str, model: &str) -> ServiceTarget {
    let adapter = match kind {
        ProviderKind::OpenAi | ProviderKind::Compatible => AdapterKind::OpenAI,
        ProviderKind::OpenAiResponses => AdapterKind::OpenAIResp,
        ProviderKind::Anthropic => AdapterKind::Anthropic,
        ProviderKind::Gemini => AdapterKind::Gemini,
        ProviderKind::Bedrock => AdapterKind::BedrockApi,
        ProviderKind::Ollama => AdapterKind::Ollama,
    };
    ServiceTarget {
        endpoint: Endpoint::from_owned(format!("{base}/")),
        auth: AuthData::RequestOverride {
            url: address::chat(kind, base, model, provider.streaming),
            headers: Headers::from(provider.request_headers()),
        },
        model: ModelIden::new(adapter, model),
    }
}

fn tools(kind: ProviderKind, call: &ModelCall, names: &WireToolNames) -> Vec<Tool> {
    // Bedrock has no option to forbid tool calls, but requires the tools that occur in its history.
    let has_results = call.messages.iter().any(|message| matches!(message, ChatMessage::Tool { .. }));
    if kind == ProviderKind::Bedrock && call.tool_choice == ToolChoice::None && !has_results {
        return Vec::new();
    }
    let tool = |spec: &baton_types::ToolSpec| {
        Tool::new(names.wire_name(&spec.name).to_owned())
            .with_description(spec.description.clone())
            .with_schema(schema::tool(kind, &spec.parameters.to_value()))
    };
    call.tools.iter().map(tool).collect()
}
