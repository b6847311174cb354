//! Somebody who looks at what goes in and out of a run, and may stop or change it.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A hook of an agent's definition; several are asked in the order written, and the first that blocks wins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guardrail {
    /// Unique within the agent.
    pub name: String,
    /// What it looks at.
    pub on: Vec<GuardStage>,
    /// Who is asked.
    pub runner: GuardRunner,
    /// Given up after this long.
    pub timeout: Duration,
    /// Whether what it looks at goes on when it cannot be asked.
    pub fails_open: bool,
}

/// Who decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuardRunner {
    /// A program that reads JSON and writes its verdict.
    Command {
        /// Program and arguments; no shell is involved.
        argv: Vec<String>,
        /// Absolute working directory.
        directory: String,
    },
    /// A service that is sent JSON and answers with its verdict.
    Http {
        /// The address.
        url: String,
        /// Header names and values; a value may hold `env://NAME`, read when it is asked.
        headers: Vec<(String, String)>,
    },
}

/// What a guardrail looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuardStage {
    /// What the caller says, before the model is given it.
    Input,
    /// What the agent answers, before anybody sees it.
    Output,
    /// A call of a tool, before it runs.
    ToolCall,
    /// What a tool gave, before the model is given it.
    ToolResult,
}

impl GuardStage {
    /// Every stage, for tables.
    pub const ALL: [Self; 4] = [Self::Input, Self::Output, Self::ToolCall, Self::ToolResult];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
        }
    }
}

/// What a guardrail said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuardVerdict {
    /// It may go on as it is.
    Allowed,
    /// It goes on with other content.
    Rewritten,
    /// It stops here.
    Blocked,
    /// Nobody answered; whether it went on is as the definition says.
    Unreachable,
}

impl GuardVerdict {
    /// The word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Rewritten => "rewritten",
            Self::Blocked => "blocked",
            Self::Unreachable => "unreachable",
        }
    }
}
