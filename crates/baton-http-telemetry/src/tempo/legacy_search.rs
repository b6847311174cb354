//! Search parameters from before TraceQL: `tags` in logfmt, `minDuration` and `maxDuration`.

use super::{params::TempoParams, refusal::TempoRejection, time_params::parse_duration_literal};
use baton_traceql::{
    AttributeRef, AttributeScope, BinaryOp, CompareOp, Field, FieldExpr, Intrinsic, Literal, PipelineExpr,
    PipelineStage, Query, Root, SpansetExpr,
};

/// Maximum pairs in `tags`: their expression tree is walked recursively.
const MAX_TAG_PAIRS: usize = 128;

/// Equivalent TraceQL query; without any of the parameters, it matches every trace.
pub(super) fn query(params: &TempoParams) -> Result<Query, TempoRejection> {
    let tags = params.text("tags").unwrap_or_default();
    let mut conditions = Vec::new();
    for (key, value) in logfmt(tags).map_err(|reason| TempoRejection::bad_request(format!("invalid tags: {reason}")))? {
        conditions.push(tag(&key, value)?);
    }
    for (name, op) in [("minDuration", CompareOp::GreaterEqual), ("maxDuration", CompareOp::LessEqual)] {
        if let Some(text) = params.text(name) {
            let duration = parse_duration_literal(text).ok_or_else(|| {
                TempoRejection::bad_request(format!("invalid {name}: '{text}' is not a duration such as 100ms or 1.5s"))
            })?;
            let field = Field::Intrinsic(Intrinsic::TraceDuration);
            conditions.push(compare(field, op, Literal::Duration(duration)));
        }
    }
    let filter = conditions.into_iter().reduce(|left, right| both(BinaryOp::And, left, right));
    let stages = vec![PipelineStage::Spansets(SpansetExpr::Filter(filter))];
    Ok(Query { root: Root::Search(PipelineExpr::Pipeline(stages)), hints: Vec::new() })
}

/// Values are text in this format but may mean numbers or booleans, so both are compared.
fn tag(key: &str, value: String) -> Result<FieldExpr, TempoRejection> {
    let intrinsic = match key {
        "name" => Some(Intrinsic::Name),
        "root.name" => Some(Intrinsic::RootName),
        "root.service.name" => Some(Intrinsic::RootService),
        "status.code" | "status" => return status(&value),
        _ => None,
    };
    if let Some(intrinsic) = intrinsic {
        return Ok(compare(Field::Intrinsic(intrinsic), CompareOp::Equal, Literal::Text(value)));
    }
    let literal = match value.as_str() {
        "true" => Some(Literal::Bool(true)),
        "false" => Some(Literal::Bool(false)),
        number => number.parse().ok().map(Literal::Int),
    };
    let field = Field::Attribute(AttributeRef { scope: AttributeScope::Any, of_parent: false, name: key.to_owned() });
    let text = compare(field.clone(), CompareOp::Equal, Literal::Text(value));
    Ok(match literal {
        Some(literal) => both(BinaryOp::Or, text, compare(field, CompareOp::Equal, literal)),
        None => text,
    })
}

fn status(value: &str) -> Result<FieldExpr, TempoRejection> {
    use baton_types::SpanStatus::{Error, Ok as Well, Unset};
    let status = match value {
        "ok" => Well,
        "error" => Error,
        "unset" => Unset,
        _ => return Err(TempoRejection::bad_request("invalid tags: status.code must be ok, error or unset")),
    };
    Ok(compare(Field::Intrinsic(Intrinsic::Status), CompareOp::Equal, Literal::Status(status)))
}

fn compare(field: Field, op: CompareOp, value: Literal) -> FieldExpr {
    both(BinaryOp::Compare(op), FieldExpr::Field(field), FieldExpr::Literal(value))
}

fn both(op: BinaryOp, left: FieldExpr, right: FieldExpr) -> FieldExpr {
    FieldExpr::Binary { op, left: Box::new(left), right: Box::new(right) }
}

/// Parses space-separated pairs of `key=value` and `key="value with \"quotes\""`.
fn logfmt(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut pairs = Vec::new();
    let mut characters = text.chars().peekable();
    loop {
        while characters.next_if(|character| character.is_whitespace()).is_some() {}
        if characters.peek().is_none() {
            return Ok(pairs);
        }
        if pairs.len() == MAX_TAG_PAIRS {
            return Err(format!("there are more than {MAX_TAG_PAIRS} pairs"));
        }
        let mut key = String::new();
        while let Some(character) = characters.next_if(|character| *character != '=' && !character.is_whitespace()) {
            key.push(character);
        }
        if key.is_empty() || characters.next_if_eq(&'=').is_none() {
            return Err(format!("'{key}' needs a key, '=' and a value"));
        }
        let mut value = String::new();
        if characters.next_if_eq(&'"').is_some() {
            loop {
                match characters.next() {
                    Some('"') => break,
                    Some('\\') => value.extend(characters.next()),
                    Some(character) => value.push(character),
                    None => return Err(format!("the quotes of '{key}' are not closed")),
                }
            }
        } else {
            while let Some(character) = characters.next_if(|character| !character.is_whitespace()) {
                value.push(character);
            }
        }
        pairs.push((key, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs() {
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        for (text, expect) in [
            ("", Ok(vec![])),
            ("  a=1  b=", Ok(vec![pair("a", "1"), pair("b", "")])),
            (r#"service.name="a \"b\" \\ c" x=y"#, Ok(vec![pair("service.name", r#"a "b" \ c"#), pair("x", "y")])),
            ("a=b=c", Ok(vec![pair("a", "b=c")])),
            ("a", Err("'a' needs a key, '=' and a value")),
            ("=b", Err("'' needs a key, '=' and a value")),
            ("a=\"b", Err("the quotes of 'a' are not closed")),
        ] {
            assert_eq!(logfmt(text), expect.map_err(str::to_owned), "{text}");
        }
    }
}
