//! Exporter inputs: protobuf and JSON to spans, and back.

use baton_otlp::{Encoding, Export, write_export};

/// Reads an input: the first byte selects the encoding.
pub(crate) fn read(input: &[u8]) {
    let Some((first, body)) = input.split_first() else { return };
    let encoding = if first & 1 == 0 { Encoding::Protobuf } else { Encoding::Json };
    let Ok(export) = Export::measure(encoding, body) else { return };
    let Ok(decoded) = export.decode() else { return };
    let _ = decoded.write_response(encoding);
    for encoding in [Encoding::Protobuf, Encoding::Json] {
        let written = write_export(&decoded.spans, encoding);
        let again = Export::measure(encoding, &written).and_then(|export| export.decode());
        let again = match again {
            Ok(again) => again,
            // JSON uses three levels for a nested list, and its parser has a lower depth limit than protobuf's.
            Err(error) if error.to_string().contains("recursion limit") => continue,
            Err(error) => panic!("the written export cannot be decoded: {error}"),
        };
        assert_eq!((again.spans.len(), again.rejected), (decoded.spans.len(), Vec::new()));
        // Groups may have been merged; NaN values are not equal to themselves.
        assert_eq!(write_export(&again.spans, encoding), written);
    }
}
