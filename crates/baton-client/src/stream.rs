//! Event streams of tasks.

use crate::{
    Client, ClientError,
    call::{is_stream, read_body, rpc_result},
    transport::ReplyBody,
};
use baton_encoding::sse::SseParser;
use baton_wire::a2a::v1::{StreamResponse, TaskState};
use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use std::time::Duration;

/// Maximum size of an event, in bytes.
const MAX_EVENT: usize = 16 * 1024 * 1024;

/// One item of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamEvent {
    /// Number of the journaled event; none for live text.
    pub number: Option<u64>,
    /// The A2A stream item.
    pub item: StreamResponse<'static>,
}

/// Events of a task as they arrive; dropping the stream does not affect the task.
pub struct EventStream {
    body: ReplyBody,
    parser: SseParser,
    idle_timeout: Duration,
    cursor: Option<u64>,
    task: Option<String>,
    state: TaskState,
}

impl EventStream {
    /// The next item; `None` when the server ended the stream, an error if the connection broke.
    pub async fn next(&mut self) -> Option<Result<StreamEvent, ClientError>> {
        loop {
            if let Some(event) = self.parser.next() {
                let number = event.id.and_then(|id| id.parse().ok());
                return Some(rpc_result(StatusCode::OK, event.data.as_bytes()).map(|item| self.track(number, item)));
            }
            let frame = match tokio::time::timeout(self.idle_timeout, self.body.frame()).await {
                Ok(Some(Ok(frame))) => frame,
                Ok(Some(Err(error))) => return Some(Err(ClientError::Interrupted(error.to_string()))),
                Ok(None) => return None,
                Err(_) => return Some(Err(ClientError::Timeout(self.idle_timeout))),
            };
            if let Ok(data) = frame.into_data()
                && let Err(error) = self.parser.feed(&data)
            {
                return Some(Err(ClientError::InvalidResponse(error.to_string())));
            }
        }
    }

    /// Number of the last journaled event; [`Client::subscribe`] resumes after it.
    pub fn cursor(&self) -> Option<u64> {
        self.cursor
    }

    /// The followed task, once its first event has arrived.
    pub fn task(&self) -> Option<&str> {
        self.task.as_deref()
    }

    /// The last state seen.
    pub fn state(&self) -> TaskState {
        self.state
    }

    /// Whether the task ended or needs input, according to the stream. A stream that ends in another state was
    /// interrupted.
    pub fn is_settled(&self) -> bool {
        self.state.to_task_state().is_some_and(|state| state.is_terminal() || state.is_interrupted())
    }

    fn track(&mut self, number: Option<u64>, item: StreamResponse<'static>) -> StreamEvent {
        self.cursor = number.or(self.cursor);
        if let Some(task) = &item.task {
            self.task = Some(task.id.clone().into_owned());
            self.state = task.status.state;
        }
        if let Some(update) = &item.status_update {
            self.state = update.status.state;
        }
        StreamEvent { number, item }
    }
}

impl Client {
    pub(crate) async fn open_stream(&self, request: Request<Full<Bytes>>) -> Result<EventStream, ClientError> {
        let response = self.with_timeout_limit(self.exchange(request)).await?;
        if is_stream(&response) {
            let idle_timeout = self.idle_timeout;
            let (body, parser) = (response.into_body(), SseParser::new(MAX_EVENT));
            return Ok(EventStream {
                body,
                parser,
                idle_timeout,
                cursor: None,
                task: None,
                state: TaskState::Unspecified,
            });
        }
        let status = response.status();
        let bytes = self.with_timeout_limit(read_body(response.into_body())).await?;
        match rpc_result::<StreamResponse<'static>>(status, &bytes) {
            Err(error) => Err(error),
            Ok(_) => Err(ClientError::InvalidResponse("a single response instead of a stream".to_owned())),
        }
    }
}
