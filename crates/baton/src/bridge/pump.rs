//! Main loop of the bridge.

use super::{
    calls::BridgeCalls,
    endpoint::BridgeEndpoint,
    error,
    legacy::LegacySession,
    output::{InputLine, LineOutput},
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
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// Forwards messages between lines and an endpoint.
pub(crate) struct Bridge {
    pub(super) endpoint: BridgeEndpoint,
    pub(super) output: LineOutput,
    pub(super) screen: Screen,
    pub(super) calls: BridgeCalls,
    pub(super) legacy: tokio::sync::Mutex<LegacySession>,
    pub(super) shutdown: CancellationToken,
    headers: Mutex<ToolHeaders>,
}

impl Bridge {
    pub(crate) fn new(reach: BridgeEndpoint, output: LineOutput, screen: Screen) -> Arc<Self> {
        Arc::new(Self {
            endpoint: reach,
            output,
            screen,
            calls: BridgeCalls::default(),
            legacy: tokio::sync::Mutex::default(),
            shutdown: CancellationToken::new(),
            headers: Mutex::default(),
        })
    }

    /// Forwards lines until EOF, then waits for the last answers.
    pub(crate) async fn run(self: Arc<Self>, mut lines: mpsc::Receiver<InputLine>) {
        while let Some(line) = lines.recv().await {
            match line {
                InputLine::Text(text) => match McpMessage::parse(&text) {
                    Ok(message) => self.dispatch(message).await,
                    Err(problem) => self.reject(&problem.to_string(), error::parse_error_answer(&problem)).await,
                },
                InputLine::Unusable(reason) => self.reject(reason, error::unusable_line_answer(reason)).await,
            }
        }
        let _ = tokio::time::timeout(DRAIN_TIMEOUT, self.calls.wait_until_empty()).await;
        self.end().await;
    }

    /// Cancels all requests in flight and ends the session.
    pub(crate) async fn end(&self) {
        self.calls.cancel_all();
        self.shutdown.cancel();
        self.end_session().await;
    }

    async fn dispatch(self: &Arc<Self>, message: McpMessage) {
        match (message.kind, message.cancels.clone()) {
            (McpKind::Request, _) => self.begin(message).await,
            (McpKind::Notification, Some(request)) => self.cancel_request(&request, message).await,
            (McpKind::Notification | McpKind::Response, _) => self.notify(&message).await,
        }
    }

    async fn begin(self: &Arc<Self>, request: McpMessage) {
        let id = request.id.clone().unwrap_or_default();
        let sessionless = request.version.is_some();
        match self.calls.begin(&id, sessionless) {
            // Later messages belong to the session that it opens, so they wait for it.
            Ok(flight) if request.is_request("initialize") => Arc::clone(self).request(request, flight).await,
            Ok(flight) => drop(tokio::spawn(Arc::clone(self).request(request, flight))),
            Err(reason) => self.reject(reason, error::rejection_answer(&id, reason)).await,
        }
    }

    async fn reject(&self, reason: &str, answer: String) {
        self.screen.print_stderr(&format!("baton mcp: a line was rejected: {reason}"));
        self.output.write(answer).await;
    }

    /// Records header annotations of a tool list.
    pub(super) fn learn_headers(&self, answer: &str) {
        self.headers.lock().unwrap_or_else(PoisonError::into_inner).learn(answer);
    }

    /// Headers for a message that names its protocol version.
    pub(super) fn sessionless_headers(&self, message: &McpMessage) -> Vec<(String, String)> {
        self.headers.lock().unwrap_or_else(PoisonError::into_inner).for_message(message)
    }
}
