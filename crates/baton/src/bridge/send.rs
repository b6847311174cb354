//! Sends one message of the client to the endpoint.

use super::{calls::BridgeCall, error::BridgeError, pump::Bridge};
use baton_client::{McpContent, McpMessage};
use std::{sync::Arc, time::Duration};

const NOT_FOUND_STATUS: u16 = 404;
/// Timeout of messages without an answer.
const NOTIFICATION_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum wait for the server to receive a request before it is cancelled.
const RECEIPT_TIMEOUT: Duration = Duration::from_secs(2);

impl Bridge {
    /// Sends a request and forwards the reply. There is always an answer, unless the request is cancelled.
    pub(super) async fn request(self: Arc<Self>, request: McpMessage, flight: BridgeCall) {
        let id = request.id.clone().unwrap_or_default();
        let done = tokio::select! {
            biased;
            () = flight.wait_cancelled() => Ok(()),
            done = self.send_request(&request, &flight) => done,
        };
        if let Err(error) = done {
            self.screen.print_stderr(&format!("baton mcp: {}", error.message()));
            self.output.write(error.answer(&id)).await;
        }
        flight.mark_received();
        self.calls.end(&id);
    }

    async fn send_request(self: &Arc<Self>, request: &McpMessage, flight: &BridgeCall) -> Result<(), BridgeError> {
        if flight.sessionless {
            let headers = self.sessionless_headers(request);
            let reply = self.endpoint.post(&headers, &request.text).await?;
            return self.deliver(request, reply, &headers, flight).await.map(drop);
        }
        let mut way = self.session_route(request).await;
        let mut reply = self.endpoint.post(&way.headers, &request.text).await?;
        if reply.status == NOT_FOUND_STATUS && way.has_session {
            self.reopen_session(way.number).await?;
            way = self.session_route(request).await;
            reply = self.endpoint.post(&way.headers, &request.text).await?;
        }
        let session = reply.session.clone();
        let answer = self.deliver(request, reply, &way.headers, flight).await?;
        if request.is_request("initialize") {
            self.record_session(request, session, &answer).await;
        }
        Ok(())
    }

    /// Sends a notification or a response; the next message waits for it, which preserves the order.
    pub(super) async fn notify(self: &Arc<Self>, message: &McpMessage) {
        let sent = match tokio::time::timeout(NOTIFICATION_TIMEOUT, self.send_notification(message)).await {
            Ok(sent) => sent,
            Err(_) => Err("no answer in time".to_owned()),
        };
        if let Err(reason) = sent {
            let description = message.method.as_deref().unwrap_or("an answer");
            self.screen.print_stderr(&format!("baton mcp: {description} did not reach the server: {reason}"));
        }
        if message.method.as_deref() == Some("notifications/initialized") && message.version.is_none() {
            self.start_listening().await;
        }
    }

    async fn send_notification(self: &Arc<Self>, message: &McpMessage) -> Result<(), String> {
        let error_text = |error: BridgeError| error.message().to_owned();
        let reply = match message.version {
            Some(_) => {
                self.endpoint.post(&self.sessionless_headers(message), &message.text).await.map_err(error_text)?
            }
            None => {
                let way = self.session_route(message).await;
                let reply = self.endpoint.post(&way.headers, &message.text).await.map_err(error_text)?;
                if reply.status == NOT_FOUND_STATUS && way.has_session {
                    self.reopen_session(way.number).await.map_err(error_text)?;
                    // The request that this response belongs to ended with its session.
                    match message.method {
                        Some(_) => self
                            .endpoint
                            .post(&self.session_route(message).await.headers, &message.text)
                            .await
                            .map_err(error_text)?,
                        None => return Ok(()),
                    }
                } else {
                    reply
                }
            }
        };
        match reply.content {
            McpContent::Text(text) if reply.status >= 400 => {
                Err(error_text(BridgeError::from_reply(reply.status, &text)))
            }
            _ => Ok(()),
        }
    }

    /// Cancels a request: by closing its reply, or in a session by forwarding the client's cancellation once the server
    /// has received the request.
    pub(super) async fn cancel_request(self: &Arc<Self>, id: &str, message: McpMessage) {
        match self.calls.get(id) {
            Some(flight) if flight.sessionless => flight.cancel(),
            Some(flight) => {
                let bridge = Arc::clone(self);
                let cancellation = async move {
                    let _ = tokio::time::timeout(RECEIPT_TIMEOUT, flight.wait_received()).await;
                    bridge.notify(&message).await;
                    // A cancelled request gets no answer, so its reply can be closed.
                    flight.cancel();
                };
                tokio::spawn(self.shutdown.clone().run_until_cancelled_owned(cancellation));
            }
            None if message.version.is_none() => self.notify(&message).await,
            None => {}
        }
    }
}
