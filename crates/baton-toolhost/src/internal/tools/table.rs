//! The tools about tools, and which of them is called.

use super::{look, modes, session};
use crate::internal::{
    call::{Answer, Call},
    listing::{self, Deed, mode, text, tool},
};
use rmcp::model::Tool;
use serde_json::{Value, json};

/// The tools of the server.
pub(in crate::internal) fn tools() -> Vec<Tool> {
    let one = |name: &str, about: &str, deed, properties, required: &[&str]| {
        tool(name.to_owned(), about.to_owned(), deed, properties, required)
    };
    let when = "When: always, manual (once somebody names it) or agent (when it has to do with what is asked)";
    let mut tool_mode = by_tool();
    tool_mode["mode"] = mode(when);
    let mut server_mode = by_server();
    server_mode["mode"] = mode(when);
    vec![
        one(
            "listTools",
            "Lists all tools that you could have, with their servers and include modes, without their schemas.",
            Deed::Looks,
            json!({}),
            &[],
        ),
        one("getTool", "Gives one tool with the schema of its arguments.", Deed::Looks, by_tool(), &["toolName"]),
        one(
            "listContextTools",
            "Lists the tools that are part of this conversation: always there, or named in it. Those with the mode agent come and go with what is asked.",
            Deed::Looks,
            json!({}),
            &[],
        ),
        one(
            "includeTool",
            "Makes a tool part of this conversation, so that you can call it.",
            Deed::Changes,
            by_tool(),
            &["toolName"],
        ),
        one(
            "excludeTool",
            "Takes a tool out of this conversation. It stays in your definition.",
            Deed::Changes,
            by_tool(),
            &["toolName"],
        ),
        one(
            "setToolIncludeMode",
            "Says in your definition when a tool is part of conversations.",
            Deed::Changes,
            tool_mode,
            &["toolName", "mode"],
        ),
        one(
            "listToolServers",
            "Lists the MCP servers that have your tools, where they stand, and how many tools they have.",
            Deed::Looks,
            json!({}),
            &[],
        ),
        one("getToolServer", "Gives one MCP server with its tools.", Deed::Looks, by_server(), &["name"]),
        one(
            "setServerIncludeMode",
            "Says in your definition when the tools of a server are part of conversations; a tool with a mode of its own keeps that.",
            Deed::Changes,
            server_mode,
            &["name", "mode"],
        ),
        one(
            "includeToolServer",
            "Makes all tools of a server part of this conversation.",
            Deed::Changes,
            by_server(),
            &["name"],
        ),
        one(
            "excludeToolServer",
            "Takes all tools of a server out of this conversation. They stay in your definition.",
            Deed::Changes,
            by_server(),
            &["name"],
        ),
        one(
            "searchTools",
            "Finds tools that have to do with a question, the most relevant first, with score and schema of the arguments. Those that are not part of this conversation can be included.",
            Deed::Looks,
            listing::search("tools"),
            &["query"],
        ),
    ]
}

fn by_tool() -> Value {
    json!({
        "serverName": text("The MCP server that has the tool; leave it out for a tool that your definition has itself"),
        "toolName": text("The tool's name, as listTools tells it"),
    })
}

fn by_server() -> Value {
    json!({"name": text("The name of the server, as listToolServers tells it")})
}

/// Does what is called for; nothing when there is no such tool.
pub(in crate::internal) async fn call(call: &Call<'_>) -> Option<Answer> {
    Some(match call.tool {
        "listTools" => look::list(call).await,
        "getTool" => look::get(call).await,
        "listToolServers" => look::servers(call),
        "getToolServer" => look::server(call).await,
        "searchTools" => look::search(call).await,
        "listContextTools" => session::list(call).await,
        "includeTool" => session::include(call).await,
        "excludeTool" => session::exclude(call).await,
        "includeToolServer" => session::include_server(call).await,
        "excludeToolServer" => session::exclude_server(call).await,
        "setToolIncludeMode" => modes::of_tool(call).await,
        "setServerIncludeMode" => modes::of_server(call).await,
        _ => return None,
    })
}
