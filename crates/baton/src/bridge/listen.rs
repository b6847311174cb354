//! Server-initiated messages of a session.

use super::pump::Bridge;
use baton_client::{McpContent, McpMessage, McpStream};
use baton_types::{Backoff, BackoffPolicy};
use std::{sync::Arc, time::Duration};

/// Reconnects of the stream.
const RECONNECTS: BackoffPolicy = BackoffPolicy::new(Duration::from_millis(250), Duration::from_secs(5));

/// Forwards server-initiated messages of the session with this number until the session ends.
pub(super) async fn listen(bridge: Arc<Bridge>, headers: Vec<(String, String)>, number: u64) {
    let (mut last, mut backoff) = (None::<String>, Backoff::new(RECONNECTS));
    loop {
        let mut all = headers.clone();
        all.extend(
            last.take().filter(|_| bridge.endpoint.is_same_server()).map(|last| ("Last-Event-ID".to_owned(), last)),
        );
        match bridge.endpoint.listen(&all).await {
            Ok(reply) => match reply.content {
                McpContent::Stream(stream) => {
                    backoff.reset();
                    last = forward_stream(&bridge, stream).await;
                }
                _ if reply.status == 404 => {
                    // The new session starts its own listener.
                    if let Err(error) = bridge.reopen_session(number).await {
                        bridge.screen.print_stderr(&format!("baton mcp: {}", error.message()));
                    }
                    return;
                }
                // The server offers no such stream.
                _ => return,
            },
            Err(error) => tracing::debug!(why = error.message(), "the session stream is unavailable"),
        }
        tokio::time::sleep(backoff.next_delay()).await;
    }
}

/// Forwards a stream to its end and returns the id of its last event.
async fn forward_stream(bridge: &Bridge, mut stream: McpStream) -> Option<String> {
    let mut last = None;
    while let Some(Ok(event)) = stream.next().await {
        last = event.id.or(last);
        if let Ok(message) = McpMessage::parse(&event.data) {
            bridge.output.write(message.text).await;
        }
    }
    last
}
