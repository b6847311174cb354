//! Push configurations.

use super::{name, pb, request::reject_tenant};
use crate::{
    fault::{ConversionResult, FieldContext, WireConvert, convert, each, maybe},
    scalar::{some, text},
};
use baton_wire::a2a::v1 as wire;
use std::borrow::Cow;

convert! { in_request:
    pb::CreateTaskPushNotificationConfigRequest, wire::TaskPushNotificationConfig<'static>,
        wire::TaskPushNotificationConfig<'_>;
    pb::GetTaskPushNotificationConfigRequest, wire::TaskPushNotificationConfigRequest<'static>,
        wire::TaskPushNotificationConfigRequest<'_>;
    pb::DeleteTaskPushNotificationConfigRequest, wire::TaskPushNotificationConfigRequest<'static>,
        wire::TaskPushNotificationConfigRequest<'_>;
    pb::ListTaskPushNotificationConfigRequest, wire::ListTaskPushNotificationConfigsRequest<'static>,
        wire::ListTaskPushNotificationConfigsRequest<'_>;
}
convert! { in_answer:
    pb::TaskPushNotificationConfig, wire::TaskPushNotificationConfig<'static>, wire::TaskPushNotificationConfig<'_>;
    pb::ListTaskPushNotificationConfigResponse, wire::ListTaskPushNotificationConfigsResponse<'static>,
        wire::ListTaskPushNotificationConfigsResponse<'_>;
}

/// Without a task id, which is set separately.
impl WireConvert<wire::TaskPushNotificationConfig<'static>> for pb::PushNotificationConfig {
    fn convert(self) -> ConversionResult<wire::TaskPushNotificationConfig<'static>> {
        Ok(wire::TaskPushNotificationConfig {
            id: Cow::Owned(self.id),
            url: Cow::Owned(self.url),
            token: some(self.token),
            authentication: maybe(self.authentication, "authentication")?,
            ..wire::TaskPushNotificationConfig::default()
        })
    }
}

impl WireConvert<pb::PushNotificationConfig> for wire::TaskPushNotificationConfig<'_> {
    fn convert(self) -> ConversionResult<pb::PushNotificationConfig> {
        reject_tenant(self.tenant)?;
        Ok(pb::PushNotificationConfig {
            id: self.id.into_owned(),
            url: self.url.into_owned(),
            token: text(self.token),
            authentication: maybe(self.authentication, "authentication")?,
        })
    }
}

/// 0.3 has a list of schemes; the first is used.
impl WireConvert<wire::AuthenticationInfo<'static>> for pb::AuthenticationInfo {
    fn convert(self) -> ConversionResult<wire::AuthenticationInfo<'static>> {
        Ok(wire::AuthenticationInfo {
            scheme: Cow::Owned(self.schemes.into_iter().next().unwrap_or_default()),
            credentials: some(self.credentials),
        })
    }
}

impl WireConvert<pb::AuthenticationInfo> for wire::AuthenticationInfo<'_> {
    fn convert(self) -> ConversionResult<pb::AuthenticationInfo> {
        let schemes = Some(self.scheme.into_owned()).filter(|scheme| !scheme.is_empty());
        Ok(pb::AuthenticationInfo { schemes: schemes.into_iter().collect(), credentials: text(self.credentials) })
    }
}

impl WireConvert<wire::TaskPushNotificationConfig<'static>> for pb::TaskPushNotificationConfig {
    fn convert(self) -> ConversionResult<wire::TaskPushNotificationConfig<'static>> {
        let (task_id, id) = name::parse_config(&self.name)?;
        let config: wire::TaskPushNotificationConfig<'static> =
            maybe(self.push_notification_config, "pushNotificationConfig")?.unwrap_or_default();
        let id = if config.id.is_empty() { id } else { config.id };
        Ok(wire::TaskPushNotificationConfig { id, task_id, ..config })
    }
}

impl WireConvert<pb::TaskPushNotificationConfig> for wire::TaskPushNotificationConfig<'_> {
    fn convert(self) -> ConversionResult<pb::TaskPushNotificationConfig> {
        Ok(pb::TaskPushNotificationConfig {
            name: name::config_name(&self.task_id, &self.id),
            push_notification_config: Some(self.convert().at("pushNotificationConfig")?),
        })
    }
}

