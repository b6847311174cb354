//! Reads program output with bounded memory.

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// The retained part of an output.
#[derive(Debug, Default)]
pub(super) struct CapturedOutput {
    pub(super) bytes: Vec<u8>,
    /// Total number of bytes read.
    pub(super) total: usize,
}

/// Retains the first `limit` bytes and discards the rest, so that the program does not block.
pub(super) async fn capture_head(source: Option<impl AsyncRead + Unpin>, limit: usize, output: &mut CapturedOutput) {
    pump(source, output, |bytes, chunk| bytes.extend_from_slice(&chunk[..chunk.len().min(limit - bytes.len())])).await;
}

/// Retains the last `limit` bytes.
pub(super) async fn capture_tail(source: Option<impl AsyncRead + Unpin>, limit: usize, output: &mut CapturedOutput) {
    pump(source, output, |bytes, chunk| {
        bytes.extend_from_slice(chunk);
        bytes.drain(..bytes.len().saturating_sub(limit));
    })
    .await;
}

async fn pump(source: Option<impl AsyncRead + Unpin>, output: &mut CapturedOutput, keep: impl Fn(&mut Vec<u8>, &[u8])) {
    let Some(mut source) = source else { return };
    let mut chunk = vec![0; 8 << 10];
    while let Ok(count @ 1..) = source.read(&mut chunk).await {
        output.total = output.total.saturating_add(count);
        keep(&mut output.bytes, &chunk[..count]);
    }
}

impl CapturedOutput {
    /// Whether the output was truncated.
    pub(super) fn is_cut(&self) -> bool {
        self.total > self.bytes.len()
    }

    /// The text without its final line break and without a character split by the truncation.
    pub(super) fn text(&self) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        let text = if self.is_cut() { text.trim_matches(char::REPLACEMENT_CHARACTER) } else { &text };
        text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text)).to_owned()
    }
}
