//! Encodes values as bytes for hashing: equal bytes mean equal values.

use baton_types::SpanValue;

/// Appends a value; the encoding is prefix-free.
pub(super) fn write(value: Option<&SpanValue>, out: &mut Vec<u8>) {
    let Some(value) = value else { return out.push(0) };
    match value {
        SpanValue::Empty => out.push(1),
        SpanValue::Bool(value) => out.extend([2, u8::from(*value)]),
        SpanValue::Int(number) => {
            out.push(3);
            out.extend(number.to_le_bytes());
        }
        SpanValue::Float(number) => {
            out.push(4);
            out.extend(number.to_bits().to_le_bytes());
        }
        SpanValue::Text(text) => write_bytes(5, text.as_bytes(), out),
        SpanValue::Bytes(bytes) => write_bytes(6, bytes, out),
        SpanValue::List(values) => {
            write_count(7, values.len(), out);
            values.iter().for_each(|value| write(Some(value), out));
        }
        SpanValue::Map(values) => {
            write_count(8, values.len(), out);
            for (key, value) in values {
                write_bytes(5, key.as_bytes(), out);
                write(Some(value), out);
            }
        }
    }
}

fn write_bytes(kind: u8, bytes: &[u8], out: &mut Vec<u8>) {
    write_count(kind, bytes.len(), out);
    out.extend(bytes);
}

fn write_count(kind: u8, count: usize, out: &mut Vec<u8>) {
    out.push(kind);
    out.extend((count as u64).to_le_bytes());
}
