//! Cache of parsed JSON Schemas.

use baton_rules::{Form, UnusableForm};
use baton_types::{Digest, Json};
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc};

/// Maximum cached schemas; the cache is cleared when full.
const KNOWN: usize = 512;

/// Result of parsing a schema.
type Read = Result<Arc<Form>, UnusableForm>;

/// Parsed schemas by digest of their text.
#[derive(Default)]
pub(crate) struct Forms {
    known: Mutex<HashMap<Digest, Read>>,
}

impl Forms {
    pub(crate) fn of(&self, schema: &Json) -> Read {
        let digest = Digest::of(schema.as_str().as_bytes());
        if let Some(read) = self.known.lock().get(&digest) {
            return read.clone();
        }
        let read = Form::of(schema).map(Arc::new);
        let mut known = self.known.lock();
        if known.len() >= KNOWN {
            known.clear();
        }
        known.insert(digest, read.clone());
        read
    }
}
