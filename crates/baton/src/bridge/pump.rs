//! Main loop of the bridge.

use super::{
    calls::Calls,
    legacy::Legacy,
    output::{Line, Output},
    reach::Reach,
    trouble,
};
use crate::screen::Screen;
use baton_client::{McpKind, McpMessage, ToolHeaders};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Drain timeout for answers after the client has closed stdin. Clients that close stdin to stop a server wait two
/// seconds.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// Forwards messages between lines and an endpoint.
pub(crate) struct Bridge {
    pub(super) reach: Reach,
    pub(super) output: Output,
    pub(super) screen: Screen,
    pub(super) calls: Calls,
    pub(super) legacy: tokio::sync::Mutex<Legacy>,
    pub(super) over: CancellationToken,
    headers: Mutex<ToolHeaders>,
}

impl Bridge {
    pub(crate) fn new(reach: Reach, output: Output, screen: Screen) -> Arc<Self> {
        Arc::new(Self {
            reach,
            output,
            screen,
            calls: Calls::default(),
            legacy: tokio::sync::Mutex::default(),
            over: CancellationToken::new(),
            headers: Mutex::default(),
        })
    }

    /// Forwards lines until EOF, then waits for the last answers.
    pub(crate) async fn run(self: Arc<Self>, mut lines: mpsc::Receiver<Line>) {
        while let Some(line) = lines.recv().await {
            match line {
                Line::Text(text) => match McpMessage::parse(&text) {
                    Ok(message) => self.take(message).await,
                    Err(problem) => self.not_taken(&problem.to_string(), trouble::unreadable(&problem)).await,
                },
                Line::Unusable(why) => self.not_taken(why, trouble::unusable(why)).await,
            }
        }
        let _ = tokio::time::timeout(LAST_ANSWERS, self.calls.none_left()).await;
        self.end().await;
    }

    /// Cancels all requests in flight and ends the session.
    pub(crate) async fn end(&self) {
        self.calls.call_all_off();
        self.over.cancel();
        self.take_leave().await;
    }

    async fn take(self: &Arc<Self>, message: McpMessage) {
        match (message.kind, message.calls_off.clone()) {
            (McpKind::Request, _) => self.begin(message).await,
            (McpKind::Notification, Some(request)) => self.call_off(&request, message).await,
            (McpKind::Notification | McpKind::Response, _) => self.tell(&message).await,
        }
    }

    async fn begin(self: &Arc<Self>, request: McpMessage) {
        let id = request.id.clone().unwrap_or_default();
        let sessionless = request.version.is_some();
        match self.calls.begin(&id, sessionless) {
            // Later messages belong to the session that it opens, so they wait for it.
            Ok(flight) if request.asks("initialize") => Arc::clone(self).request(request, flight).await,
            Ok(flight) => drop(tokio::spawn(Arc::clone(self).request(request, flight))),
            Err(why) => self.not_taken(why, trouble::not_taken(&id, why)).await,
        }
    }

    async fn not_taken(&self, why: &str, answer: String) {
        self.screen.print_stderr(&format!("baton mcp: a line was rejected: {why}"));
        self.output.write(answer).await;
    }

    /// Records header annotations of a tool list.
    pub(super) fn learn(&self, answer: &str) {
        self.headers.lock().unwrap_or_else(PoisonError::into_inner).learn(answer);
    }

    /// Headers for a message that names its protocol version.
    pub(super) fn sessionless_headers(&self, message: &McpMessage) -> Vec<(String, String)> {
        self.headers.lock().unwrap_or_else(PoisonError::into_inner).of(message)
    }
}
