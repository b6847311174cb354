//! Guardrails: checks that can block or rewrite the input and output of a run.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A guardrail of an agent definition. Guardrails run in written order, and the first that blocks wins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guardrail {
    /// Unique within the agent.
    pub name: String,
    /// Checked stages.
    pub on: Vec<GuardStage>,
    /// Program or service that decides.
    pub runner: GuardRunner,
    /// Timeout.
    pub timeout: Duration,
    /// Whether the content passes if the guardrail is unreachable.
    pub fails_open: bool,
}

/// Implementation of a guardrail.
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
    /// A service that receives JSON and responds with its verdict.
    Http {
        /// Address.
        url: String,
        /// Header names and values; a value may contain `env://NAME`, which is read at call time.
        headers: Vec<(String, String)>,
    },
}

/// Stage of a run that a guardrail checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuardStage {
    /// Input of the caller, before the model receives it.
    Input,
    /// Answer of the agent, before it is shown.
    Output,
    /// Tool call, before it runs.
    ToolCall,
    /// Tool result, before the model receives it.
    ToolResult,
}

impl GuardStage {
    /// All stages, for tables.
    pub const ALL: [Self; 4] = [Self::Input, Self::Output, Self::ToolCall, Self::ToolResult];

    /// Name of the stage.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
        }
    }
}

/// Verdict of a guardrail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuardVerdict {
    /// Passes unchanged.
    Allowed,
    /// Passes with replaced content.
    Rewritten,
    /// Blocked.
    Blocked,
    /// No verdict; the definition decides whether the content passes.
    Unreachable,
}

impl GuardVerdict {
    /// Name of the verdict.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Rewritten => "rewritten",
            Self::Blocked => "blocked",
            Self::Unreachable => "unreachable",
        }
    }
}
