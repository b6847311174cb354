//! gRPC, 0.3.

use super::{
    super::{
        ask::{Answer, Ask, Operation, Result},
        world::{Place, World},
    },
    grpc::{nothing, origin, piecemeal, whole, with_metadata},
    old_history,
};
use axum::Router;
use baton_proto::v03::pb::{self, a2a_service_client::A2aServiceClient};
use baton_wire::a2a::v1::{GetTaskRequest, SendMessageRequest};

pub(super) async fn ask(world: &World, ask: &Ask) -> Option<Answer> {
    let mut client: A2aServiceClient<Router> = A2aServiceClient::with_origin(world.router.clone(), origin());
    let mut headers = Vec::new();
    headers.extend((world.place != Place::Sole).then_some(("baton-agent", "weather")));
    headers.extend(ask.otherwise.then_some(("a2a-version", "0.3")));
    macro_rules! said {
        ($message:ty, $request:expr) => {{
            let message: $message = $request.clone().try_into().unwrap();
            with_metadata(message, ask, "x-a2a-extensions", &headers)
        }};
    }
    let is_final = |item: &pb::StreamResponse| Some(item.is_final());
    Some(match &ask.operation {
        Operation::Send(request) => {
            whole(client.send_message(said!(pb::SendMessageRequest, send(request))).await, Result::Sent)
        }
        Operation::Stream(request) => {
            piecemeal(client.send_streaming_message(said!(pb::SendMessageRequest, send(request))).await, is_final)
        }
        Operation::Get(request) => {
            let history_length = old_history(request.history_length);
            let request = GetTaskRequest { history_length, ..request.clone() };
            whole(client.get_task(said!(pb::GetTaskRequest, request)).await, Result::Task)
        }
        Operation::List(_) => return None,
        Operation::Cancel(request) => {
            whole(client.cancel_task(said!(pb::CancelTaskRequest, request)).await, Result::Task)
        }
        Operation::Subscribe(request) => {
            piecemeal(client.task_subscription(said!(pb::TaskSubscriptionRequest, request)).await, is_final)
        }
        Operation::CreatePush(request) => {
            let request = said!(pb::CreateTaskPushNotificationConfigRequest, request);
            whole(client.create_task_push_notification_config(request).await, Result::Push)
        }
        Operation::GetPush(request) => {
            let request = said!(pb::GetTaskPushNotificationConfigRequest, request);
            whole(client.get_task_push_notification_config(request).await, Result::Push)
        }
        Operation::ListPush(request) => {
            let request = said!(pb::ListTaskPushNotificationConfigRequest, request);
            whole(client.list_task_push_notification_config(request).await, Result::Pushes)
        }
        Operation::DeletePush(request) => {
            let request = said!(pb::DeleteTaskPushNotificationConfigRequest, request);
            nothing(client.delete_task_push_notification_config(request).await)
        }
        Operation::Card => {
            let request = with_metadata(pb::GetAgentCardRequest {}, ask, "x-a2a-extensions", &headers);
            whole(client.get_agent_card(request).await, |card| Result::Card(Box::new(card)))
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
