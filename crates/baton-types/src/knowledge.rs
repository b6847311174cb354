//! What an agent knows beside its prompt: rules that guide it, references that it can rely on, and how many of them it is
//! given at a time.

use crate::Include;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Rules, references, and how those are chosen that have to do with what is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Knowledge {
    /// How to behave, by priority and name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<ContextItem>,
    /// What is true, by priority and name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<ContextItem>,
    /// How many of those that are included as [`Include::Agent`] come with a request.
    #[serde(default, skip_serializing_if = "RelevanceLimits::is_usual")]
    pub relevance: RelevanceLimits,
}

impl Knowledge {
    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The items of a kind; tools are not among them.
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
    /// Unique among its kind within the agent.
    pub name: String,
    /// What it is about; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// From 0 to 999; higher ones come later, nearer to what is asked.
    pub priority: u16,
    /// When it is part of what the model is given.
    pub include: Include,
    /// MIME type of the text.
    pub media_type: String,
    /// The whole text.
    pub text: String,
}

impl ContextItem {
    /// The priority of what has none.
    pub const USUAL_PRIORITY: u16 = 500;
    /// The highest priority.
    pub const MAX_PRIORITY: u16 = 999;

    /// A text of this name, of usual priority, that is there when somebody names it.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: String::new(),
            priority: Self::USUAL_PRIORITY,
            include: Include::Manual,
            media_type: "text/markdown".to_owned(),
            text: text.into(),
        }
    }
}

/// What can be part of the context of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
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
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Reference => "reference",
            Self::Tool => "tool",
        }
    }
}

/// How many items are chosen for a request by what it asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelevanceLimits {
    /// Matches of pieces of text that are looked at.
    pub top_k: u16,
    /// Items that are wanted.
    pub top_n: u16,
    /// Items that score as much are all taken.
    pub include_score: Thousandths,
}

impl Default for RelevanceLimits {
    fn default() -> Self {
        Self { top_k: 20, top_n: 5, include_score: Thousandths(700) }
    }
}

impl RelevanceLimits {
    fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

/// A number with three digits behind the point, so that it can be compared; scores, temperatures and the like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Thousandths(pub u16);

impl Thousandths {
    /// The nearest one; nothing for what is negative, too large or no number.
    pub fn of(number: f64) -> Option<Self> {
        let rounded = (number * 1000.0).round();
        let fits = rounded.is_finite() && (0.0..=f64::from(u16::MAX)).contains(&rounded);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it was just checked to fit")]
        fits.then_some(Self(rounded as u16))
    }

    /// The number.
    pub fn get(self) -> f64 {
        f64::from(self.0) / 1000.0
    }
}

impl fmt::Display for Thousandths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.get())
    }
}

/// What the model was given for one request beside the conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestContext {
    /// References, then rules, each in the order in which they were given, then tools.
    pub items: Vec<UsedItem>,
}

/// One thing that the model was given, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsedItem {
    /// What it is.
    pub kind: ItemKind,
    /// Its name; of a tool, the name that the model knows.
    pub name: String,
    /// The MCP server that a tool is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Why it is there: always, because somebody named it, or because of what was asked.
    pub include: Include,
    /// How much it has to do with what was asked, from 0 to 1, when that is why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Thousandths>,
}
