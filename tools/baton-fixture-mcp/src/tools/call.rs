//! Dispatch of tool calls.

use super::{content, list::DYNAMIC_TOOL, notices, questions};
use crate::{resources::WATCHED_RESOURCE, server::Fixture, shared_state::FixtureChange};
use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject},
    service::RequestContext,
};

/// One tool call with its context.
pub(super) struct FixtureCall<'a> {
    pub(super) fixture: &'a Fixture,
    pub(super) request: &'a CallToolRequestParams,
    pub(super) context: &'a RequestContext<RoleServer>,
}

impl FixtureCall<'_> {
    /// A required text argument.
    pub(super) fn text(&self, name: &str) -> Result<&str, ErrorData> {
        let value = self.request.arguments.as_ref().and_then(|arguments| arguments.get(name)?.as_str());
        value.ok_or_else(|| ErrorData::invalid_params(format!("The argument {name} must be text"), None))
    }

    /// All arguments.
    pub(super) fn arguments(&self) -> JsonObject {
        self.request.arguments.clone().unwrap_or_default()
    }
}

/// A result of one text block.
pub(super) fn text_result(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

/// Runs a tool.
pub(crate) async fn call(
    fixture: &Fixture,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let call = FixtureCall { fixture, request, context };
    let world = &fixture.world;
    let done = match &*request.name {
        "test_simple_text" => text_result("This is a simple text response for testing."),
        "test_image_content" => content::image(),
        "test_audio_content" => content::audio(),
        "test_embedded_resource" => content::resource(),
        "test_multiple_content_types" => content::several(),
        "test_structured_content" => content::structured(&call.arguments()),
        "test_error_handling" => {
            let reason = "This tool intentionally returns an error for testing";
            CallToolResult::error(vec![ContentBlock::text(reason)])
        }
        "json_schema_2020_12_tool" => text_result(serde_json::Value::Object(call.arguments()).to_string()),
        "test_custom_header" => text_result(format!("Region: {}", call.text("region")?)),
        "test_tool_with_progress" => notices::progress(&call).await?,
        "test_tool_with_logging" | "test_logging_tool" => notices::log(&call).await?,
        "wait_until_canceled" => notices::wait(&call).await?,
        "count_canceled" => {
            let at_least = call.arguments().get("at_least").and_then(serde_json::Value::as_u64);
            text_result(world.wait_for_canceled(at_least.unwrap_or_default()).await.to_string())
        }
        "test_trigger_tool_change" => changed(&call, FixtureChange::Tools),
        "test_trigger_prompt_change" => changed(&call, FixtureChange::Prompts),
        "touch_watched_resource" => changed(&call, FixtureChange::Resource(WATCHED_RESOURCE)),
        DYNAMIC_TOOL if world.has_extra_tool() => text_result("This tool comes and goes."),
        name => match questions::call(&call).await {
            Some(response) => return response,
            None => return Err(ErrorData::invalid_params(format!("Unknown tool: {name}"), None)),
        },
    };
    Ok(done.into())
}

fn changed(call: &FixtureCall<'_>, change: FixtureChange) -> CallToolResult {
    call.fixture.world.change(change);
    text_result("Changed.")
}