/// The inner name is ignored: clients set it before there is an id.
impl WireConvert<wire::TaskPushNotificationConfig<'static>> for pb::CreateTaskPushNotificationConfigRequest {
    fn convert(self) -> ConversionResult<wire::TaskPushNotificationConfig<'static>> {
        let task_id = name::parse_parent(&self.parent)?;
        let config = self.config.and_then(|config| config.push_notification_config);
        let config: wire::TaskPushNotificationConfig<'static> =
            maybe(config, "pushNotificationConfig").at("config")?.unwrap_or_default();
        let id = if config.id.is_empty() { Cow::Owned(self.config_id) } else { config.id };
        Ok(wire::TaskPushNotificationConfig { id, task_id, ..config })
    }
}

impl WireConvert<pb::CreateTaskPushNotificationConfigRequest> for wire::TaskPushNotificationConfig<'_> {
    fn convert(self) -> ConversionResult<pb::CreateTaskPushNotificationConfigRequest> {
        Ok(pb::CreateTaskPushNotificationConfigRequest {
            parent: name::task_name(&self.task_id),
            config_id: self.id.clone().into_owned(),
            config: Some(self.convert().at("config")?),
        })
    }
}

/// The get and delete requests share one wire type.
macro_rules! named {
    ($($pb:ident)*) => {$(
        impl WireConvert<wire::TaskPushNotificationConfigRequest<'static>> for pb::$pb {
            fn convert(self) -> ConversionResult<wire::TaskPushNotificationConfigRequest<'static>> {
                let (task_id, id) = name::parse_config(&self.name)?;
                Ok(wire::TaskPushNotificationConfigRequest { tenant: None, task_id, id })
            }
        }

        impl WireConvert<pb::$pb> for wire::TaskPushNotificationConfigRequest<'_> {
            fn convert(self) -> ConversionResult<pb::$pb> {
                reject_tenant(self.tenant)?;
                Ok(pb::$pb { name: name::config_name(&self.task_id, &self.id) })
            }
        }
    )*};
}
named! { GetTaskPushNotificationConfigRequest DeleteTaskPushNotificationConfigRequest }

impl WireConvert<wire::ListTaskPushNotificationConfigsRequest<'static>> for pb::ListTaskPushNotificationConfigRequest {
    fn convert(self) -> ConversionResult<wire::ListTaskPushNotificationConfigsRequest<'static>> {
        Ok(wire::ListTaskPushNotificationConfigsRequest {
            tenant: None,
            task_id: name::parse_parent(&self.parent)?,
            page_size: Some(self.page_size).filter(|size| *size != 0),
            page_token: some(self.page_token),
        })
    }
}

impl WireConvert<pb::ListTaskPushNotificationConfigRequest> for wire::ListTaskPushNotificationConfigsRequest<'_> {
    fn convert(self) -> ConversionResult<pb::ListTaskPushNotificationConfigRequest> {
        reject_tenant(self.tenant)?;
        Ok(pb::ListTaskPushNotificationConfigRequest {
            parent: name::task_name(&self.task_id),
            page_size: self.page_size.unwrap_or_default(),
            page_token: text(self.page_token),
        })
    }
}

impl WireConvert<wire::ListTaskPushNotificationConfigsResponse<'static>>
    for pb::ListTaskPushNotificationConfigResponse
{
    fn convert(self) -> ConversionResult<wire::ListTaskPushNotificationConfigsResponse<'static>> {
        Ok(wire::ListTaskPushNotificationConfigsResponse {
            configs: each(self.configs, "configs")?,
            next_page_token: Cow::Owned(self.next_page_token),
        })
    }
}

impl WireConvert<pb::ListTaskPushNotificationConfigResponse> for wire::ListTaskPushNotificationConfigsResponse<'_> {
    fn convert(self) -> ConversionResult<pb::ListTaskPushNotificationConfigResponse> {
        Ok(pb::ListTaskPushNotificationConfigResponse {
            configs: each(self.configs, "configs")?,
            next_page_token: self.next_page_token.into_owned(),
        })
    }
}
