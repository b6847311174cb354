//! Rules and references of an agent, and their selection for a request.

use crate::InclusionMode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Rules, references, and the limits for selecting relevant ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Knowledge {
    /// Rules of behavior, by priority and name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<ContextItem>,
    /// Reference texts, by priority and name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<ContextItem>,
    /// Limits for the items with [`InclusionMode::Agent`].
    #[serde(default, skip_serializing_if = "RelevanceLimits::is_default")]
    pub relevance: RelevanceLimits,
}

impl Knowledge {
    /// Whether it equals the default: no items and default limits.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Items of a kind; tools are not included.
    pub fn items(&self, kind: ItemKind) -> &[ContextItem] {
        match kind {
            ItemKind::Rule => &self.rules,
            ItemKind::Reference => &self.references,
            ItemKind::Tool => &[],
        }
    }
}

/// One rule or reference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextItem {
    /// Name, unique within its kind and agent.
    pub name: String,
    /// Description; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Priority from 0 to 999; higher ones are placed later, closer to the request.
    pub priority: u16,
    /// When it is part of the model context.
    pub include: InclusionMode,
    /// MIME type of the text.
    pub media_type: String,
    /// Full text.
    pub text: String,
}

impl ContextItem {
    /// Default priority.
    pub const DEFAULT_PRIORITY: u16 = 500;
    /// Highest priority.
    pub const MAX_PRIORITY: u16 = 999;

    /// Creates an item with default priority that is included on request.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: String::new(),
            priority: Self::DEFAULT_PRIORITY,
            include: InclusionMode::Manual,
            media_type: "text/markdown".to_owned(),
            text: text.into(),
        }
    }
}

/// Kind of a context item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    /// A rule.
    Rule,
    /// A reference.
    Reference,
    /// A tool.
    Tool,
}

impl ItemKind {
    /// Name of the kind.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Reference => "reference",
            Self::Tool => "tool",
        }
    }
}

/// Limits for selecting relevant items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelevanceLimits {
    /// Number of matching text chunks that are considered.
    pub top_k: u16,
    /// Target number of items.
    pub top_n: u16,
    /// Score from which items are always included.
    pub include_score: Thousandths,
}

impl Default for RelevanceLimits {
    fn default() -> Self {
        Self { top_k: 20, top_n: 5, include_score: Thousandths(700) }
    }
}

impl RelevanceLimits {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A number with three decimal places and exact comparison, for scores, temperatures and similar values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Thousandths(pub u16);

impl Thousandths {
    /// Rounds to the nearest value; none if the number is negative, too large or not finite.
    pub fn from_f64(number: f64) -> Option<Self> {
        let rounded = (number * 1000.0).round();
        let fits = rounded.is_finite() && (0.0..=f64::from(u16::MAX)).contains(&rounded);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it was just checked to fit")]
        fits.then_some(Self(rounded as u16))
    }

    /// Value as a number.
    pub fn get(self) -> f64 {
        f64::from(self.0) / 1000.0
    }
}

impl fmt::Display for Thousandths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.get())
    }
}

/// Context items that were sent to the model for one request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestContext {
    /// References, then rules, each in the order sent, then tools.
    pub items: Vec<IncludedItem>,
}

/// One item that was sent to the model, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncludedItem {
    /// Kind of the item.
    pub kind: ItemKind,
    /// Item name; for a tool, its name for the model.
    pub name: String,
    /// MCP server of a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Reason for inclusion: always, named explicitly, or relevant to the request.
    pub include: InclusionMode,
    /// Relevance score from 0 to 1, for items included by relevance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Thousandths>,
}
