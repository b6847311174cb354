//! One HTTP/2 connection that makes one gRPC call after another.

use crate::{
    check,
    connection::{ExchangeOutcome, PARSE_INTERVAL, connect},
    options::{LoadMode, LoadOptions},
    protocol::{A2aProtocol, A2aVersion},
    request::{RequestTemplate, expected_echo, path},
};
use baton_proto::{v1::pb as v1, v03::pb as v03};
use bytes::Bytes;
use h2::client::SendRequest;
use http::{HeaderMap, Request};
use prost::Message as _;

/// Upper bound of a response body; a larger one is an error of the server.
const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;

/// `state` of a status, set to completed: expected in every reply.
const COMPLETED_MARK: &[u8] = &[0x08, 3];

/// A connection with its request template.
pub struct GrpcConnection {
    sender: SendRequest<Bytes>,
    request: Request<()>,
    template: RequestTemplate,
    mode: LoadMode,
    version: A2aVersion,
    text: String,
    exchanges: u64,
}

impl GrpcConnection {
    /// Connects and performs the HTTP/2 handshake.
    pub async fn open(options: &LoadOptions, protocol: A2aProtocol) -> Result<Self, String> {
        let (sender, connection) = h2::client::handshake(connect(options).await?).await.map_err(|e| e.to_string())?;
        // The task ends with the sender; errors surface in the affected call.
        tokio::task::spawn_local(connection);
        let request = Request::post(format!("http://{}{}", options.address, path(options, protocol)))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .header("a2a-version", protocol.version.header())
            .body(())
            .map_err(|error| error.to_string())?;
        Ok(Self {
            sender,
            request,
            template: RequestTemplate::grpc(options, protocol.version),
            mode: options.mode,
            version: protocol.version,
            text: options.text.clone(),
            exchanges: 0,
        })
    }

    /// Makes call `number` and reads its response to the end.
    pub async fn exchange(&mut self, number: u64) -> Result<ExchangeOutcome, String> {
        let content = self.call(number).await?;
        self.exchanges += 1;
        let thorough = self.exchanges % PARSE_INTERVAL == 1;
        let events = self
            .check(&content, number, thorough)
            .map_err(|wrong| format!("{wrong}: {}", content[..content.len().min(400)].escape_ascii()))?;
        Ok(ExchangeOutcome { events, first_event: None, reusable: true })
    }

    async fn call(&mut self, number: u64) -> Result<Vec<u8>, String> {
        let failed = |error: h2::Error| error.to_string();
        std::future::poll_fn(|context| self.sender.poll_ready(context)).await.map_err(failed)?;
        let (response, mut body) = self.sender.send_request(self.request.clone(), false).map_err(failed)?;
        body.send_data(Bytes::copy_from_slice(self.template.numbered(number)), true).map_err(failed)?;
        let response = response.await.map_err(failed)?;
        if response.status() != 200 {
            return Err(format!("status {}", response.status()));
        }
        // A trailers-only response has its status in the headers.
        let trailers_only = response.headers().get("grpc-status").map(|_| response.headers().clone());
        let mut body = response.into_body();
        let mut content = Vec::with_capacity(2048);
        while let Some(piece) = body.data().await {
            let piece = piece.map_err(failed)?;
            body.flow_control().release_capacity(piece.len()).map_err(failed)?;
            content.extend_from_slice(&piece);
            if content.len() > MAX_BODY_BYTES {
                return Err("body is too large".to_owned());
            }
        }
        let trailers = body.trailers().await.map_err(failed)?.or(trailers_only).unwrap_or_default();
        if trailers.get("grpc-status").is_none_or(|status| status != "0") {
            return Err(status_error(&trailers));
        }
        Ok(content)
    }

    fn check(&self, content: &[u8], number: u64, thorough: bool) -> Result<u64, String> {
        let echo = expected_echo(&self.text, number);
        check::contains_all(content, &[COMPLETED_MARK, echo.as_bytes()])?;
        let answers = split(content)?;
        if thorough {
            match (self.mode, self.version) {
                (LoadMode::Stream, A2aVersion::V1) => stream_v1(&answers, &echo),
                (LoadMode::Stream, A2aVersion::V03) => stream_v03(&answers, &echo),
                (_, A2aVersion::V1) => task_v1(&answers, &echo),
                (_, A2aVersion::V03) => task_v03(&answers, &echo),
            }?;
        }
        Ok(answers.len() as u64)
    }
}

fn status_error(trailers: &HeaderMap) -> String {
    let value = |name| trailers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("none");
    format!("grpc-status {}: {}", value("grpc-status"), value("grpc-message"))
}

