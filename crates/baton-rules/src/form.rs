//! Whether JSON has the form that a schema asks for, and in words that a model can act on what is wrong.

use baton_types::{ErrorCode, Json, ToolCall};
use boon::{Compiler, ErrorKind, SchemaIndex, Schemas, UrlLoader, ValidationError};
use serde_json::Value;
use std::fmt;

/// Problems that are told at once; the rest shows when these are repaired.
const TOLD: usize = 5;

/// Characters of a given value, or of what is expected, that are told.
const SHOWN: usize = 120;

/// The name that a schema has for itself; references lead nowhere else.
const HERE: &str = "form:///schema";

/// A schema, ready to be compared with any number of values.
pub struct Form {
    schemas: Schemas,
    index: SchemaIndex,
}

/// Something that does not fit, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// JSON pointer; empty for the whole.
    pub path: String,
    /// What was expected, and what is there.
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

/// A schema that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the schema cannot be used: {0}")]
pub struct UnusableForm(pub String);

/// A schema that wants more than itself is none that could be judged by.
struct NoOther;

impl UrlLoader for NoOther {
    fn load(&self, url: &str) -> Result<Value, Box<dyn std::error::Error>> {
        Err(format!("'{url}' is elsewhere, and schemas are not fetched").into())
    }
}

impl Form {
    /// Reads a JSON Schema; 2020-12 unless it names another draft.
    pub fn of(schema: &Json) -> Result<Self, UnusableForm> {
        let unusable = |error: boon::CompileError| UnusableForm(brief(&error.to_string()));
        let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
        compiler.use_loader(Box::new(NoOther));
        compiler.add_resource(HERE, schema.to_value()).map_err(unusable)?;
        let index = compiler.compile(HERE, &mut schemas).map_err(unusable)?;
        Ok(Self { schemas, index })
    }

    /// What does not fit, the first few; nothing when all does.
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

/// Why a call does not run as it is, as its model reads it; nothing when its arguments fit.
pub fn wrong_arguments(form: Option<&Form>, call: &ToolCall) -> Option<String> {
    let code = ErrorCode::TOOL_ARGUMENTS.code;
    if !call.arguments.is_object() {
        let given = brief(call.arguments.as_str());
        return Some(format!("{code}: the arguments of '{}' are not a JSON object: {given}", call.name));
    }
    let misfits = form?.misfits(&call.arguments);
    let told = (!misfits.is_empty()).then(|| in_words(&misfits))?;
    Some(format!("{code}: the arguments of '{}' do not fit: {told}", call.name))
}

/// The JSON that an answer is: the whole of it, or of its first fenced block.
pub fn json_in(answer: &str) -> Option<Json> {
    let whole = Json::parse(answer.trim()).ok();
    whole.or_else(|| {
        let (_, fenced) = answer.split_once("```")?;
        let (_, inside) = fenced.split_once('\n')?;
        let (inside, _) = inside.split_once("```")?;
        Json::parse(inside.trim()).ok()
    })
}

/// The JSON that an answer is when it has this form; else what is wrong, as the model is told.
pub fn answer_in_form(form: &Form, answer: &str) -> Result<Json, String> {
    let Some(json) = json_in(answer) else { return Err("the answer is not JSON".to_owned()) };
    match form.misfits(&json).as_slice() {
        [] => Ok(json),
        misfits => Err(format!("the answer does not fit its schema: {}", in_words(misfits))),
    }
}

/// All of them in one line.
fn in_words(misfits: &[Misfit]) -> String {
    misfits.iter().map(Misfit::to_string).collect::<Vec<_>>().join("; ")
}

/// The innermost errors say what is wrong; those around them only that something is.
fn gather(error: &ValidationError<'_, '_>, whole: &Value, misfits: &mut Vec<Misfit>) {
    let chooses = matches!(error.kind, ErrorKind::AnyOf | ErrorKind::OneOf(None));
    if !error.causes.is_empty() && !chooses {
        error.causes.iter().for_each(|cause| gather(cause, whole, misfits));
        return;
    }
    let path = error.instance_location.to_string();
    let mut problem = brief(&error.kind.to_string());
    if chooses {
        // Of several ways to be right the first few are told, each by what it lacks.
        let mut ways = Vec::new();
        error.causes.iter().for_each(|cause| gather(cause, whole, &mut ways));
        ways.dedup();
        ways.truncate(TOLD);
        problem = format!("fits none of what is allowed ({})", in_words(&ways));
    } else if let Some(given) = whole.pointer(&path).filter(|_| shows_given(&error.kind)) {
        problem = format!("{problem}: {}", brief(&given.to_string()));
    }
    misfits.push(Misfit { path, problem });
}

/// Whether what is there helps and the sentence does not have it yet.
fn shows_given(kind: &ErrorKind<'_, '_>) -> bool {
    matches!(kind, ErrorKind::Type { .. } | ErrorKind::Enum { .. } | ErrorKind::Const { .. })
}

fn brief(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
