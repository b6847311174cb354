//! JSON Schemas in the form that each kind of provider accepts; pure.

mod lower;
mod strict;

pub(crate) use lower::SchemaDialect;
pub(crate) use strict::strict;

use crate::ProviderKind;
use serde_json::{Value, json};

/// Schema of tool arguments: always an object, without unsupported keywords.
pub(crate) fn tool(kind: ProviderKind, schema: &Value) -> Value {
    let dialect = SchemaDialect::for_kind(kind);
    let mut lowered = lower::lower(schema, dialect);
    lower::flatten_root(&mut lowered);
    let Some(members) = lowered.as_object_mut() else {
        return json!({"type": "object", "properties": {}});
    };
    members.insert("type".to_owned(), json!("object"));
    members.entry("properties").or_insert_with(|| json!({}));
    lowered
}

/// Schema of an answer, without unsupported keywords.
pub(crate) fn answer(kind: ProviderKind, schema: &Value) -> Value {
    lower::lower(schema, SchemaDialect::for_kind(kind))
}

#[cfg(test)]
mod tests;
