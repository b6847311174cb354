//! HTTP+JSON binding.

mod v03;
mod v1;

pub(super) use v1::RestV1;
pub(super) use v03::RestV03;

use super::{
    events::{hearing, only, says_nothing},
    http::{Answer, Ask, Head, Line},
    read::{read, unintelligible, written},
    refusal,
};
use crate::{CallError, Hearing, With};
use baton_wire::a2a::v1::StreamResponse;
use http::{Method, StatusCode};
use serde::{Serialize, de::DeserializeOwned};

/// Base URL of the routes.
struct Routes {
    line: Line,
    base: String,
}

impl Routes {
    fn new(line: Line, base: &str) -> Self {
        // A query or fragment would end up in the middle of every URL.
        let base = base.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        Self { line, base: base.to_owned() }
    }

    fn get(&self, path: &str) -> Ask {
        Ask { method: Method::GET, url: format!("{}{path}", self.base), body: None }
    }

    fn post(&self, path: &str, body: &impl Serialize) -> Result<Ask, CallError> {
        Ok(Ask { method: Method::POST, url: format!("{}{path}", self.base), body: Some(written(body)?) })
    }

    /// Calls a route with a complete reply.
    async fn call<T: DeserializeOwned>(&self, ask: Ask, with: &With) -> Result<T, CallError> {
        self.line.ask(&ask, with, |head, body| answer(head, body).and_then(read)).await
    }

    /// Calls a route with a streamed reply; `item` converts each event.
    async fn hear<T: DeserializeOwned + 'static>(
        &self,
        ask: Ask,
        with: &With,
        item: fn(T) -> Result<StreamResponse<'static>, CallError>,
    ) -> Result<Hearing, CallError> {
        let heard = self.line.listen(&ask, with).await?;
        self.hearing(heard, item)
    }

    /// Subscribes to a task. Some servers accept `GET`, as in the schema, others only `POST`, as in the text of the
    /// specification.
    async fn hear_task<T: DeserializeOwned + 'static>(
        &self,
        mut ask: Ask,
        with: &With,
        item: fn(T) -> Result<StreamResponse<'static>, CallError>,
    ) -> Result<Hearing, CallError> {
        let heard = self.line.listen(&ask, with).await?;
        let heard = match heard {
            Answer::Whole(Head { status: StatusCode::METHOD_NOT_ALLOWED, .. }, _) => {
                ask.method = Method::POST;
                self.line.listen(&ask, with).await?
            }
            heard => heard,
        };
        self.hearing(heard, item)
    }

    fn hearing<T: DeserializeOwned + 'static>(
        &self,
        heard: Answer,
        item: fn(T) -> Result<StreamResponse<'static>, CallError>,
    ) -> Result<Hearing, CallError> {
        match heard {
            Answer::Events(body) => Ok(hearing(body, self.line.credential(), move |data| {
                let read = read(data.as_bytes()).and_then(item);
                match &read {
                    Ok(item) if !says_nothing(item) => read,
                    _ => refusal::in_event(data).map_or(read, Err),
                }
            })),
            Answer::Whole(head, body) => {
                let item = answer(&head, &body)
                    .and_then(read)
                    .and_then(item)
                    .map_err(|error| self.line.hide(error))?;
                if says_nothing(&item) {
                    return Err(unintelligible(&"neither a task nor a message"));
                }
                Ok(only(item))
            }
        }
    }
}

/// Body of a successful reply.
fn answer<'a>(head: &Head, body: &'a [u8]) -> Result<&'a [u8], CallError> {
    if head.status.is_success() { Ok(body) } else { Err(refusal::of_http(head, body)) }
}
