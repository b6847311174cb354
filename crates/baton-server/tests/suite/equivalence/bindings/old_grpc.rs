//! gRPC, 0.3.

use super::{
    super::{
        operation::{Answer, ClientRequest, Operation, Result},
        world::{Place, World},
    },
    grpc::{empty, origin, streaming, unary, with_metadata},
    old_history,
};
use axum::Router;
use baton_proto::v03::pb::{self, a2a_service_client::A2aServiceClient};
use baton_wire::a2a::v1::{GetTaskRequest, SendMessageRequest};

pub(super) async fn ask(world: &World, ask: &ClientRequest) -> Option<Answer> {
    let mut client: A2aServiceClient<Router> = A2aServiceClient::with_origin(world.router.clone(), origin());
    let mut headers = Vec::new();
    headers.extend((world.place != Place::Sole).then_some(("baton-agent", "weather")));
    headers.extend(ask.alternate.then_some(("a2a-version", "0.3")));
    macro_rules! encode {
        ($message:ty, $request:expr) => {{
            let message: $message = $request.clone().try_into().unwrap();
            with_metadata(message, ask, "x-a2a-extensions", &headers)
        }};
    }
    let is_final = |item: &pb::StreamResponse| Some(item.is_final());
    Some(match &ask.operation {
        Operation::Send(request) => {
            unary(client.send_message(encode!(pb::SendMessageRequest, send(request))).await, Result::Sent)
        }
        Operation::Stream(request) => {
            streaming(client.send_streaming_message(encode!(pb::SendMessageRequest, send(request))).await, is_final)
        }
        Operation::Get(request) => {
            let history_length = old_history(request.history_length);
            let request = GetTaskRequest { history_length, ..request.clone() };
            unary(client.get_task(encode!(pb::GetTaskRequest, request)).await, Result::Task)
        }
        Operation::List(_) => return None,
        Operation::Cancel(request) => {
            unary(client.cancel_task(encode!(pb::CancelTaskRequest, request)).await, Result::Task)
        }
        Operation::Subscribe(request) => {
            streaming(client.task_subscription(encode!(pb::TaskSubscriptionRequest, request)).await, is_final)
        }
        Operation::CreatePush(request) => {
            let request = encode!(pb::CreateTaskPushNotificationConfigRequest, request);
            unary(client.create_task_push_notification_config(request).await, Result::Push)
        }
        Operation::GetPush(request) => {
            let request = encode!(pb::GetTaskPushNotificationConfigRequest, request);
            unary(client.get_task_push_notification_config(request).await, Result::Push)
        }
        Operation::ListPush(request) => {
            let request = encode!(pb::ListTaskPushNotificationConfigRequest, request);
            unary(client.list_task_push_notification_config(request).await, Result::Pushes)
        }
        Operation::DeletePush(request) => {
            let request = encode!(pb::DeleteTaskPushNotificationConfigRequest, request);
            empty(client.delete_task_push_notification_config(request).await)
        }
        Operation::Card => {
            let request = with_metadata(pb::GetAgentCardRequest {}, ask, "x-a2a-extensions", &headers);
            unary(client.get_agent_card(request).await, |card| Result::Card(Box::new(card)))
        }
    })
}

fn send(request: &SendMessageRequest<'static>) -> SendMessageRequest<'static> {
    let mut request = request.clone();
    if let Some(configuration) = &mut request.configuration {
        configuration.history_length = old_history(configuration.history_length);
    }
    request
}
