//! Tool settings of the session that a run starts or continues.

use baton_rules::SESSION_MEMBER;
use baton_types::Json;
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

/// Tool permission mode and included tools.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct RunSessionOptions {
    /// When to ask before tool calls: always, never, or as set for each tool [default: as set in the agent's
    /// definition]
    #[arg(long, value_name = "WHEN")]
    tool_permission: Option<ToolPermissionMode>,
    /// Include a tool that is otherwise only included manually; repeatable
    #[arg(long = "include", value_name = "TOOL")]
    include: Vec<String>,
}

// Variants have no doc comments, which keeps the help short.
/// Tool permission mode.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ToolPermissionMode {
    Always,
    Never,
    Tool,
}

impl RunSessionOptions {
    /// Message metadata with these settings; `None` without any.
    pub(super) fn metadata(self) -> Option<Json> {
        let mut session = Map::new();
        if let Some(when) = self.tool_permission {
            let value = match when {
                ToolPermissionMode::Always => "always",
                ToolPermissionMode::Never => "never",
                ToolPermissionMode::Tool => "tool",
            };
            session.insert("tool_permission".to_owned(), Value::from(value));
        }
        if !self.include.is_empty() {
            session.insert("include".to_owned(), Value::from(self.include));
        }
        (!session.is_empty()).then(|| json!({ SESSION_MEMBER: session }).into())
    }
}
