//! Push configurations.

use super::pb;
use crate::{
    fault::{ConversionResult, WireConvert, convert, each, maybe},
    scalar::{some, text},
};
use baton_wire::a2a::v1 as wire;
use std::borrow::Cow;

convert! { in_request:
    pb::TaskPushNotificationConfig, wire::TaskPushNotificationConfig<'static>, wire::TaskPushNotificationConfig<'_>;
    pb::GetTaskPushNotificationConfigRequest, wire::TaskPushNotificationConfigRequest<'static>,
        wire::TaskPushNotificationConfigRequest<'_>;
    pb::DeleteTaskPushNotificationConfigRequest, wire::TaskPushNotificationConfigRequest<'static>,
        wire::TaskPushNotificationConfigRequest<'_>;
    pb::ListTaskPushNotificationConfigsRequest, wire::ListTaskPushNotificationConfigsRequest<'static>,
        wire::ListTaskPushNotificationConfigsRequest<'_>;
}
convert! { in_answer:
    pb::ListTaskPushNotificationConfigsResponse, wire::ListTaskPushNotificationConfigsResponse<'static>,
        wire::ListTaskPushNotificationConfigsResponse<'_>;
}

impl WireConvert<wire::TaskPushNotificationConfig<'static>> for pb::TaskPushNotificationConfig {
    fn convert(self) -> ConversionResult<wire::TaskPushNotificationConfig<'static>> {
        Ok(wire::TaskPushNotificationConfig {
            tenant: some(self.tenant),
            id: Cow::Owned(self.id),
            task_id: Cow::Owned(self.task_id),
            url: Cow::Owned(self.url),
            token: some(self.token),
            authentication: maybe(self.authentication, "authentication")?,
        })
    }
}

impl WireConvert<pb::TaskPushNotificationConfig> for wire::TaskPushNotificationConfig<'_> {
    fn convert(self) -> ConversionResult<pb::TaskPushNotificationConfig> {
        Ok(pb::TaskPushNotificationConfig {
            tenant: text(self.tenant),
            id: self.id.into_owned(),
            task_id: self.task_id.into_owned(),
            url: self.url.into_owned(),
            token: text(self.token),
            authentication: maybe(self.authentication, "authentication")?,
        })
    }
}

impl WireConvert<wire::AuthenticationInfo<'static>> for pb::AuthenticationInfo {
    fn convert(self) -> ConversionResult<wire::AuthenticationInfo<'static>> {
        Ok(wire::AuthenticationInfo { scheme: Cow::Owned(self.scheme), credentials: some(self.credentials) })
    }
}

impl WireConvert<pb::AuthenticationInfo> for wire::AuthenticationInfo<'_> {
    fn convert(self) -> ConversionResult<pb::AuthenticationInfo> {
        Ok(pb::AuthenticationInfo { scheme: self.scheme.into_owned(), credentials: text(self.credentials) })
    }
}

/// The get and delete requests share one wire type.
macro_rules! named {
    ($($pb:ident)*) => {$(
        impl WireConvert<wire::TaskPushNotificationConfigRequest<'static>> for pb::$pb {
            fn convert(self) -> ConversionResult<wire::TaskPushNotificationConfigRequest<'static>> {
                Ok(wire::TaskPushNotificationConfigRequest {
                    tenant: some(self.tenant),
                    task_id: Cow::Owned(self.task_id),
                    id: Cow::Owned(self.id),
                })
            }
        }

        impl WireConvert<pb::$pb> for wire::TaskPushNotificationConfigRequest<'_> {
            fn convert(self) -> ConversionResult<pb::$pb> {
                Ok(pb::$pb {
                    tenant: text(self.tenant),
                    task_id: self.task_id.into_owned(),
                    id: self.id.into_owned(),
                })
            }
        }
    )*};
}
named! { GetTaskPushNotificationConfigRequest DeleteTaskPushNotificationConfigRequest }

impl WireConvert<wire::ListTaskPushNotificationConfigsRequest<'static>> for pb::ListTaskPushNotificationConfigsRequest {
    fn convert(self) -> ConversionResult<wire::ListTaskPushNotificationConfigsRequest<'static>> {
        Ok(wire::ListTaskPushNotificationConfigsRequest {
            tenant: some(self.tenant),
            task_id: Cow::Owned(self.task_id),
            page_size: Some(self.page_size).filter(|size| *size != 0),
            page_token: some(self.page_token),
        })
    }
}

impl WireConvert<pb::ListTaskPushNotificationConfigsRequest> for wire::ListTaskPushNotificationConfigsRequest<'_> {
    fn convert(self) -> ConversionResult<pb::ListTaskPushNotificationConfigsRequest> {
        Ok(pb::ListTaskPushNotificationConfigsRequest {
            tenant: text(self.tenant),
            task_id: self.task_id.into_owned(),
            page_size: self.page_size.unwrap_or_default(),
            page_token: text(self.page_token),
        })
    }
}

impl WireConvert<wire::ListTaskPushNotificationConfigsResponse<'static>>
    for pb::ListTaskPushNotificationConfigsResponse
{
    fn convert(self) -> ConversionResult<wire::ListTaskPushNotificationConfigsResponse<'static>> {
        Ok(wire::ListTaskPushNotificationConfigsResponse {
            configs: each(self.configs, "configs")?,
            next_page_token: Cow::Owned(self.next_page_token),
        })
    }
}

impl WireConvert<pb::ListTaskPushNotificationConfigsResponse> for wire::ListTaskPushNotificationConfigsResponse<'_> {
    fn convert(self) -> ConversionResult<pb::ListTaskPushNotificationConfigsResponse> {
        Ok(pb::ListTaskPushNotificationConfigsResponse {
            configs: each(self.configs, "configs")?,
            next_page_token: self.next_page_token.into_owned(),
        })
    }
}
