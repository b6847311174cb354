//! Sends one message of the client to the endpoint.

use super::{calls::Flight, pump::Bridge, trouble::Trouble};
use baton_client::{McpContent, McpMessage};
use std::{sync::Arc, time::Duration};

const GONE: u16 = 404;
/// Timeout of messages without an answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum wait for the server to receive a request before it is cancelled.
const ARRIVES: Duration = Duration::from_secs(2);

impl Bridge {
    /// Sends a request and forwards the reply. There is always an answer, unless the request is cancelled.
    pub(super) async fn request(self: Arc<Self>, request: McpMessage, flight: Flight) {
        let id = request.id.clone().unwrap_or_default();
        let done = tokio::select! {
            biased;
            () = flight.called_off() => Ok(()),
            done = self.ask(&request, &flight) => done,
        };
        if let Err(trouble) = done {
            self.screen.print_stderr(&format!("baton mcp: {}", trouble.message()));
            self.output.write(trouble.answer(&id)).await;
        }
        flight.arrive();
        self.calls.end(&id);
    }

    async fn ask(self: &Arc<Self>, request: &McpMessage, flight: &Flight) -> Result<(), Trouble> {
        if flight.sessionless {
            let headers = self.sessionless_headers(request);
            let reply = self.reach.post(&headers, &request.text).await?;
            return self.deliver(request, reply, &headers, flight).await.map(drop);
        }
        let mut way = self.way(request).await;
        let mut reply = self.reach.post(&way.headers, &request.text).await?;
        if reply.status == GONE && way.has_session {
            self.open_again(way.number).await?;
            way = self.way(request).await;
            reply = self.reach.post(&way.headers, &request.text).await?;
        }
        let session = reply.session.clone();
        let answer = self.deliver(request, reply, &way.headers, flight).await?;
        if request.asks("initialize") {
            self.opened(request, session, &answer).await;
        }
        Ok(())
    }

    /// Sends a notification or a response; the next message waits for it, which preserves the order.
    pub(super) async fn tell(self: &Arc<Self>, message: &McpMessage) {
        let told = match tokio::time::timeout(PATIENCE, self.told(message)).await {
            Ok(told) => told,
            Err(_) => Err("no answer in time".to_owned()),
        };
        if let Err(why) = told {
            let what = message.method.as_deref().unwrap_or("an answer");
            self.screen.print_stderr(&format!("baton mcp: {what} did not reach the server: {why}"));
        }
        if message.method.as_deref() == Some("notifications/initialized") && message.version.is_none() {
            self.initialized().await;
        }
    }

    async fn told(self: &Arc<Self>, message: &McpMessage) -> Result<(), String> {
        let words = |trouble: Trouble| trouble.message().to_owned();
        let reply = match message.version {
            Some(_) => self.reach.post(&self.sessionless_headers(message), &message.text).await.map_err(words)?,
            None => {
                let way = self.way(message).await;
                let reply = self.reach.post(&way.headers, &message.text).await.map_err(words)?;
                if reply.status == GONE && way.has_session {
                    self.open_again(way.number).await.map_err(words)?;
                    // The request that this response belongs to ended with its session.
                    match message.method {
                        Some(_) => {
                            self.reach.post(&self.way(message).await.headers, &message.text).await.map_err(words)?
                        }
                        None => return Ok(()),
                    }
                } else {
                    reply
                }
            }
        };
        match reply.content {
            McpContent::Text(text) if reply.status >= 400 => Err(words(Trouble::refused(reply.status, &text))),
            _ => Ok(()),
        }
    }

    /// Cancels a request: by closing its reply, or in a session by forwarding the client's cancellation once the server
    /// has received the request.
    pub(super) async fn call_off(self: &Arc<Self>, id: &str, message: McpMessage) {
        match self.calls.get(id) {
            Some(flight) if flight.sessionless => flight.call_off(),
            Some(flight) => {
                let bridge = Arc::clone(self);
                let told = async move {
                    let _ = tokio::time::timeout(ARRIVES, flight.arrived()).await;
                    bridge.tell(&message).await;
                    // A cancelled request gets no answer, so its reply can be closed.
                    flight.call_off();
                };
                tokio::spawn(self.over.clone().run_until_cancelled_owned(told));
            }
            None if message.version.is_none() => self.tell(&message).await,
            None => {}
        }
    }
}
