//! Cache of parsed JSON Schemas.

use baton_rules::{SchemaCompileError, SchemaValidator};
use baton_types::{Digest, Json};
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc};

/// Maximum cached schemas; the cache is cleared when full.
const MAX_CACHED_SCHEMAS: usize = 512;

/// Result of parsing a schema.
type SchemaParseResult = Result<Arc<SchemaValidator>, SchemaCompileError>;

/// Parsed schemas by digest of their text.
#[derive(Default)]
pub(crate) struct SchemaCache {
    entries: Mutex<HashMap<Digest, SchemaParseResult>>,
}

impl SchemaCache {
    pub(crate) fn get_or_parse(&self, schema: &Json) -> SchemaParseResult {
        let digest = Digest::compute(schema.as_str().as_bytes());
        if let Some(read) = self.entries.lock().get(&digest) {
            return read.clone();
        }
        let read = SchemaValidator::compile(schema).map(Arc::new);
        let mut entries = self.entries.lock();
        if entries.len() >= MAX_CACHED_SCHEMAS {
            entries.clear();
        }
        entries.insert(digest, read.clone());
        read
    }
}
