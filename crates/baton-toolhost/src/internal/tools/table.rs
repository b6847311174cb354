//! Table and dispatch of the tool management tools.

use super::{modes, read, session};
use crate::internal::{
    call::{InternalCall, InternalCallResult},
    listing::{self, ToolEffect, mode, text, tool},
};
use rmcp::model::Tool;
use serde_json::{Value, json};

/// The tools of the server.
pub(in crate::internal) fn tools() -> Vec<Tool> {
    let one = |name: &str, about: &str, effect, properties, required: &[&str]| {
        tool(name.to_owned(), about.to_owned(), effect, properties, required)
    };
    let when = "When: always, manual (once it is requested by name) or agent (when it is relevant to the request)";
    let mut tool_mode = by_tool();
    tool_mode["mode"] = mode(when);
    let mut server_mode = by_server();
    server_mode["mode"] = mode(when);
    vec![
        one(
            "listTools",
            "Lists all tools that you could have, with their servers and include modes, without their schemas.",
            ToolEffect::ReadOnly,
            json!({}),
            &[],
        ),
        one(
            "getTool",
            "Gives one tool with the schema of its arguments.",
            ToolEffect::ReadOnly,
            by_tool(),
            &["toolName"],
        ),
        one(
            "listContextTools",
            "Lists the tools that are part of this conversation: always included, or requested by name. Those with the mode agent are chosen for each request.",
            ToolEffect::ReadOnly,
            json!({}),
            &[],
        ),
        one(
            "includeTool",
            "Makes a tool part of this conversation, so that you can call it.",
            ToolEffect::Idempotent,
            by_tool(),
            &["toolName"],
        ),
        one(
            "excludeTool",
            "Takes a tool out of this conversation. It stays in your definition.",
            ToolEffect::Idempotent,
            by_tool(),
            &["toolName"],
        ),
        one(
            "setToolIncludeMode",
            "Sets in your definition when a tool is part of conversations.",
            ToolEffect::Idempotent,
            tool_mode,
            &["toolName", "mode"],
        ),
        one(
            "listToolServers",
            "Lists the MCP servers that provide your tools, with their state and number of tools.",
            ToolEffect::ReadOnly,
            json!({}),
            &[],
        ),
        one("getToolServer", "Gives one MCP server with its tools.", ToolEffect::ReadOnly, by_server(), &["name"]),
        one(
            "setServerIncludeMode",
            "Sets in your definition when the tools of a server are part of conversations; a tool with its own mode keeps it.",
            ToolEffect::Idempotent,
            server_mode,
            &["name", "mode"],
        ),
        one(
            "includeToolServer",
            "Makes all tools of a server part of this conversation.",
            ToolEffect::Idempotent,
            by_server(),
            &["name"],
        ),
        one(
            "excludeToolServer",
            "Takes all tools of a server out of this conversation. They stay in your definition.",
            ToolEffect::Idempotent,
            by_server(),
            &["name"],
        ),
        one(
            "searchTools",
            "Finds tools that are relevant to a query, the most relevant first, with score and schema of the arguments. Those that are not part of this conversation can be included.",
            ToolEffect::ReadOnly,
            listing::search("tools"),
            &["query"],
        ),
    ]
}

fn by_tool() -> Value {
    json!({
        "serverName": text("The MCP server that has the tool; leave it out for a tool that your definition has itself"),
        "toolName": text("The tool's name, as listed by listTools"),
    })
}

fn by_server() -> Value {
    json!({"name": text("The name of the server, as listed by listToolServers")})
}

/// Dispatches the call; `None` for an unknown tool.
pub(in crate::internal) async fn call(call: &InternalCall<'_>) -> Option<InternalCallResult> {
    Some(match call.tool {
        "listTools" => read::list(call).await,
        "getTool" => read::get(call).await,
        "listToolServers" => read::servers(call),
        "getToolServer" => read::server(call).await,
        "searchTools" => read::search(call).await,
        "listContextTools" => session::list(call).await,
        "includeTool" => session::include(call).await,
        "excludeTool" => session::exclude(call).await,
        "includeToolServer" => session::include_server(call).await,
        "excludeToolServer" => session::exclude_server(call).await,
        "setToolIncludeMode" => modes::set_tool_mode(call).await,
        "setServerIncludeMode" => modes::set_server_mode(call).await,
        _ => return None,
    })
}
