//! Ids of requests that were posted before the MCP library numbered them.
//!
//! The server answers with the id that was posted, the library waits for its own.

use crate::transport::PostedReply;
use parking_lot::Mutex;
use rmcp::{
    RoleClient,
    model::{ClientNotification, GetMeta as _, JsonRpcMessage, RequestId},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
};
use std::collections::HashMap;

/// Requests without a response; calls in flight are limited, so this table is too.
#[derive(Default)]
pub(super) struct RenamedRequests {
    /// The id of the library by the posted id.
    by_posted: Mutex<HashMap<RequestId, RequestId>>,
}

impl RenamedRequests {
    /// Gives a posted request its posted id and progress token, which are returned, and a cancellation the id that it
    /// was posted with.
    pub(super) fn rename_outgoing(&self, message: &mut TxJsonRpcMessage<RoleClient>) -> Option<RequestId> {
        let posted = PostedReply::from_message(message).map(PostedReply::identifiers);
        match (message, posted) {
            (JsonRpcMessage::Request(request), Some((id, token))) => {
                let numbered = std::mem::replace(&mut request.id, id.clone());
                request.request.get_meta_mut().set_progress_token(token);
                self.by_posted.lock().insert(id.clone(), numbered);
                Some(id)
            }
            (JsonRpcMessage::Notification(notification), _) => {
                if let ClientNotification::CancelledNotification(cancelled) = &mut notification.notification
                    && let Some(id) = &mut cancelled.params.request_id
                    && let Some(posted) = self.take_posted(id)
                {
                    *id = posted;
                }
                None
            }
            _ => None,
        }
    }

    /// Gives a response the id that the library waits for.
    pub(super) fn rename_incoming(&self, message: &mut RxJsonRpcMessage<RoleClient>) {
        let id = match message {
            JsonRpcMessage::Response(response) => &mut response.id,
            JsonRpcMessage::Error(error) => match &mut error.id {
                Some(id) => id,
                None => return,
            },
            _ => return,
        };
        let mut by_posted = self.by_posted.lock();
        if by_posted.is_empty() {
            return;
        }
        // Some servers return a number as a string.
        let posted = match &*id {
            RequestId::String(text) => text.parse().map_or_else(|_| id.clone(), RequestId::Number),
            RequestId::Number(_) => id.clone(),
        };
        if let Some(numbered) = by_posted.remove(&posted) {
            *id = numbered;
        }
    }

    /// Forgets a request that the transport could not continue.
    pub(super) fn forget(&self, posted: &RequestId) {
        self.by_posted.lock().remove(posted);
    }

    fn take_posted(&self, numbered: &RequestId) -> Option<RequestId> {
        let mut by_posted = self.by_posted.lock();
        let posted = by_posted.iter().find(|(_, known)| *known == numbered).map(|(posted, _)| posted.clone())?;
        by_posted.remove(&posted);
        Some(posted)
    }
}
