//! Lenient base64: either alphabet, with or without padding.

use ::base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

const LENIENT_CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_encode_padding(true)
    .with_decode_allow_trailing_bits(true)
    .with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT_CONFIG);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT_CONFIG);
const STRICT_CONFIG: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::RequireCanonical);
const STRICT_STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, STRICT_CONFIG);
const STRICT_URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, STRICT_CONFIG);

/// Re-encodes the bytes in the standard alphabet with padding; `None` if the text is not base64.
pub fn to_standard(text: &str) -> Option<String> {
    let engine = if text.contains(['-', '_']) { URL_SAFE } else { STANDARD };
    Some(STANDARD.encode(engine.decode(text).ok()?))
}

/// Base64 of the text itself, for peers that encode base64 twice. The inner text is padded, because receivers detect it
/// by its padding.
pub fn encode_twice(text: &str) -> String {
    if text.len().is_multiple_of(4) {
        return STANDARD.encode(text);
    }
    STANDARD.encode(to_standard(text).as_deref().unwrap_or(text))
}

/// The inner base64 of text that was encoded twice; `None` if it was encoded once.
///
/// Content that is itself well-formed base64 is indistinguishable and counts as encoded twice.
pub fn decode_twice_encoded(text: &str) -> Option<String> {
    let engine = if text.contains(['-', '_']) { URL_SAFE } else { STANDARD };
    let inner = String::from_utf8(engine.decode(text).ok()?).ok()?;
    let engine = if inner.contains(['-', '_']) { STRICT_URL_SAFE } else { STRICT_STANDARD };
    Some(STANDARD.encode(engine.decode(&inner).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn double_encoded_data_is_decoded_once() {
        for (input, expect) in [
            ("", Some("")),
            ("YUdrPQ==", Some("aGk=")),
            ("LV84PQ", Some("+/8=")),
            ("aGk=", None),
            ("+/8=", None),
            ("a b", None),
        ] {
            assert_eq!(decode_twice_encoded(input).as_deref(), expect, "{input}");
        }
        for raw in ["+/8=", "-_8=", "-_8"] {
            assert_eq!(decode_twice_encoded(&encode_twice(raw)).as_deref(), Some("+/8="), "{raw}");
        }
    }

    #[test]
    fn both_alphabets_are_decoded_and_the_standard_one_is_written() {
        for (input, expect) in [
            ("", Some("")),
            ("aGk=", Some("aGk=")),
            ("aGk", Some("aGk=")),
            ("-_8", Some("+/8=")),
            ("+/8=", Some("+/8=")),
            ("a b", None),
            ("+-", None),
        ] {
            assert_eq!(to_standard(input).as_deref(), expect, "{input}");
        }
    }
}
