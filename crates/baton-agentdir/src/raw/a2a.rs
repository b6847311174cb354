//! The key `a2a`: presentation of answers over A2A.

use baton_document::{DocumentNode, DocumentReader, Fields};
use baton_types::{A2aSettings, AnswerPlacement, TextDelivery};

/// Values of `a2a.answer`.
pub(crate) const ANSWER_PLACEMENT_KEYWORDS: [(&str, AnswerPlacement); 3] =
    [("artifact", AnswerPlacement::Artifact), ("status", AnswerPlacement::Status), ("both", AnswerPlacement::Both)];

/// Values of `a2a.stream_text`.
pub(crate) const TEXT_DELIVERY_KEYWORDS: [(&str, TextDelivery); 2] =
    [("whole", TextDelivery::Whole), ("chunks", TextDelivery::Chunks)];

/// Takes `answer` and `stream_text` from the fields of an agent's or a server's `a2a`.
pub fn read_a2a_settings(reader: &mut DocumentReader, fields: &mut Fields) -> A2aSettings {
    A2aSettings {
        answer: fields.take("answer").and_then(|node| reader.choice("answer", &node, &ANSWER_PLACEMENT_KEYWORDS)),
        stream_text: fields
            .take("stream_text")
            .and_then(|node| reader.choice("stream_text", &node, &TEXT_DELIVERY_KEYWORDS)),
    }
}

/// Reads `a2a` of an agent.
pub(super) fn read(reader: &mut DocumentReader, node: DocumentNode) -> A2aSettings {
    let Some(mut fields) = Fields::open(reader, "a2a", node) else { return A2aSettings::default() };
    let settings = read_a2a_settings(reader, &mut fields);
    fields.finish(reader);
    settings
}
