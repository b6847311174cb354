//! What is written is read again as the same spans, in both encodings; what others wrote brings nothing down.

use crate::generate::batches;
use baton_otlp::{Encoding, Export, proto::ExportTraceServiceRequest, write_export};
use baton_types::Span;
use proptest::prelude::*;
use prost::Message as _;

fn read(encoding: Encoding, body: &[u8]) -> Vec<Span> {
    let arrival = Export::measure(encoding, body).and_then(|export| export.decode()).expect("readable");
    assert_eq!(arrival.rejected, []);
    assert!(arrival.response().partial_success.is_none());
    arrival.spans
}

/// Spans are grouped by their origin on the way, so their order is not kept.
fn sorted(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by_key(|span| (span.trace, span.id));
    spans
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn spans_survive_the_way_through_either_encoding(batch in batches()) {
        let wanted = sorted(batch);
        for encoding in [Encoding::Protobuf, Encoding::Json] {
            let body = write_export(&wanted, encoding);
            prop_assert_eq!(&sorted(read(encoding, &body)), &wanted);
        }
    }

    #[test]
    fn weighing_takes_whatever_the_decoder_takes(batch in batches(), at in any::<prop::sample::Index>(), byte: u8) {
        let mut body = write_export(&batch, Encoding::Protobuf);
        if !body.is_empty() {
            let at = at.index(body.len());
            body[at] = byte;
        }
        let decoded = ExportTraceServiceRequest::decode(body.as_slice());
        let read = Export::measure(Encoding::Protobuf, &body).and_then(|export| export.decode());
        // Groups are no part of OTLP; the decoder skips them and the scale refuses them.
        prop_assert!(decoded.is_ok() || read.is_err());
    }

    #[test]
    fn damaged_json_is_read_or_refused(batch in batches(), at in any::<prop::sample::Index>(), byte: u8) {
        let mut body = write_export(&batch, Encoding::Json);
        let at = at.index(body.len());
        body[at] = byte;
        let _ = Export::measure(Encoding::Json, &body).and_then(|export| export.decode());
    }
}

#[test]
fn spans_of_one_origin_are_one_group_whoever_holds_it() {
    let first = crate::generate::span();
    let mut second = first.clone();
    // The same words, but not the same place in memory.
    second.resource = std::sync::Arc::new((*first.resource).clone());
    second.scope = std::sync::Arc::new((*first.scope).clone());
    let groups = baton_otlp::resource_spans(&[first, second]);
    assert_eq!((groups.len(), groups[0].scope_spans.len(), groups[0].scope_spans[0].spans.len()), (1, 1, 2));
}
