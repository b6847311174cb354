//! Dispatch of tool calls.

use super::{content, list::EXTRA, notices, questions};
use crate::{resources::WATCHED, server::Fixture, world::Change};
use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject},
    service::RequestContext,
};

/// One tool call with its context.
pub(super) struct Call<'a> {
    pub(super) fixture: &'a Fixture,
    pub(super) request: &'a CallToolRequestParams,
    pub(super) context: &'a RequestContext<RoleServer>,
}

impl Call<'_> {
    /// A required text argument.
    pub(super) fn text(&self, name: &str) -> Result<&str, ErrorData> {
        let given = self.request.arguments.as_ref().and_then(|arguments| arguments.get(name)?.as_str());
        given.ok_or_else(|| ErrorData::invalid_params(format!("The argument {name} must be text"), None))
    }

    /// All arguments.
    pub(super) fn arguments(&self) -> JsonObject {
        self.request.arguments.clone().unwrap_or_default()
    }
}

/// A result of one text block.
pub(super) fn says(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

/// Runs a tool.
pub(crate) async fn call(
    fixture: &Fixture,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let call = Call { fixture, request, context };
    let world = &fixture.world;
    let done = match &*request.name {
        "test_simple_text" => says("This is a simple text response for testing."),
        "test_image_content" => content::image(),
        "test_audio_content" => content::audio(),
        "test_embedded_resource" => content::resource(),
        "test_multiple_content_types" => content::several(),
        "test_structured_content" => content::structured(&call.arguments()),
        "test_error_handling" => {
            let reason = "This tool intentionally returns an error for testing";
            CallToolResult::error(vec![ContentBlock::text(reason)])
        }
        "json_schema_2020_12_tool" => says(serde_json::Value::Object(call.arguments()).to_string()),
        "test_custom_header" => says(format!("Region: {}", call.text("region")?)),
        "test_tool_with_progress" => notices::progress(&call).await?,
        "test_tool_with_logging" | "test_logging_tool" => notices::log(&call).await?,
        "wait_until_canceled" => notices::wait(&call).await?,
        "count_canceled" => {
            let at_least = call.arguments().get("at_least").and_then(serde_json::Value::as_u64);
            says(world.canceled(at_least.unwrap_or_default()).await.to_string())
        }
        "test_trigger_tool_change" => changed(&call, Change::Tools),
        "test_trigger_prompt_change" => changed(&call, Change::Prompts),
        "touch_watched_resource" => changed(&call, Change::Resource(WATCHED)),
        EXTRA if world.has_extra_tool() => says("This tool comes and goes."),
        name => match questions::call(&call).await {
            Some(response) => return response,
            None => return Err(ErrorData::invalid_params(format!("Unknown tool: {name}"), None)),
        },
    };
    Ok(done.into())
}

fn changed(call: &Call<'_>, change: Change) -> CallToolResult {
    call.fixture.world.change(change);
    says("Changed.")
}
