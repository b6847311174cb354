//! Which of several spans with one id is kept.

use crate::codec;
use baton_ports::SpanStoreError;
use baton_types::SpanId;
use std::collections::HashMap;

/// Where a span of a trace lies: the number of its source, and its row there.
pub(super) type Lies = (u32, u32);

/// Which spans of one trace count: of those with one id the one that ended last, and of equals the first.
///
/// Whoever sends a span again may have had more to say: searching decides in the same way between blocks.
#[derive(Default)]
pub(super) struct Counting {
    by_id: HashMap<SpanId, (u64, Lies)>,
}

impl Counting {
    /// Begins another trace.
    pub(super) fn clear(&mut self) {
        self.by_id.clear();
    }

    /// Hears of a span, by its written form.
    pub(super) fn hear(&mut self, id: SpanId, body: &[u8], lies: Lies) -> Result<(), SpanStoreError> {
        let (_, end) = codec::read_times(body)?;
        let known = self.by_id.entry(id).or_insert((end, lies));
        if end > known.0 {
            *known = (end, lies);
        }
        Ok(())
    }

    /// Whether the span that lies there is the one to keep, once all were heard of.
    pub(super) fn counts(&self, id: SpanId, lies: Lies) -> bool {
        self.by_id.get(&id).is_some_and(|(_, kept)| *kept == lies)
    }
}
