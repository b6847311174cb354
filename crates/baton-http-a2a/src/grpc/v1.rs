//! `lf.a2a.v1.A2AService`: A2A 1.0.

use super::{
    super::{
        ops::{self, TaskStream},
        version::A2aVersion,
    },
    request::{GrpcReplyStream, GrpcRequest, stream},
};
use crate::{cards::CardForm, state::A2aState};
use baton_proto::v1::pb::{self, a2a_service_server::A2aService};
use baton_types::{PushConfig, TaskId};
use baton_wire::a2a::v1::TaskPushNotificationConfig;
use std::sync::Arc;
use tonic::{Request, Response, Status, async_trait};

/// Operations of all served agents.
pub(super) struct V1GrpcService {
    pub(super) shared: Arc<A2aState>,
}

impl V1GrpcService {
    fn read_request<T>(&self, request: &Request<T>, tenant: &str) -> Result<GrpcRequest, Status> {
        GrpcRequest::from_request(&self.shared, request, tenant, A2aVersion::V1)
    }
}

#[async_trait]
impl A2aService for V1GrpcService {
    type SendStreamingMessageStream = GrpcReplyStream<pb::StreamResponse>;
    type SubscribeToTaskStream = GrpcReplyStream<pb::StreamResponse>;

    async fn send_message(
        &self,
        request: Request<pb::SendMessageRequest>,
    ) -> Result<Response<pb::SendMessageResponse>, Status> {
        let grpc_request = self.read_request(&request, &request.get_ref().tenant)?;
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
        let grpc_request = self.read_request(&request, &request.get_ref().tenant)?;
        grpc_request
            .operate(async |call| Ok(reply_stream(ops::stream(call, request.into_inner().try_into()?).await?)))
            .await
    }

    async fn get_task(&self, request: Request<pb::GetTaskRequest>) -> Result<Response<pb::Task>, Status> {
        let grpc_request = self.read_request(&request, &request.get_ref().tenant)?;
        grpc_request
            .operate(async |call| {
                let shown = ops::get(call, request.into_inner().try_into()?).await?;
                shown.task().try_into()
            })
            .await
    }

    async fn list_tasks(
        &self,
        request: Request<pb::ListTasksRequest>,
    ) -> Result<Response<pb::ListTasksResponse>, Status> {
        let grpc_request = self.read_request(&request, &request.get_ref().tenant)?;
        grpc_request
            .operate(async |call| {
                let shown = ops::list(call, request.into_inner().try_into()?).await?;
                shown.response().try_into()
            })
            .await
    }

    async fn cancel_task(&self, request: Request<pb::CancelTaskRequest>) -> Result<Response<pb::Task>, Status> {
        let grpc_request = self.read_request(&request, &request.get_ref().tenant)?;
        grpc_request
            .operate(async |call| {
                let shown = ops::cancel(call, request.into_inner().try_into()?).await?;
                shown.task().try_into()
            })
            .await
    }

    async fn subscribe_to_task(
        &self,
        request: Request<pb::SubscribeToTaskRequest>,
    ) -> Result<Response<Self::SubscribeToTaskStream>, Status> {
        let grpc_request = self.read_request(&request, &request.get_ref().tenant)?;
        grpc_request
            .operate(async |call| Ok(reply_stream(ops::subscribe(call, request.into_inner().try_into()?).await?)))
            .await
    }

    async fn create_task_push_notification_config(
        &self,
        request: Request<pb::TaskPushNotificationConfig>,
    ) -> Result<Response<pb::TaskPushNotificationConfig>, Status> {
        let grpc_request = self.read_request(&request, &request.get_ref().tenant)?;
        grpc_request
            .operate(async |call| {
                let (task, config) = ops::create_push(call, request.into_inner().try_into()?).await?;
                shown_push(&task, &config).try_into()
            })
            .await
    }

    async fn get_task_push_notification_config(
        &self,
        request: Request<pb::GetTaskPushNotificationConfigRequest>,
    ) -> Result<Response<pb::TaskPushNotificationConfig>, Status> {
        let grpc_request = self.read_request(&request, &request.get_ref().tenant)?;
        grpc_request
            .operate(async |call| {
                let (task, config) = ops::get_push(call, request.into_inner().try_into()?).await?;
                shown_push(&task, &config).try_into()
            })
            .await
    }

    async fn list_task_push_notification_configs(
        &self,
        request: Request<pb::ListTaskPushNotificationConfigsRequest>,
    ) -> Result<Response<pb::ListTaskPushNotificationConfigsResponse>, Status> {
        let grpc_request = self.read_request(&request, &request.get_ref().tenant)?;
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
        let grpc_request = self.read_request(&request, &request.get_ref().tenant)?;
        grpc_request.operate(async |call| ops::delete_push(call, request.into_inner().try_into()?).await).await
    }

    async fn get_extended_agent_card(
        &self,
        request: Request<pb::GetExtendedAgentCardRequest>,
    ) -> Result<Response<pb::AgentCard>, Status> {
        let grpc_request = self.read_request(&request, &request.get_ref().tenant)?;
        grpc_request
            .operate(async |call| {
                let card = ops::extended_card(call, &request.into_inner().try_into()?, CardForm::V1)?;
                card.into_v1().try_into()
            })
            .await
    }
}

fn reply_stream(following: TaskStream) -> GrpcReplyStream<pb::StreamResponse> {
    stream(following, |item| item.item.try_into())
}

fn shown_push<'a>(task: &'a TaskId, config: &'a PushConfig) -> TaskPushNotificationConfig<'a> {
    TaskPushNotificationConfig::from_config(task, config)
}
