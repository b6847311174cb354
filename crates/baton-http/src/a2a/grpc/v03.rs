//! `a2a.v1.A2AService`: A2A 0.3.

use super::{
    super::{
        ops::{self, Following},
        version::Version,
    },
    asked::{Answers, Asked, stream},
};
use crate::app::Shared;
use baton_proto::v03::pb::{self, a2a_service_server::A2aService};
use baton_wire::a2a::v1::TaskPushNotificationConfig;
use std::sync::Arc;
use tonic::{Request, Response, Status, async_trait};

/// Operations of all served agents.
pub(super) struct Operations {
    pub(super) shared: Arc<Shared>,
}

impl Operations {
    fn asked<T>(&self, request: &Request<T>) -> Result<Asked, Status> {
        Asked::of(&self.shared, request, "", Version::V03)
    }
}

#[async_trait]
impl A2aService for Operations {
    type SendStreamingMessageStream = Answers<pb::StreamResponse>;
    type TaskSubscriptionStream = Answers<pb::StreamResponse>;

    async fn send_message(
        &self,
        request: Request<pb::SendMessageRequest>,
    ) -> Result<Response<pb::SendMessageResponse>, Status> {
        let asked = self.asked(&request)?;
        asked
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
        let asked = self.asked(&request)?;
        asked.operate(async |call| Ok(told(ops::stream(call, request.into_inner().try_into()?).await?))).await
    }

    async fn get_task(&self, request: Request<pb::GetTaskRequest>) -> Result<Response<pb::Task>, Status> {
        let asked = self.asked(&request)?;
        asked
            .operate(async |call| {
                let shown = ops::get(call, request.into_inner().try_into()?).await?;
                shown.task().try_into()
            })
            .await
    }

    async fn cancel_task(&self, request: Request<pb::CancelTaskRequest>) -> Result<Response<pb::Task>, Status> {
        let asked = self.asked(&request)?;
        asked
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
        let asked = self.asked(&request)?;
        asked.operate(async |call| Ok(told(ops::subscribe(call, request.into_inner().try_into()?).await?))).await
    }

    async fn create_task_push_notification_config(
        &self,
        request: Request<pb::CreateTaskPushNotificationConfigRequest>,
    ) -> Result<Response<pb::TaskPushNotificationConfig>, Status> {
        let asked = self.asked(&request)?;
        asked
            .operate(async |call| {
                let (task, config) = ops::create_push(call, request.into_inner().try_into()?).await?;
                TaskPushNotificationConfig::of(&task, &config).try_into()
            })
            .await
    }

    async fn get_task_push_notification_config(
        &self,
        request: Request<pb::GetTaskPushNotificationConfigRequest>,
    ) -> Result<Response<pb::TaskPushNotificationConfig>, Status> {
        let asked = self.asked(&request)?;
        asked
            .operate(async |call| {
                let (task, config) = ops::get_push(call, request.into_inner().try_into()?).await?;
                TaskPushNotificationConfig::of(&task, &config).try_into()
            })
            .await
    }

    async fn list_task_push_notification_config(
        &self,
        request: Request<pb::ListTaskPushNotificationConfigRequest>,
    ) -> Result<Response<pb::ListTaskPushNotificationConfigResponse>, Status> {
        let asked = self.asked(&request)?;
        asked
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
        let asked = self.asked(&request)?;
        asked.operate(async |call| ops::delete_push(call, request.into_inner().try_into()?).await).await
    }

    async fn get_agent_card(
        &self,
        request: Request<pb::GetAgentCardRequest>,
    ) -> Result<Response<pb::AgentCard>, Status> {
        let asked = self.asked(&request)?;
        asked
            .operate(async |call| {
                // Without signatures: they cover the JSON form, which this message does not reproduce byte for byte.
                ops::unsigned_extended_card(call, &request.into_inner().try_into()?)?.try_into()
            })
            .await
    }
}

fn told(following: Following) -> Answers<pb::StreamResponse> {
    stream(following, |told| pb::StreamResponse::of(told.item, told.last))
}
