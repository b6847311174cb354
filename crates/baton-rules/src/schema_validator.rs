//! JSON Schema validation with error messages that a model can act on.

use crate::{
    error_codes,
    schema_budget::{is_bounded, unsupported_reference},
    schema_messages::{describe, truncate},
};
use baton_types::{Json, ToolCall};
use boon::{Compiler, ErrorKind, SchemaIndex, Schemas, UrlLoader, ValidationError};
use serde_json::Value;
use std::fmt;

/// Maximum number of reported errors; the rest is reported after these are fixed.
const MAX_REPORTED_ERRORS: usize = 5;

/// Internal URL of the schema; references to other URLs are not resolved.
const SCHEMA_URL: &str = "form:///schema";

/// A compiled JSON Schema.
pub struct SchemaValidator {
    schema: Value,
    schemas: Schemas,
    index: SchemaIndex,
}

/// One validation error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaViolation {
    /// JSON pointer; empty for the root.
    pub path: String,
    /// Expected and actual value.
    pub problem: String,
}

impl fmt::Display for SchemaViolation {
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
pub struct SchemaCompileError(pub String);

/// URL loader that rejects external references.
struct OfflineLoader;

impl UrlLoader for OfflineLoader {
    fn load(&self, url: &str) -> Result<Value, Box<dyn std::error::Error>> {
        Err(format!("'{url}' is an external reference, which is not supported").into())
    }
}

impl SchemaValidator {
    /// Compiles a JSON Schema; the default draft is 2020-12. References must have the form `#/...`.
    pub fn compile(schema: &Json) -> Result<Self, SchemaCompileError> {
        Self::compile_value(schema.to_value())
    }

    /// Compiles a parsed JSON Schema.
    pub fn compile_value(schema: Value) -> Result<Self, SchemaCompileError> {
        if let Some(reference) = unsupported_reference(&schema) {
            return Err(SchemaCompileError(truncate(&format!("{reference} is not supported"))));
        }
        let unusable = |error: boon::CompileError| SchemaCompileError(truncate(&error.to_string()));
        let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
        compiler.use_loader(Box::new(OfflineLoader));
        compiler.add_resource(SCHEMA_URL, schema.clone()).map_err(unusable)?;
        let index = compiler.compile(SCHEMA_URL, &mut schemas).map_err(unusable)?;
        Ok(Self { schema, schemas, index })
    }

    /// Whether the value is valid; the error lists the first few violations in one line.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        match self.value_violations(value).as_slice() {
            [] => Ok(()),
            violations => Err(join_violations(violations)),
        }
    }

    /// First few validation errors; empty if the value is valid.
    pub fn violations(&self, value: &Json) -> Vec<SchemaViolation> {
        self.value_violations(&value.to_value())
    }

    /// First few validation errors. A value that takes too many steps counts as valid, as every value does if the schema
    /// refers to itself for the same value.
    fn value_violations(&self, value: &Value) -> Vec<SchemaViolation> {
        if !is_bounded(&self.schema, value) {
            return Vec::new();
        }
        let Err(error) = self.schemas.validate(value, self.index) else { return Vec::new() };
        let mut violations = Vec::new();
        collect_violations(&error, value, &mut violations);
        violations.dedup();
        violations.truncate(MAX_REPORTED_ERRORS);
        violations
    }
}

/// Error message for the model if the arguments of a call are invalid.
pub fn argument_errors(form: Option<&SchemaValidator>, call: &ToolCall) -> Option<String> {
    let code = error_codes::TOOL_ARGUMENTS.code;
    if !call.arguments.is_object() {
        let arguments = truncate(call.arguments.as_str());
        return Some(format!("{code}: the arguments of '{}' are not a JSON object: {arguments}", call.name));
    }
    let problems = form?.check(&call.arguments.to_value()).err()?;
    Some(format!("{code}: the arguments of '{}' do not match the schema: {problems}", call.name))
}

/// JSON in an answer: the whole text, or its first fenced block.
pub fn extract_json(answer: &str) -> Option<Json> {
    let parsed = Json::parse(answer.trim()).ok();
    parsed.or_else(|| {
        let (_, fenced) = answer.split_once("```")?;
        let (_, inside) = fenced.split_once('\n')?;
        let (inside, _) = inside.split_once("```")?;
        Json::parse(inside.trim()).ok()
    })
}

/// Parses and validates an answer; the error is a message for the model.
pub fn parse_answer(form: &SchemaValidator, answer: &str) -> Result<Json, String> {
    let Some(json) = extract_json(answer) else { return Err("the answer is not JSON".to_owned()) };
    let checked = form.check(&json.to_value());
    checked.map(|()| json).map_err(|problems| format!("the answer does not match its schema: {problems}"))
}

/// Joins the errors in one line.
fn join_violations(violations: &[SchemaViolation]) -> String {
    violations.iter().map(SchemaViolation::to_string).collect::<Vec<_>>().join("; ")
}

/// Collects the innermost errors; the outer ones only repeat that validation failed.
fn collect_violations(error: &ValidationError<'_, '_>, instance: &Value, violations: &mut Vec<SchemaViolation>) {
    if is_rounding_error(&error.kind) {
        return;
    }
    let chooses = matches!(error.kind, ErrorKind::AnyOf | ErrorKind::OneOf(None));
    if !error.causes.is_empty() && !chooses {
        error.causes.iter().for_each(|cause| collect_violations(cause, instance, violations));
        return;
    }
    let path = error.instance_location.to_string();
    let problem = if chooses {
        // For alternatives, reports the first few with their errors.
        let mut alternatives = Vec::new();
        error.causes.iter().for_each(|cause| collect_violations(cause, instance, &mut alternatives));
        alternatives.dedup();
        alternatives.truncate(MAX_REPORTED_ERRORS);
        format!("matches none of the alternatives ({})", join_violations(&alternatives))
    } else {
        describe(&error.kind, instance.pointer(&path))
    };
    violations.push(SchemaViolation { path, problem });
}

/// Whether a number is a multiple apart from its binary representation, such as 0.3 of 0.1.
fn is_rounding_error(kind: &ErrorKind<'_, '_>) -> bool {
    let ErrorKind::MultipleOf { got, want } = kind else { return false };
    let quotient = got.as_f64().zip(want.as_f64()).map(|(number, step)| number / step);
    quotient.is_some_and(|quotient| (quotient - quotient.round()).abs() < 1e-9)
}