/// Splits a body into its messages.
fn split(mut content: &[u8]) -> Result<Vec<&[u8]>, String> {
    let mut answers = Vec::with_capacity(8);
    while let Some((prefix, rest)) = content.split_first_chunk::<5>() {
        let length = u32::from_be_bytes([prefix[1], prefix[2], prefix[3], prefix[4]]) as usize;
        if prefix[0] != 0 {
            return Err("the answer is compressed".to_owned());
        }
        let (answer, rest) = rest.split_at_checked(length).ok_or("an answer is cut off")?;
        answers.push(answer);
        content = rest;
    }
    if content.is_empty() { Ok(answers) } else { Err("an answer is cut off".to_owned()) }
}

fn require_echo_task(is_valid: bool) -> Result<(), String> {
    if is_valid { Ok(()) } else { Err("the answer is not a completed task with the echo".to_owned()) }
}

fn decode_error(error: prost::DecodeError) -> String {
    format!("a response cannot be decoded ({error})")
}

fn task_v1(answers: &[&[u8]], echo: &str) -> Result<(), String> {
    use v1::send_message_response::Payload;
    let [answer] = answers else { return Err("not one answer".to_owned()) };
    let answer = v1::SendMessageResponse::decode(*answer).map_err(decode_error)?;
    let Some(Payload::Task(task)) = answer.payload else { return require_echo_task(false) };
    require_echo_task(
        completed_v1(task.status.as_ref()) && !task.id.is_empty() && echoes_v1(task.artifacts.first(), echo),
    )
}

fn stream_v1(answers: &[&[u8]], echo: &str) -> Result<(), String> {
    use v1::stream_response::Payload;
    let read = |answer: &&[u8]| v1::StreamResponse::decode(*answer).map(|item| item.payload);
    let items: Vec<_> = answers.iter().map(read).collect::<Result<_, _>>().map_err(decode_error)?;
    let echoed = items.iter().any(|item| match item {
        Some(Payload::ArtifactUpdate(update)) => echoes_v1(update.artifact.as_ref(), echo),
        _ => false,
    });
    let ended = match items.last() {
        Some(Some(Payload::StatusUpdate(update))) => completed_v1(update.status.as_ref()),
        Some(Some(Payload::Task(task))) => completed_v1(task.status.as_ref()),
        _ => false,
    };
    require_echo_task(matches!(items.first(), Some(Some(Payload::Task(_)))) && echoed && ended)
}

fn completed_v1(status: Option<&v1::TaskStatus>) -> bool {
    status.is_some_and(|status| status.state() == v1::TaskState::Completed)
}

fn echoes_v1(artifact: Option<&v1::Artifact>, echo: &str) -> bool {
    let content = artifact.and_then(|artifact| artifact.parts.first()?.content.as_ref());
    matches!(content, Some(v1::part::Content::Text(text)) if text == echo)
}

fn task_v03(answers: &[&[u8]], echo: &str) -> Result<(), String> {
    use v03::send_message_response::Payload;
    let [answer] = answers else { return Err("not one answer".to_owned()) };
    let answer = v03::SendMessageResponse::decode(*answer).map_err(decode_error)?;
    let Some(Payload::Task(task)) = answer.payload else { return require_echo_task(false) };
    require_echo_task(
        completed_v03(task.status.as_ref()) && !task.id.is_empty() && echoes_v03(task.artifacts.first(), echo),
    )
}

fn stream_v03(answers: &[&[u8]], echo: &str) -> Result<(), String> {
    use v03::stream_response::Payload;
    let read = |answer: &&[u8]| v03::StreamResponse::decode(*answer).map(|item| item.payload);
    let items: Vec<_> = answers.iter().map(read).collect::<Result<_, _>>().map_err(decode_error)?;
    let echoed = items.iter().any(|item| match item {
        Some(Payload::ArtifactUpdate(update)) => echoes_v03(update.artifact.as_ref(), echo),
        _ => false,
    });
    let ended = match items.last() {
        Some(Some(Payload::StatusUpdate(update))) => completed_v03(update.status.as_ref()),
        Some(Some(Payload::Task(task))) => completed_v03(task.status.as_ref()),
        _ => false,
    };
    require_echo_task(matches!(items.first(), Some(Some(Payload::Task(_)))) && echoed && ended)
}

fn completed_v03(status: Option<&v03::TaskStatus>) -> bool {
    status.is_some_and(|status| status.state() == v03::TaskState::Completed)
}

fn echoes_v03(artifact: Option<&v03::Artifact>, echo: &str) -> bool {
    let part = artifact.and_then(|artifact| artifact.parts.first()?.part.as_ref());
    matches!(part, Some(v03::part::Part::Text(text)) if text == echo)
}
