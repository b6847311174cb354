//! Written spans are read back unchanged in both encodings, and damaged input causes no panic.

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

/// Writing groups spans by resource and scope, so their order is not preserved.
fn sorted(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by_key(|span| (span.trace, span.id));
    spans
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn spans_round_trip_in_both_encodings(batch in batches()) {
        let wanted = sorted(batch);
        for encoding in [Encoding::Protobuf, Encoding::Json] {
            let body = write_export(&wanted, encoding);
            prop_assert_eq!(&sorted(read(encoding, &body)), &wanted);
        }
    }

    #[test]
    fn measurement_accepts_everything_that_decodes(batch in batches(), at in any::<prop::sample::Index>(), byte: u8) {
        let mut body = write_export(&batch, Encoding::Protobuf);
        if !body.is_empty() {
            let at = at.index(body.len());
            body[at] = byte;
        }
        let decoded = ExportTraceServiceRequest::decode(body.as_slice());
        let read = Export::measure(Encoding::Protobuf, &body).and_then(|export| export.decode());
        // Groups are not part of OTLP; the decoder skips them and the measurement rejects them.
        prop_assert!(decoded.is_ok() || read.is_err());
    }

    #[test]
    fn damaged_json_is_decoded_or_rejected(batch in batches(), at in any::<prop::sample::Index>(), byte: u8) {
        let mut body = write_export(&batch, Encoding::Json);
        let at = at.index(body.len());
        body[at] = byte;
        let _ = Export::measure(Encoding::Json, &body).and_then(|export| export.decode());
    }
}

#[test]
fn equal_resources_form_one_group_regardless_of_address() {
    let first = crate::generate::span();
    let mut second = first.clone();
    // Equal values at different addresses.
    second.resource = std::sync::Arc::new((*first.resource).clone());
    second.scope = std::sync::Arc::new((*first.scope).clone());
    let groups = baton_otlp::resource_spans(&[first, second]);
    assert_eq!((groups.len(), groups[0].scope_spans.len(), groups[0].scope_spans[0].spans.len()), (1, 1, 2));
}
