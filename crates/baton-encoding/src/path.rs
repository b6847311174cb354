//! Percent-encoding of path segments.

/// Percent-encodes every byte that would end or alter a path segment.
pub fn path_segment(text: &str) -> String {
    let mut segment = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            segment.push(char::from(byte));
        } else {
            segment.push('%');
            segment.push(char::from(b"0123456789ABCDEF"[usize::from(byte >> 4)]));
            segment.push(char::from(b"0123456789ABCDEF"[usize::from(byte & 15)]));
        }
    }
    segment
}
