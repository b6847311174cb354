//! Messages of validation errors: the expectation and the actual value, for models and callers.

use boon::{ErrorKind, Type};
use serde_json::Value;

/// Maximum characters of a reported value or expectation.
const MAX_REPORTED_CHARS: usize = 120;

/// Describes the error of a value.
pub(crate) fn describe(kind: &ErrorKind<'_, '_>, actual: Option<&Value>) -> String {
    let expectation = match kind {
        ErrorKind::Required { want } => return format!("{} missing", subjects(want)),
        ErrorKind::AdditionalProperties { got } => return format!("{} unknown", subjects(got)),
        ErrorKind::FalseSchema => return "is not allowed".to_owned(),
        ErrorKind::DependentRequired { prop, missing } | ErrorKind::Dependency { prop, missing } => {
            return format!("{} missing; '{prop}' requires this", subjects(missing));
        }
        ErrorKind::UniqueItems { got: [first, second] } => {
            return format!("the items at {first} and {second} are equal");
        }
        ErrorKind::MinItems { want, got } => return format!("must have at least {}, not {got}", count(*want, "item")),
        ErrorKind::MaxItems { want, got } => return format!("must have at most {}, not {got}", count(*want, "item")),
        ErrorKind::MinProperties { want, got } => {
            return format!("must have at least {}, not {got}", count(*want, "member"));
        }
        ErrorKind::MaxProperties { want, got } => {
            return format!("must have at most {}, not {got}", count(*want, "member"));
        }
        ErrorKind::MinLength { want, got } => {
            return format!("must have at least {}, not {got}", count(*want, "character"));
        }
        ErrorKind::MaxLength { want, got } => {
            return format!("must have at most {}, not {got}", count(*want, "character"));
        }
        ErrorKind::Pattern { want, .. } => format!("must match the pattern '{want}'"),
        ErrorKind::Format { want, .. } => format!("must be a valid {want}"),
        ErrorKind::Type { want, .. } => {
            let types: Vec<_> = want.iter().map(type_phrase).collect();
            format!("must be {}", types.join(" or "))
        }
        ErrorKind::Enum { want } => {
            let values: Vec<_> = want.iter().map(Value::to_string).collect();
            format!("must be one of {}", values.join(", "))
        }
        ErrorKind::Const { want } => format!("must be {want}"),
        ErrorKind::Minimum { want, .. } => format!("must be at least {want}"),
        ErrorKind::Maximum { want, .. } => format!("must be at most {want}"),
        ErrorKind::ExclusiveMinimum { want, .. } => format!("must be greater than {want}"),
        ErrorKind::ExclusiveMaximum { want, .. } => format!("must be less than {want}"),
        ErrorKind::MultipleOf { want, .. } => format!("must be a multiple of {want}"),
        other => return truncate(&other.to_string()),
    };
    match actual {
        Some(actual) => format!("{}, not {}", truncate(&expectation), truncate(&actual.to_string())),
        None => truncate(&expectation),
    }
}

/// The names with their verb.
fn subjects(names: &[impl AsRef<str>]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("'{}'", name.as_ref())).collect();
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", truncate(&quoted.join(", ")))
}

fn count(number: usize, unit: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {unit}{plural}")
}

fn type_phrase(kind: Type) -> String {
    match kind {
        Type::Null => "null".to_owned(),
        Type::Array | Type::Object | Type::Integer => format!("an {kind}"),
        Type::Boolean | Type::Number | Type::String => format!("a {kind}"),
    }
}

/// The first characters of a text.
pub(crate) fn truncate(text: &str) -> String {
    match text.char_indices().nth(MAX_REPORTED_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
