//! `when`: all matchers of a rule must match.

use super::input::{PlaybookInput, RuleToolResult};
use baton_ports::OutputFormat;
use regex::Regex;
use serde_json::Value;

/// The matchers of one rule; an absent one always matches.
#[derive(Debug, Default)]
pub(super) struct RuleCondition {
    pub(super) user: Option<Regex>,
    pub(super) earlier: Option<Regex>,
    pub(super) system: Option<Regex>,
    pub(super) message_id: Option<Regex>,
    pub(super) metadata: Vec<(String, Regex)>,
    pub(super) tools: Vec<String>,
    /// MIME types, including wildcards such as `image/*`.
    pub(super) files: Vec<String>,
    pub(super) after_tool: Option<String>,
    pub(super) failed: Option<bool>,
    pub(super) result: Option<Regex>,
    pub(super) turn: Option<TurnMatcher>,
    pub(super) attempt: Option<u32>,
    pub(super) model: Option<String>,
    pub(super) agent: Option<String>,
    pub(super) format: Option<FormatMatcher>,
}

/// Requested output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormatMatcher {
    Text,
    JsonObject,
    JsonSchema,
}

/// Number of the answer since the last user message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TurnMatcher {
    /// Any turn, stated explicitly; it suppresses the warning about a missing `turn`.
    Any,
    Number(u32),
}

/// Data of a match, for the templates of the rule.
#[derive(Debug, Default)]
pub(super) struct RuleMatch {
    pub(super) captures: Vec<(String, String)>,
    /// Index of the tool result that the rule matched.
    pub(super) focus: Option<usize>,
}

impl RuleCondition {
    /// Whether the rule matches only after a tool result.
    pub(super) fn wants_result(&self) -> bool {
        self.after_tool.is_some() || self.failed.is_some() || self.result.is_some()
    }

    /// Capture names of all regexes of this condition.
    pub(super) fn capture_names(&self) -> Vec<String> {
        self.regexes().flat_map(|regex| regex.capture_names().flatten().map(str::to_owned)).collect()
    }

    fn regexes(&self) -> impl Iterator<Item = &Regex> {
        let single = [&self.user, &self.earlier, &self.system, &self.message_id, &self.result];
        single.into_iter().flatten().chain(self.metadata.iter().map(|(_, regex)| regex))
    }

    /// Evaluates the condition, cheap matchers first.
    pub(super) fn matches(&self, scene: &PlaybookInput<'_>, model: &str) -> Option<RuleMatch> {
        let call = scene.call;
        let plain = self.turn.is_none_or(|turn| turn == TurnMatcher::Any || turn == TurnMatcher::Number(scene.turn))
            && self.attempt.is_none_or(|attempt| attempt == call.attempt)
            && self.format.is_none_or(|format| format == FormatMatcher::from_output_format(&call.format))
            && self.agent.as_deref().is_none_or(|agent| agent == call.agent.as_str())
            && self.model.as_deref().is_none_or(|required| required == model)
            && self.tools.iter().all(|required| call.tools.iter().any(|tool| tool.name == *required))
            && self
                .files
                .iter()
                .all(|required| scene.files.iter().any(|file| media_type_matches(&file.media_type, required)));
        if !plain {
            return None;
        }
        let mut matched = RuleMatch { captures: Vec::new(), focus: scene.results.len().checked_sub(1) };
        if self.wants_result() {
            matched.focus = Some(self.result_index(scene, &mut matched.captures)?);
        }
        let texts = [(&self.user, &*scene.user), (&self.system, &*call.system), (&self.message_id, scene.user_id)];
        for (regex, text) in texts {
            if let Some(regex) = regex {
                match_and_capture(regex, text, &mut matched.captures).then_some(())?;
            }
        }
        if let Some(regex) = &self.earlier {
            scene
                .earlier
                .iter()
                .rev()
                .any(|message| match_and_capture(regex, message, &mut matched.captures))
                .then_some(())?;
        }
        if !self.metadata.is_empty() {
            self.metadata_holds(scene, &mut matched.captures).then_some(())?;
        }
        Some(matched)
    }

    fn result_index(&self, scene: &PlaybookInput<'_>, captures: &mut Vec<(String, String)>) -> Option<usize> {
        let fits = |outcome: &RuleToolResult<'_>, captures: &mut Vec<(String, String)>| {
            self.after_tool.as_deref().is_none_or(|tool| tool == "*" || tool == outcome.tool)
                && self.failed.is_none_or(|failed| failed == outcome.is_error)
                && self
                    .result
                    .as_ref()
                    .is_none_or(|regex| match_and_capture(regex, &outcome.output.to_plain_text(), captures))
        };
        scene.results.iter().rposition(|outcome| fits(outcome, captures))
    }

    fn metadata_holds(&self, scene: &PlaybookInput<'_>, captures: &mut Vec<(String, String)>) -> bool {
        let Some(Value::Object(metadata)) = scene.call.metadata.as_ref().map(baton_types::Json::to_value) else {
            return false;
        };
        self.metadata.iter().all(|(key, regex)| match metadata.get(key) {
            Some(Value::String(text)) => match_and_capture(regex, text, captures),
            Some(other) => match_and_capture(regex, &other.to_string(), captures),
            None => false,
        })
    }
}

/// Whether a MIME type equals the given one or matches its wildcard.
fn media_type_matches(media_type: &str, pattern: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    match pattern.strip_suffix("/*") {
        Some("*") => true,
        Some(kind) => essence.split_once('/').is_some_and(|(of, _)| of.eq_ignore_ascii_case(kind)),
        None => essence.eq_ignore_ascii_case(pattern),
    }
}

fn match_and_capture(regex: &Regex, text: &str, captures: &mut Vec<(String, String)>) -> bool {
    if regex.captures_len() == 1 {
        return regex.is_match(text);
    }
    let Some(found) = regex.captures(text) else { return false };
    for name in regex.capture_names().flatten() {
        if let Some(value) = found.name(name) {
            captures.push((name.to_owned(), value.as_str().to_owned()));
        }
    }
    true
}

impl FormatMatcher {
    fn from_output_format(format: &OutputFormat) -> Self {
        match format {
            OutputFormat::Text => Self::Text,
            OutputFormat::JsonObject => Self::JsonObject,
            OutputFormat::JsonSchema(_) => Self::JsonSchema,
        }
    }
}
