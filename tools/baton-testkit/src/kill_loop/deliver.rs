//! One send, in the style and dialect of its sender.

use super::{crowd::FirstStream, link::LiveServer};
use crate::request;
use baton_client::{ClientError, SendRequest};
use baton_types::{Message, MessageId, Part, PushDialect, Role, TaskId};
use baton_wire::a2a::v1::TaskPushNotificationConfig;
use http::Method;
use serde_json::{Value, json};

/// Time of the response to a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SendStyle {
    /// When the task has ended or requires input.
    Blocking,
    /// As soon as the task exists.
    Immediate,
    /// As a stream.
    Streaming,
}

/// A message to send; every send of it is identical.
pub(super) struct OutgoingMessage {
    pub(super) agent: &'static str,
    pub(super) message: MessageId,
    pub(super) text: &'static str,
    /// URL of a push receiver and the dialect of its registration and notifications.
    pub(super) push: Option<(String, PushDialect)>,
    /// Whether the message id is also the idempotency key.
    pub(super) keyed: bool,
}

impl OutgoingMessage {
    /// Sends the message and returns the resulting task.
    pub(super) async fn deliver(
        &self,
        up: &LiveServer,
        style: SendStyle,
    ) -> Result<(TaskId, FirstStream), ClientError> {
        if matches!(self.push, Some((_, PushDialect::V03))) {
            return self.deliver_v03(up).await.map(|task| (task, FirstStream::Fresh));
        }
        let parts = vec![Part::text(self.text)];
        let mut request = SendRequest::new(Message::new(self.message.clone(), Role::User, parts));
        request.return_immediately = style == SendStyle::Immediate;
        request.idempotency_key = self.keyed.then(|| self.message.to_string());
        request.push = self.push.as_ref().map(|(url, _)| TaskPushNotificationConfig {
            url: url.clone().into(),
            ..TaskPushNotificationConfig::default()
        });
        if style != SendStyle::Streaming {
            let task = up.client.send(self.agent, request).await?;
            return Ok((task.id.into_owned().into(), FirstStream::Fresh));
        }
        let mut stream = up.client.send_streaming(self.agent, request).await?;
        let first = match stream.next().await {
            Some(first) => first?,
            None => return Err(invalid_response("the stream ended before it began")),
        };
        let task = first.item.task.as_ref().map(|task| TaskId::from(task.id.as_ref()));
        let task = task.ok_or_else(|| invalid_response("the stream began without a task"))?;
        Ok((task, FirstStream::Stream(Box::new((stream, first)))))
    }

    /// Sends as an A2A 0.3 client that does not wait for the task to end.
    async fn deliver_v03(&self, up: &LiveServer) -> Result<TaskId, ClientError> {
        let id = self.message.as_str();
        let parts = json!([{"kind": "text", "text": self.text}]);
        let push = self.push.as_ref().map(|(url, _)| json!({"url": url}));
        let body = json!({"jsonrpc": "2.0", "id": id, "method": "message/send", "params": {
            "message": {"kind": "message", "messageId": id, "role": "user", "parts": parts},
            "configuration": {"blocking": false, "pushNotificationConfig": push},
        }});
        let key = [("idempotency-key", id)];
        let headers = if self.keyed { key.as_slice() } else { &[] };
        let answer = request(&up.url, Method::POST, &format!("/agents/{}", self.agent), headers, &body).await?;
        let task = answer.body.pointer("/result/id").and_then(Value::as_str);
        task.map(TaskId::from).ok_or_else(|| invalid_response(&answer.body.to_string()))
    }
}

fn invalid_response(problem: &str) -> ClientError {
    ClientError::InvalidResponse(problem.to_owned())
}
