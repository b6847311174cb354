//! Requests of A2A 0.3 in both of its JSON forms.

use crate::{
    property::{accepted, assert_conversion, params},
    requests::send,
};
use baton_types::{MAX_JSON_DEPTH, PushDialect};
use baton_encoding::depth_within;
use baton_wire::a2a::{v03::{self, rest}, v1};

/// The grammar shape of each choice.
pub(crate) const SHAPES: &[&str] =
    &["send", "send", "query", "query", "query", "query", "push", "push", "query", "query", "push"];

pub(crate) fn read(choice: usize, text: &str) {
    if !depth_within(text.as_bytes(), MAX_JSON_DEPTH) {
        return;
    }
    match choice {
        0 => {
            let Some(asked) = params::<v03::MessageSendParams<'static>>(text) else { return };
            if let Some(request) =
                assert_conversion(asked, v03::MessageSendParams::into_v1, v03::MessageSendParams::from)
            {
                send(&request);
            }
        }
        1 => {
            let Some(asked) = params::<rest::SendMessageRequest<'static>>(text) else { return };
            if let Some(request) =
                assert_conversion(asked, rest::SendMessageRequest::into_v1, rest::SendMessageRequest::from)
            {
                send(&request);
            }
        }
        2 => {
            let Some(asked) = params::<v03::TaskQueryParams<'static>>(text) else { return };
            assert_conversion(asked, |asked| Ok(asked.into_v1()), v03::TaskQueryParams::from)
                .map(|request: v1::GetTaskRequest<'_>| accepted(request.check()));
        }
        3 => {
            let Some(asked) = params::<v03::TaskIdParams<'static>>(text) else { return };
            let _ = accepted(asked.check());
            assert_conversion(asked, |asked| Ok(asked.into_cancel()), v03::TaskIdParams::from);
        }
        4 => {
            let Some(asked) = params::<v03::TaskIdParams<'static>>(text) else { return };
            assert_conversion(asked, |asked| Ok(asked.into_subscribe()), v03::TaskIdParams::from);
        }
        5 => {
            let Some(asked) = params::<v03::TaskIdParams<'static>>(text) else { return };
            assert_conversion(asked, |asked| Ok(asked.into_list_push()), v03::TaskIdParams::from);
        }
        6 => {
            let Some(asked) = params::<v03::TaskPushNotificationConfig<'static>>(text) else { return };
            let checked = accepted(asked.check());
            let config = assert_conversion(asked, |asked| Ok(asked.into_v1()), v03::TaskPushNotificationConfig::from);
            if let (Some(()), Some(config)) = (checked, config) {
                let _ = accepted(config.check_create(PushDialect::V03));
            }
        }
        7 => {
            let Some(asked) = params::<rest::CreatePushRequest<'static>>(text) else { return };
            let checked = accepted(asked.check());
            let config = assert_conversion(asked, |asked| Ok(asked.into_v1()), rest::CreatePushRequest::from);
            if let (Some(()), Some(config)) = (checked, config) {
                let _ = accepted(config.check_create(PushDialect::V03));
            }
        }
        8 => {
            let Some(asked) = params::<v03::GetPushParams<'static>>(text) else { return };
            let _ = accepted(asked.check());
            let _ = asked.into_v1();
        }
        9 => {
            let Some(asked) = params::<v03::DeletePushParams<'static>>(text) else { return };
            let _ = accepted(asked.check());
            assert_conversion(asked, |asked| Ok(asked.into_v1()), v03::DeletePushParams::from);
        }
        _ => {
            let Some(asked) = params::<rest::TaskPushNotificationConfig<'static>>(text) else { return };
            assert_conversion(asked, |asked| Ok(asked.into_v1()), rest::TaskPushNotificationConfig::from);
        }
    }
}
