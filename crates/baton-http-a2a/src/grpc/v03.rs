//! `a2a.v1.A2AService`: A2A 0.3.

use super::{
    super::{
        ops::{self, TaskStream},
        version::A2aVersion,
    },
    request::{GrpcReplyStream, GrpcRequest, stream},
};
use crate::state::A2aState;
use baton_proto::v03::pb::{self, a2a_service_server::A2aService};
use baton_wire::a2a::v1::TaskPushNotificationConfig;
use std::sync::Arc;
use tonic::{Request, Response, Status, async_trait};

/// Operations of all served agents.
pub(super) struct V03GrpcService {
    pub(super) shared: Arc<A2aState>,
}

impl V03GrpcService {
    fn read_request<T>(&self, request: &Request<T>) -> Result<GrpcRequest, Status> {
        GrpcRequest::from_request(&self.shared, request, "", A2aVersion::V03)
    }
}

#[async_trait]
impl A2aService for V03GrpcService {
    type SendStreamingMessageStream = GrpcReplyStream<pb::StreamResponse>;
    type TaskSubscriptionStream = GrpcReplyStream<pb::StreamResponse>;

    async fn send_message(
        &self,
        request: Request<pb::SendMessageRequest>,
    ) -> Result<Response<pb::SendMessageResponse>, Status> {
        let grpc_request = self.read_request(&request)?;
        grpc_request
            .operate(async |call| {
                let shown = ops::send(call, request.into_inner().try_into()?).await?;
                shown.response().try_into()
            })
            .await
    }

    async fn send_streaming_message(
        &self,
        request: Request<pb::SendMessageRequest>,
    ) -> Result<Response<Self::SendStreamingMessageStream>, Status> {
        let grpc_request = self.read_request(&request)?;
        grpc_request
            .operate(async |call| Ok(reply_stream(ops::stream(call, request.into_inner().try_into()?).await?)))
            .await
    }

    async fn get_task(&self, request: Request<pb::GetTaskRequest>) -> Result<Response<pb::Task>, Status> {
        let grpc_request = self.read_request(&request)?;
        grpc_request
            .operate(async |call| {
                let shown = ops::get(call, request.into_inner().try_into()?).await?;
                shown.task().try_into()
            })
            .await
    }

    async fn cancel_task(&self, request: Request<pb::CancelTaskRequest>) -> Result<Response<pb::Task>, Status> {
        let grpc_request = self.read_request(&request)?;
        grpc_request
            .operate(async |call| {
                let shown = ops::cancel(call, request.into_inner().try_into()?).await?;
                shown.task().try_into()
            })
            .await
    }

    async fn task_subscription(
        &self,
        request: Request<pb::TaskSubscriptionRequest>,
    ) -> Result<Response<Self::TaskSubscriptionStream>, Status> {
        let grpc_request = self.read_request(&request)?;
        grpc_request
            .operate(async |call| Ok(reply_stream(ops::subscribe(call, request.into_inner().try_into()?).await?)))
            .await
    }

    async fn create_task_push_notification_config(
        &self,
        request: Request<pb::CreateTaskPushNotificationConfigRequest>,
    ) -> Result<Response<pb::TaskPushNotificationConfig>, Status> {
        let grpc_request = self.read_request(&request)?;
        grpc_request
            .operate(async |call| {
                let (task, config) = ops::create_push(call, request.into_inner().try_into()?).await?;
                TaskPushNotificationConfig::from_config(&task, &config).try_into()
            })
            .await
    }

    async fn get_task_push_notification_config(
        &self,
        request: Request<pb::GetTaskPushNotificationConfigRequest>,
    ) -> Result<Response<pb::TaskPushNotificationConfig>, Status> {
        let grpc_request = self.read_request(&request)?;
        grpc_request
            .operate(async |call| {
                let (task, config) = ops::get_push(call, request.into_inner().try_into()?).await?;
                TaskPushNotificationConfig::from_config(&task, &config).try_into()
            })
            .await
    }

    async fn list_task_push_notification_config(
        &self,
        request: Request<pb::ListTaskPushNotificationConfigRequest>,
    ) -> Result<Response<pb::ListTaskPushNotificationConfigResponse>, Status> {
        let grpc_request = self.read_request(&request)?;
        grpc_request
            .operate(async |call| {
                let shown = ops::list_push(call, request.into_inner().try_into()?).await?;
                shown.response().try_into()
            })
            .await
    }

    async fn delete_task_push_notification_config(
        &self,
        request: Request<pb::DeleteTaskPushNotificationConfigRequest>,
    ) -> Result<Response<()>, Status> {
        let grpc_request = self.read_request(&request)?;
        grpc_request.operate(async |call| ops::delete_push(call, request.into_inner().try_into()?).await).await
    }

    async fn get_agent_card(
        &self,
        request: Request<pb::GetAgentCardRequest>,
    ) -> Result<Response<pb::AgentCard>, Status> {
        let grpc_request = self.read_request(&request)?;
        grpc_request
            .operate(async |call| {
                // Without signatures: they cover the JSON form, which this message does not reproduce byte for byte.
                ops::unsigned_extended_card(call, &request.into_inner().try_into()?)?.try_into()
            })
            .await
    }
}

fn reply_stream(following: TaskStream) -> GrpcReplyStream<pb::StreamResponse> {
    stream(following, |item| pb::StreamResponse::from_wire(item.item, item.last))
}
