//! One message of the client, carried to the endpoint.

use super::{calls::Flight, pump::Bridge, trouble::Trouble};
use baton_client::{McpContent, McpMessage};
use std::{sync::Arc, time::Duration};

const GONE: u16 = 404;
/// A message that wants no answer is given up after this long.
const PATIENCE: Duration = Duration::from_secs(10);
/// A request has reached the server by then, whatever the server does with it.
const ARRIVES: Duration = Duration::from_secs(2);

impl Bridge {
    /// Carries a request and writes out what comes of it: always an answer, unless it was called off.
    pub(super) async fn request(self: Arc<Self>, request: McpMessage, flight: Flight) {
        let id = request.id.clone().unwrap_or_default();
        let done = tokio::select! {
            biased;
            () = flight.called_off() => Ok(()),
            done = self.ask(&request, &flight) => done,
        };
        if let Err(trouble) = done {
            self.screen.say(&format!("baton mcp: {}", trouble.message()));
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

    /// Carries a notification or an answer; the next message waits for it, so that their order stays.
    pub(super) async fn tell(self: &Arc<Self>, message: &McpMessage) {
        let told = match tokio::time::timeout(PATIENCE, self.told(message)).await {
            Ok(told) => told,
            Err(_) => Err("no answer in time".to_owned()),
        };
        if let Err(why) = told {
            let what = message.method.as_deref().unwrap_or("an answer");
            self.screen.say(&format!("baton mcp: {what} did not reach the server: {why}"));
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
                    // An answer was meant for a request that is gone with its session.
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

    /// Calls a request off: by closing its reply, or in a session with the client's own words, once the server has the
    /// request that they are about.
    pub(super) async fn call_off(self: &Arc<Self>, id: &str, message: McpMessage) {
        match self.calls.get(id) {
            Some(flight) if flight.sessionless => flight.call_off(),
            Some(flight) => {
                let bridge = Arc::clone(self);
                let told = async move {
                    let _ = tokio::time::timeout(ARRIVES, flight.arrived()).await;
                    bridge.tell(&message).await;
                    // A request that was called off is not answered, so nothing more comes of its reply.
                    flight.call_off();
                };
                tokio::spawn(self.over.clone().run_until_cancelled_owned(told));
            }
            None if message.version.is_none() => self.tell(&message).await,
            None => {}
        }
    }
}
