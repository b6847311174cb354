//! Base64 as peers write it: either alphabet, with or without padding.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

const TOLERANT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_encode_padding(true)
    .with_decode_allow_trailing_bits(true)
    .with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, TOLERANT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, TOLERANT);

/// The same bytes in the standard alphabet with padding, or `None` when the text is not base64.
pub(crate) fn to_standard(text: &str) -> Option<String> {
    let engine = if text.contains(['-', '_']) { URL_SAFE } else { STANDARD };
    Some(STANDARD.encode(engine.decode(text).ok()?))
}

#[cfg(test)]
mod tests {
    use super::to_standard;

    #[test]
    fn either_alphabet_is_read_and_the_standard_one_written() {
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
