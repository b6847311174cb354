//! JSON Schemas in the form that each protocol accepts; pure.

mod lower;
mod strict;

pub(crate) use lower::SchemaDialect;
pub(crate) use strict::strict;

use serde_json::{Value, json};

/// Schema of tool arguments: always an object, without unsupported keywords.
pub(crate) fn tool(dialect: SchemaDialect, schema: &Value) -> Value {
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
pub(crate) fn answer(dialect: SchemaDialect, schema: &Value) -> Value {
    lower::lower(schema, dialect)
}

#[cfg(test)]
mod tests;
