//! The generated server and client, connected without a network.

use baton_proto::{
    ClientCodec, error_from_status, status,
    v1::pb::{
        self, a2a_service_client::A2aServiceClient, a2a_service_server::A2aService,
        a2a_service_server::A2aServiceServer,
    },
};
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{self as wire, ErrorKind};
use prost_types::{Duration, ListValue, Struct, Value, value::Kind};
use tonic::{
    Code, Request, Response, Status,
    codegen::{BoxStream, http::uri::PathAndQuery},
};

/// A server with one task.
struct SingleTaskServer;

macro_rules! unary {
    ($($name:ident($request:ty) -> $reply:ty { $body:expr })*) => {
        #[tonic::async_trait]
        impl A2aService for SingleTaskServer {
            type SendStreamingMessageStream = BoxStream<pb::StreamResponse>;
            type SubscribeToTaskStream = BoxStream<pb::StreamResponse>;

            $(async fn $name(&self, request: Request<$request>) -> Result<Response<$reply>, Status> {
                let answer: fn($request) -> Result<$reply, Status> = $body;
                answer(request.into_inner()).map(Response::new)
            })*
        }
    };
}

fn absent<T, U>(_: T) -> Result<U, Status> {
    Err(Status::unimplemented("not here"))
}

unary! {
    send_message(pb::SendMessageRequest) -> pb::SendMessageResponse { absent }
    send_streaming_message(pb::SendMessageRequest) -> BoxStream<pb::StreamResponse> { absent }
    get_task(pb::GetTaskRequest) -> pb::Task { |request| {
        let request = wire::GetTaskRequest::try_from(request).map_err(|error| status(&error))?;
        if request.id != "t1" {
            let error = wire::Error::new(ErrorKind::TaskNotFound, ErrorCode::TASK_NOT_FOUND, "no such task");
            return Err(status(&error));
        }
        let task = wire::Task { id: request.id, context_id: "c1".into(), ..wire::Task::default() };
        pb::Task::try_from(task).map_err(|error| status(&error))
    } }
    list_tasks(pb::ListTasksRequest) -> pb::ListTasksResponse { absent }
    cancel_task(pb::CancelTaskRequest) -> pb::Task { absent }
    subscribe_to_task(pb::SubscribeToTaskRequest) -> BoxStream<pb::StreamResponse> { absent }
    create_task_push_notification_config(pb::TaskPushNotificationConfig) -> pb::TaskPushNotificationConfig { absent }
    get_task_push_notification_config(pb::GetTaskPushNotificationConfigRequest) -> pb::TaskPushNotificationConfig {
        absent
    }
    list_task_push_notification_configs(pb::ListTaskPushNotificationConfigsRequest)
        -> pb::ListTaskPushNotificationConfigsResponse { absent }
    delete_task_push_notification_config(pb::DeleteTaskPushNotificationConfigRequest) -> () { absent }
    get_extended_agent_card(pb::GetExtendedAgentCardRequest) -> pb::AgentCard { absent }
}

#[tokio::test]
async fn responses_and_errors_reach_the_client() {
    let mut client = A2aServiceClient::new(A2aServiceServer::new(SingleTaskServer));
    let get = |id: &str| pb::GetTaskRequest { id: id.to_owned(), ..pb::GetTaskRequest::default() };
    let task = client.get_task(get("t1")).await.unwrap().into_inner();
    assert_eq!((task.id.as_str(), task.context_id.as_str()), ("t1", "c1"));
    let refused = error_from_status(&client.get_task(get("t2")).await.unwrap_err(), ErrorCode::SHARED_CODES);
    assert_eq!((refused.kind, refused.code), (ErrorKind::TaskNotFound, ErrorCode::TASK_NOT_FOUND));
}

/// Sends a message of the wrong type, which the server cannot decode.
async fn send_wrong<M: prost::Message + 'static>(message: M, path: &'static str) -> Status {
    let mut client = tonic::client::Grpc::new(A2aServiceServer::new(SingleTaskServer));
    client.ready().await.unwrap();
    let codec = ClientCodec::<M, pb::Task>::default();
    client.unary(Request::new(message), PathAndQuery::from_static(path), codec).await.unwrap_err()
}

#[tokio::test]
async fn undecodable_request_is_an_invalid_argument() {
    let wrong = send_wrong(Duration { seconds: 1, nanos: 1 }, "/lf.a2a.v1.A2AService/GetTask").await;
    assert_eq!(wrong.code(), Code::InvalidArgument);
    assert_eq!(
        wrong.message(),
        "the request is not a message of this operation: failed to decode Protobuf message: GetTaskRequest.tenant: \
         invalid wire type: Varint (expected LengthDelimited)"
    );
    let error = error_from_status(&wrong, ErrorCode::SHARED_CODES);
    assert_eq!((error.kind, error.code), (ErrorKind::Parse, ErrorCode::INVALID_REQUEST));

    let deep = (0..60)
        .fold(Kind::NullValue(0), |inner, _| Kind::ListValue(ListValue { values: vec![Value { kind: Some(inner) }] }));
    let fields = [("deep".to_owned(), Value { kind: Some(deep) })].into();
    let metadata = Some(Struct { fields });
    let request = pb::SendMessageRequest { metadata, ..pb::SendMessageRequest::default() };
    let error =
        error_from_status(&send_wrong(request, "/lf.a2a.v1.A2AService/SendMessage").await, ErrorCode::SHARED_CODES);
    assert_eq!((error.kind, error.code), (ErrorKind::Parse, ErrorCode::TOO_DEEP));
}
