//! Expands call arguments in a command line: `${name}` becomes text within one argument, never several arguments.

use serde_json::{Map, Value};

/// Reason why a command line cannot be built from a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgvError {
    /// `${` is not closed, or encloses an invalid name.
    #[error("a `${{` in the command is not closed or encloses no valid name")]
    Malformed,
    /// The call lacks an argument that the command uses.
    #[error("the argument '{0}' is missing")]
    Missing(String),
    /// The value contains a NUL character, which a program argument cannot hold.
    #[error("the argument '{0}' contains a NUL character")]
    Nul(String),
}

enum ArgvSegment<'a> {
    Literal(&'a str),
    Name(&'a str),
}

/// The arguments with every `${name}` replaced: strings verbatim, other values as JSON.
pub fn expand(argv: &[String], arguments: &Map<String, Value>) -> Result<Vec<String>, ArgvError> {
    argv.iter()
        .map(|template| {
            let mut text = String::with_capacity(template.len());
            for piece in split_segments(template)? {
                match piece {
                    ArgvSegment::Literal(literal) => text.push_str(literal),
                    ArgvSegment::Name(name) => match arguments.get(name) {
                        Some(Value::String(value)) if value.contains('\0') => {
                            return Err(ArgvError::Nul(name.to_owned()));
                        }
                        Some(Value::String(value)) => text.push_str(value),
                        Some(Value::Null) | None => return Err(ArgvError::Missing(name.to_owned())),
                        Some(other) => text.push_str(&other.to_string()),
                    },
                }
            }
            Ok(text)
        })
        .collect()
}

/// Names of the arguments that a template uses.
pub(crate) fn argument_names(template: &str) -> Result<Vec<&str>, ArgvError> {
    let names = split_segments(template)?.into_iter().filter_map(|piece| match piece {
        ArgvSegment::Name(name) => Some(name),
        ArgvSegment::Literal(_) => None,
    });
    Ok(names.collect())
}

fn split_segments(template: &str) -> Result<Vec<ArgvSegment<'_>>, ArgvError> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find("${") {
        if rest[..at].ends_with('$') {
            pieces.push(ArgvSegment::Literal(&rest[..at - 1]));
            pieces.push(ArgvSegment::Literal("${"));
            rest = &rest[at + 2..];
            continue;
        }
        pieces.push(ArgvSegment::Literal(&rest[..at]));
        let inner = &rest[at + 2..];
        let end = inner.find('}').ok_or(ArgvError::Malformed)?;
        let name = &inner[..end];
        let allowed = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        if name.is_empty() || !name.chars().all(allowed) {
            return Err(ArgvError::Malformed);
        }
        pieces.push(ArgvSegment::Name(name));
        rest = &inner[end + 1..];
    }
    pieces.push(ArgvSegment::Literal(rest));
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_stay_in_their_place() {
        let arguments = serde_json::json!({"city": "San José; rm -rf '/'", "n": 3, "list": [1, "a"], "nul": "a\0b"});
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        for (template, expect) in [
            ("${city}", Ok("San José; rm -rf '/'")),
            ("--n=${n},${n}", Ok("--n=3,3")),
            ("${list}", Ok("[1,\"a\"]")),
            ("$${city} $5 {x}", Ok("${city} $5 {x}")),
            ("${other}", Err(ArgvError::Missing("other".to_owned()))),
            ("${nul}", Err(ArgvError::Nul("nul".to_owned()))),
            ("${", Err(ArgvError::Malformed)),
            ("${a b}", Err(ArgvError::Malformed)),
        ] {
            let argv = [template.to_owned()];
            assert_eq!(expand(&argv, &arguments), expect.map(|text| vec![text.to_owned()]), "{template}");
        }
    }
}
