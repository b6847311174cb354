//! Conversion of a call of the model port to a chat request.

mod effort;
mod files;
mod messages;
mod options;
mod structured_output;
pub(crate) mod tool_result;

pub(crate) use effort::{effort_level, effort_tokens};
pub(crate) use structured_output::StructuredOutput;
pub(crate) use tool_result::WireToolResult;

use crate::{
    Provider, address,
    exchange::ChatExchange,
    names::{WireCallIds, WireToolNames},
    protocol::{ProviderProtocol, protocol_for},
    schema,
};
use baton_ports::{ChatMessage, ModelCall, ModelError};
use genai::chat::{ChatRequest, Tool};

/// A complete request.
pub(crate) struct ProviderRequest {
    pub(crate) exchange: ChatExchange,
    pub(crate) names: WireToolNames,
    /// Protocol of this request, which may differ from the default of the provider.
    pub(crate) protocol: &'static dyn ProviderProtocol,
}

/// Builds the request; fails if the settings are invalid.
pub(crate) fn build_request(
    provider: &Provider,
    model: &str,
    full_name: &str,
    call: &ModelCall,
) -> Result<ProviderRequest, ModelError> {
    let base = provider.checked_base_url()?;
    let (protocol, base) = match provider.protocol().substitute(call) {
        Some((kind, path)) => (protocol_for(kind), address::join_path(&base, path)),
        None => (provider.protocol(), base),
    };
    let mentioned = call.messages.iter().flat_map(|message| {
        let (calls, result) = match message {
            ChatMessage::User { .. } => (&[][..], None),
            ChatMessage::Assistant { calls, .. } => (calls.as_slice(), None),
            ChatMessage::Tool { name, .. } => (&[][..], Some(name.as_str())),
        };
        calls.iter().map(|call| call.name.as_str()).chain(result)
    });
    let names = WireToolNames::new(&call.tools, mentioned);
    let output = structured_output::for_call(protocol, model, call);
    let system = match &output.instructions {
        Some(instructions) if call.system.is_empty() => instructions.clone(),
        Some(instructions) => format!("{}\n\n{instructions}", call.system),
        None => call.system.clone(),
    };
    let mut ids = WireCallIds::default();
    let mut chat = ChatRequest::new(messages::convert_messages(protocol, full_name, call, &names, &mut ids));
    if !system.is_empty() {
        chat = chat.with_system(system);
    }
    if !call.tools.is_empty() && protocol.sends_tools(call) {
        chat = chat.with_tools(tools(protocol, call, &names));
    }
    let options = options::build_options(provider, protocol, model, call, &names, output)?;
    let url = address::join_path(&base, &protocol.chat_path(model, provider.streaming));
    let exchange = ChatExchange { provider: provider.clone(), url, model: model.to_owned(), chat, options };
    Ok(ProviderRequest { exchange, names, protocol })
}

fn tools(protocol: &dyn ProviderProtocol, call: &ModelCall, names: &WireToolNames) -> Vec<Tool> {
    let tool = |spec: &baton_types::ToolSpec| {
        Tool::new(names.wire_name(&spec.name).to_owned())
            .with_description(spec.description.clone())
            .with_schema(schema::tool(protocol.dialect(), &spec.parameters.to_value()))
    };
    call.tools.iter().map(tool).collect()
}
