//! What holds for the tools of the session that is begun or gone on with.

use baton_rules::SESSION_MEMBER;
use baton_types::Json;
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

/// When somebody is asked, and which tools are there.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct SessionSettings {
    /// Be asked before every call, before none, or as each tool says [default: as the agent's definition says]
    #[arg(long, value_name = "WHEN")]
    tool_permission: Option<When>,
    /// A tool to have in this session although it is included by hand only; may be repeated
    #[arg(long = "include", value_name = "TOOL")]
    include: Vec<String>,
}

// Without words for each value the help stays short.
/// When somebody is asked.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum When {
    Always,
    Never,
    Tool,
}

impl SessionSettings {
    /// The metadata of a message that says so; none when nothing is said.
    pub(super) fn metadata(self) -> Option<Json> {
        let mut session = Map::new();
        if let Some(when) = self.tool_permission {
            let word = match when {
                When::Always => "always",
                When::Never => "never",
                When::Tool => "tool",
            };
            session.insert("tool_permission".to_owned(), Value::from(word));
        }
        if !self.include.is_empty() {
            session.insert("include".to_owned(), Value::from(self.include));
        }
        (!session.is_empty()).then(|| json!({ SESSION_MEMBER: session }).into())
    }
}
