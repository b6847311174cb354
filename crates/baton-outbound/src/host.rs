//! Normal form of host names.

/// Maximum length of a DNS name.
const MAX_NAME: usize = 253;
/// Maximum length of a DNS label.
const MAX_LABEL: usize = 63;

/// The name in lower case without the trailing dot, or `None` if it is not a plain host name.
///
/// Names that end in a number are rejected: some resolvers read `127.1` and `0x7f000001` as addresses.
pub(crate) fn normal_name(text: &str) -> Option<String> {
    let text = text.strip_suffix('.').unwrap_or(text);
    let fits = !text.is_empty() && text.len() <= MAX_NAME && text.split('.').all(is_label);
    let last = text.rsplit('.').next().unwrap_or_default();
    (fits && !is_number(last)).then(|| text.to_ascii_lowercase())
}

fn is_label(label: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    !label.is_empty() && label.len() <= MAX_LABEL && label.bytes().all(known)
}

fn is_number(label: &str) -> bool {
    let hex = label.strip_prefix("0x").or_else(|| label.strip_prefix("0X"));
    label.bytes().all(|byte| byte.is_ascii_digit())
        || hex.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
