//! Texts with `${...}` placeholders.

use super::{
    condition::RuleMatch,
    input::{PlaybookInput, RuleToolResult},
    rule::JsonTemplate,
};
use serde_json::Value;

/// A text split into literals and variables.
#[derive(Debug)]
pub(super) struct PlaybookTemplate {
    pieces: Vec<TemplatePiece>,
}

#[derive(Debug)]
enum TemplatePiece {
    Literal(String),
    Variable(TemplateVariable),
}

#[derive(Debug, PartialEq, Eq)]
enum TemplateVariable {
    Capture(String),
    Args(Vec<String>),
    Result,
    ResultAt(String),
    Results,
    User,
    Tools,
    Files,
    Agent,
    Turn,
    Attempt,
    Unique,
}

/// Value of a variable: text, or a JSON value that keeps its type when the variable is the whole template.
enum VariableValue {
    Text(String),
    Value(Value),
}

/// Errors in templates.
#[derive(Debug, thiserror::Error)]
pub(super) enum TemplateError {
    #[error("`${{` is not closed")]
    Open,
    #[error("unknown variable ${{{0}}}")]
    Unknown(String),
}

impl PlaybookTemplate {
    /// Parses a text; `captures` are the capture names of the rule's regexes.
    pub(super) fn parse(text: &str, captures: &[String]) -> Result<Self, TemplateError> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            if rest[..at].ends_with('$') {
                literal.push_str(&rest[..at - 1]);
                literal.push_str("${");
                rest = &rest[at + 2..];
                continue;
            }
            literal.push_str(&rest[..at]);
            let inner = &rest[at + 2..];
            let end = inner.find('}').ok_or(TemplateError::Open)?;
            if !literal.is_empty() {
                pieces.push(TemplatePiece::Literal(std::mem::take(&mut literal)));
            }
            pieces.push(TemplatePiece::Variable(TemplateVariable::parse(inner[..end].trim(), captures)?));
            rest = &inner[end + 1..];
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            pieces.push(TemplatePiece::Literal(literal));
        }
        Ok(Self { pieces })
    }

    /// Renders the template as text.
    pub(super) fn render_text(&self, scene: &PlaybookInput<'_>, matched: &RuleMatch) -> String {
        match self.pieces.as_slice() {
            [TemplatePiece::Literal(text)] => text.clone(),
            pieces => {
                let mut text = String::new();
                for piece in pieces {
                    match piece {
                        TemplatePiece::Literal(literal) => text.push_str(literal),
                        TemplatePiece::Variable(variable) => match variable.fill(scene, matched) {
                            VariableValue::Text(filled) | VariableValue::Value(Value::String(filled)) => {
                                text.push_str(&filled);
                            }
                            VariableValue::Value(value) => text.push_str(&value.to_string()),
                        },
                    }
                }
                text
            }
        }
    }

    /// A template of one variable keeps the type of its value; everything else is text.
    fn render_value(&self, scene: &PlaybookInput<'_>, matched: &RuleMatch) -> Value {
        if let [TemplatePiece::Variable(variable)] = self.pieces.as_slice()
            && let VariableValue::Value(value) = variable.fill(scene, matched)
        {
            return value;
        }
        Value::String(self.render_text(scene, matched))
    }
}

impl JsonTemplate {
    /// Renders the JSON with all templates filled in.
    pub(super) fn render_value(&self, scene: &PlaybookInput<'_>, matched: &RuleMatch) -> Value {
        match self {
            Self::Plain(value) => value.clone(),
            Self::Text(template) => template.render_value(scene, matched),
            Self::List(shapes) => shapes.iter().map(|shape| shape.render_value(scene, matched)).collect(),
            Self::Map(entries) => Value::Object(
                entries.iter().map(|(key, shape)| (key.clone(), shape.render_value(scene, matched))).collect(),
            ),
        }
    }
}

impl TemplateVariable {
    fn parse(name: &str, captures: &[String]) -> Result<Self, TemplateError> {
        if captures.iter().any(|capture| capture == name) {
            return Ok(Self::Capture(name.to_owned()));
        }
        Ok(match name {
            "result" => Self::Result,
            "results" => Self::Results,
            "user" => Self::User,
            "tools" => Self::Tools,
            "files" => Self::Files,
            "agent" => Self::Agent,
            "turn" => Self::Turn,
            "attempt" => Self::Attempt,
            "unique" => Self::Unique,
            "args" => Self::Args(Vec::new()),
            _ => match name.split_once('.') {
                Some(("args", path)) if !path.is_empty() => Self::Args(path.split('.').map(str::to_owned).collect()),
                Some(("result", pointer)) if pointer.starts_with('/') => Self::ResultAt(pointer.to_owned()),
                _ => return Err(TemplateError::Unknown(name.to_owned())),
            },
        })
    }

    fn fill(&self, scene: &PlaybookInput<'_>, matched: &RuleMatch) -> VariableValue {
        let focus = matched.focus.and_then(|index| scene.results.get(index));
        match self {
            Self::Capture(name) => {
                let found = matched.captures.iter().find(|(capture, _)| capture == name);
                VariableValue::Text(found.map(|(_, text)| text.clone()).unwrap_or_default())
            }
            Self::Args(path) => VariableValue::Value(args(focus, path)),
            Self::Result => {
                VariableValue::Value(focus.map_or(Value::Null, |outcome| outcome.output.to_value())).or_empty()
            }
            Self::ResultAt(pointer) => {
                VariableValue::Value(focus.map_or(Value::Null, |outcome| result_at(outcome, pointer)))
            }
            Self::Results => {
                let all: Vec<String> = scene.results.iter().map(|outcome| outcome.output.to_plain_text()).collect();
                VariableValue::Text(all.join("\n"))
            }
            Self::User => VariableValue::Text(scene.user.clone().into_owned()),
            Self::Tools => VariableValue::Text(scene.tool_names()),
            Self::Files => VariableValue::Text(scene.file_names()),
            Self::Agent => VariableValue::Text(scene.call.agent.as_str().to_owned()),
            Self::Turn => VariableValue::Value(scene.turn.into()),
            Self::Attempt => VariableValue::Value(scene.call.attempt.into()),
            Self::Unique => VariableValue::Text(format!("{:016x}", scene.unique)),
        }
    }
}

impl VariableValue {
    /// Without a result, `${result}` is empty rather than `null`.
    fn or_empty(self) -> Self {
        match self {
            Self::Value(Value::Null) => Self::Text(String::new()),
            other => other,
        }
    }
}

fn args(focus: Option<&RuleToolResult<'_>>, path: &[String]) -> Value {
    let all = focus.and_then(|outcome| outcome.call).map_or(Value::Null, |call| call.arguments.to_value());
    path.iter().try_fold(&all, |value, key| value.get(key)).cloned().unwrap_or(Value::Null)
}

/// Programs print JSON as text, so a pointer also applies to text that is valid JSON.
fn result_at(outcome: &RuleToolResult<'_>, pointer: &str) -> Value {
    let value = outcome.output.to_value();
    let value = match &value {
        Value::String(text) => serde_json::from_str(text).unwrap_or(value),
        _ => value,
    };
    value.pointer(pointer).cloned().unwrap_or(Value::Null)
}
