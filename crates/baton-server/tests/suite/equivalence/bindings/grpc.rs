//! gRPC, 1.0.

use super::super::{
    operation::{Answer, AnswerBody, ClientRequest, Item, Operation, Refusal, Result},
    world::{Place, World},
};
use async_stream::stream;
use axum::Router;
use baton_proto::{
    error_from_status, status,
    v1::pb::{self, a2a_service_client::A2aServiceClient},
};
use baton_wire::a2a::v1::{Error, StreamResponse};
use http::Uri;
use std::fmt::Debug;
use tonic::{
    Request, Response, Status, Streaming,
    metadata::{AsciiMetadataKey, MetadataMap},
};

pub(super) async fn ask(world: &World, ask: &ClientRequest) -> Answer {
    let mut client: A2aServiceClient<Router> = A2aServiceClient::with_origin(world.router.clone(), origin());
    let tenant = if world.place == Place::Sole { "" } else { "weather" };
    let headers = [("a2a-version", "1.0")];
    macro_rules! encode {
        ($message:ty, $request:expr) => {{
            let message: $message = $request.clone().try_into().unwrap();
            with_metadata(<$message>::for_tenant(message, tenant), ask, "a2a-extensions", &headers)
        }};
    }
    match &ask.operation {
        Operation::Send(request) => {
            unary(client.send_message(encode!(pb::SendMessageRequest, request)).await, Result::Sent)
        }
        Operation::Stream(request) => {
            streaming(client.send_streaming_message(encode!(pb::SendMessageRequest, request)).await, |_| None)
        }
        Operation::Get(request) => unary(client.get_task(encode!(pb::GetTaskRequest, request)).await, Result::Task),
        Operation::List(request) => {
            unary(client.list_tasks(encode!(pb::ListTasksRequest, request)).await, Result::Page)
        }
        Operation::Cancel(request) => {
            unary(client.cancel_task(encode!(pb::CancelTaskRequest, request)).await, Result::Task)
        }
        Operation::Subscribe(request) => {
            streaming(client.subscribe_to_task(encode!(pb::SubscribeToTaskRequest, request)).await, |_| None)
        }
        Operation::CreatePush(request) => {
            let request = encode!(pb::TaskPushNotificationConfig, request);
            unary(client.create_task_push_notification_config(request).await, Result::Push)
        }
        Operation::GetPush(request) => {
            let request = encode!(pb::GetTaskPushNotificationConfigRequest, request);
            unary(client.get_task_push_notification_config(request).await, Result::Push)
        }
        Operation::ListPush(request) => {
            let request = encode!(pb::ListTaskPushNotificationConfigsRequest, request);
            unary(client.list_task_push_notification_configs(request).await, Result::Pushes)
        }
        Operation::DeletePush(request) => {
            let request = encode!(pb::DeleteTaskPushNotificationConfigRequest, request);
            empty(client.delete_task_push_notification_config(request).await)
        }
        Operation::Card => {
            let request = pb::GetExtendedAgentCardRequest { tenant: tenant.to_owned() };
            let request = with_metadata(request, ask, "a2a-extensions", &headers);
            unary(client.get_extended_agent_card(request).await, |card| Result::Card(Box::new(card)))
        }
    }
}

/// Sets the tenant of a request.
trait ForTenant: Sized {
    fn for_tenant(self, tenant: &str) -> Self;
}

macro_rules! tenants {
    ($($name:ident)*) => {$(
        impl ForTenant for pb::$name {
            fn for_tenant(self, tenant: &str) -> Self {
                Self { tenant: tenant.to_owned(), ..self }
            }
        }
    )*};
}
tenants! {
    SendMessageRequest GetTaskRequest ListTasksRequest CancelTaskRequest SubscribeToTaskRequest
    TaskPushNotificationConfig GetTaskPushNotificationConfigRequest ListTaskPushNotificationConfigsRequest
    DeleteTaskPushNotificationConfigRequest
}

pub(super) fn origin() -> Uri {
    Uri::from_static("http://localhost:8700")
}

pub(super) fn with_metadata<T>(
    message: T,
    ask: &ClientRequest,
    extensions: &'static str,
    named: &[(&'static str, &str)],
) -> Request<T> {
    let mut request = Request::new(message);
    let metadata = request.metadata_mut();
    metadata.insert(AsciiMetadataKey::from_static(extensions), ask.extensions.join(",").parse().unwrap());
    let asked = ask.headers.iter().map(|(name, value)| (*name, value.as_str()));
    for (name, value) in named.iter().copied().chain(asked) {
        metadata.insert(AsciiMetadataKey::from_static(name), value.parse().unwrap());
    }
    request
}

/// Answer of a unary call.
pub(super) fn unary<P, W>(answered: std::result::Result<Response<P>, Status>, result: impl Fn(W) -> Result) -> Answer
where
    W: TryFrom<P, Error = Error> + Debug,
{
    match answered {
        Ok(response) => {
            let acknowledged = acknowledged(response.metadata());
            let answer = response.into_inner().try_into().unwrap();
            Answer { acknowledged, body: AnswerBody::Unary(Box::new(result(answer))) }
        }
        Err(status) => refused(&status),
    }
}

/// Answer of a call with an empty result.
pub(super) fn empty(answered: std::result::Result<Response<()>, Status>) -> Answer {
    match answered {
        Ok(response) => Answer {
            acknowledged: acknowledged(response.metadata()),
            body: AnswerBody::Unary(Box::new(Result::Deleted)),
        },
        Err(status) => refused(&status),
    }
}

/// Answer of a server-streaming call.
pub(super) fn streaming<P>(
    answered: std::result::Result<Response<Streaming<P>>, Status>,
    is_final: impl Fn(&P) -> Option<bool> + Send + 'static,
) -> Answer
where
    P: Send + 'static,
    StreamResponse<'static>: TryFrom<P, Error = Error>,
{
    let response = match answered {
        Ok(response) => response,
        Err(status) => return refused(&status),
    };
    let acknowledged = acknowledged(response.metadata());
    let mut messages = response.into_inner();
    let items = stream! {
        while let Some(message) = messages.message().await.unwrap() {
            let is_final = is_final(&message);
            yield Item { number: None, shown: message.try_into().unwrap(), is_final };
        }
    };
    Answer { acknowledged, body: AnswerBody::Stream(Box::pin(items)) }
}

fn acknowledged(metadata: &MetadataMap) -> Option<String> {
    let value = metadata.get("a2a-extensions").or(metadata.get("x-a2a-extensions"));
    value.map(|value| value.to_str().unwrap().to_owned())
}

fn refused(refused: &Status) -> Answer {
    let error = error_from_status(refused, baton_server::error_codes::all());
    assert_eq!(status(&error).code(), refused.code(), "{refused:?}");
    let Error { kind, code, message, violations } = error;
    let refusal = Refusal { kind, code: code.code.to_owned(), message, violations };
    Answer {
        acknowledged: acknowledged(refused.metadata()),
        body: AnswerBody::Unary(Box::new(Result::Refused(refusal))),
    }
}
