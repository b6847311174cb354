//! JSON Schema validation with error messages that a model can act on.

use baton_types::{ErrorCode, Json, ToolCall};
use boon::{Compiler, ErrorKind, SchemaIndex, Schemas, UrlLoader, ValidationError};
use serde_json::Value;
use std::fmt;

/// Maximum number of reported errors; the rest is reported after these are fixed.
const TOLD: usize = 5;

/// Maximum characters of a reported value or expectation.
const SHOWN: usize = 120;

/// Internal URL of the schema; references to other URLs are not resolved.
const HERE: &str = "form:///schema";

/// A compiled JSON Schema.
pub struct Form {
    schemas: Schemas,
    index: SchemaIndex,
}

/// One validation error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// JSON pointer; empty for the root.
    pub path: String,
    /// Expected and actual value.
    pub problem: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => write!(out, "{}", self.problem),
            path => write!(out, "at '{path}': {}", self.problem),
        }
    }
}

/// Error for an unusable schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the schema cannot be used: {0}")]
pub struct UnusableForm(pub String);

/// URL loader that rejects external references.
struct NoOther;

impl UrlLoader for NoOther {
    fn load(&self, url: &str) -> Result<Value, Box<dyn std::error::Error>> {
        Err(format!("'{url}' is an external reference, which is not supported").into())
    }
}

impl Form {
    /// Compiles a JSON Schema; the default draft is 2020-12.
    pub fn of(schema: &Json) -> Result<Self, UnusableForm> {
        let unusable = |error: boon::CompileError| UnusableForm(brief(&error.to_string()));
        let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
        compiler.use_loader(Box::new(NoOther));
        compiler.add_resource(HERE, schema.to_value()).map_err(unusable)?;
        let index = compiler.compile(HERE, &mut schemas).map_err(unusable)?;
        Ok(Self { schemas, index })
    }

    /// First few validation errors; empty if the value is valid.
    pub fn misfits(&self, value: &Json) -> Vec<Misfit> {
        let value = value.to_value();
        let Err(error) = self.schemas.validate(&value, self.index) else { return Vec::new() };
        let mut misfits = Vec::new();
        gather(&error, &value, &mut misfits);
        misfits.dedup();
        misfits.truncate(TOLD);
        misfits
    }
}

/// Error message for the model if the arguments of a call are invalid.
pub fn wrong_arguments(form: Option<&Form>, call: &ToolCall) -> Option<String> {
    let code = ErrorCode::TOOL_ARGUMENTS.code;
    if !call.arguments.is_object() {
        let given = brief(call.arguments.as_str());
        return Some(format!("{code}: the arguments of '{}' are not a JSON object: {given}", call.name));
    }
    let misfits = form?.misfits(&call.arguments);
    let told = (!misfits.is_empty()).then(|| in_words(&misfits))?;
    Some(format!("{code}: the arguments of '{}' do not match the schema: {told}", call.name))
}

/// JSON in an answer: the whole text, or its first fenced block.
pub fn json_in(answer: &str) -> Option<Json> {
    let whole = Json::parse(answer.trim()).ok();
    whole.or_else(|| {
        let (_, fenced) = answer.split_once("```")?;
        let (_, inside) = fenced.split_once('\n')?;
        let (inside, _) = inside.split_once("```")?;
        Json::parse(inside.trim()).ok()
    })
}

/// Parses and validates an answer; the error is a message for the model.
pub fn answer_in_form(form: &Form, answer: &str) -> Result<Json, String> {
    let Some(json) = json_in(answer) else { return Err("the answer is not JSON".to_owned()) };
    match form.misfits(&json).as_slice() {
        [] => Ok(json),
        misfits => Err(format!("the answer does not match its schema: {}", in_words(misfits))),
    }
}

/// Joins the errors in one line.
fn in_words(misfits: &[Misfit]) -> String {
    misfits.iter().map(Misfit::to_string).collect::<Vec<_>>().join("; ")
}

/// Collects the innermost errors; the outer ones only repeat that validation failed.
fn gather(error: &ValidationError<'_, '_>, whole: &Value, misfits: &mut Vec<Misfit>) {
    let chooses = matches!(error.kind, ErrorKind::AnyOf | ErrorKind::OneOf(None));
    if !error.causes.is_empty() && !chooses {
        error.causes.iter().for_each(|cause| gather(cause, whole, misfits));
        return;
    }
    let path = error.instance_location.to_string();
    let mut problem = brief(&error.kind.to_string());
    if chooses {
        // For alternatives, reports the first few with their errors.
        let mut ways = Vec::new();
        error.causes.iter().for_each(|cause| gather(cause, whole, &mut ways));
        ways.dedup();
        ways.truncate(TOLD);
        problem = format!("matches none of the alternatives ({})", in_words(&ways));
    } else if let Some(given) = whole.pointer(&path).filter(|_| shows_given(&error.kind)) {
        problem = format!("{problem}: {}", brief(&given.to_string()));
    }
    misfits.push(Misfit { path, problem });
}

/// Whether the actual value helps and the message does not contain it yet.
fn shows_given(kind: &ErrorKind<'_, '_>) -> bool {
    matches!(kind, ErrorKind::Type { .. } | ErrorKind::Enum { .. } | ErrorKind::Const { .. })
}

fn brief(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
