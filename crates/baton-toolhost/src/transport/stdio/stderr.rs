//! Logs the last lines of a program's standard error.

use crate::ServerLog;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Maximum length of a line; the rest is dropped.
const MAX_LINE: usize = 4 << 10;

/// Reads to the end, buffering one line at most.
pub(super) async fn log_lines(mut source: impl AsyncRead + Unpin, log: ServerLog) {
    let mut chunk = vec![0; 4 << 10];
    let mut line = Vec::new();
    while let Ok(count @ 1..) = source.read(&mut chunk).await {
        for byte in &chunk[..count] {
            match byte {
                b'\n' => {
                    log.push_line(&String::from_utf8_lossy(&line));
                    line.clear();
                }
                byte if line.len() < MAX_LINE => line.push(*byte),
                _ => {}
            }
        }
    }
    if !line.is_empty() {
        log.push_line(&String::from_utf8_lossy(&line));
    }
}
