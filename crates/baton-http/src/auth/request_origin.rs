//! Origin of a request for the audit log.

use super::{AccessOptions, Caller};
use crate::serve::RemoteAddress;
use baton_ports::{AccessDenial, AdminChange};
use baton_types::ErrorCode;
use http::{Method, Request};
use std::{net::IpAddr, sync::Arc};

/// Maximum bytes of a path in the audit log.
const MAX_PATH_BYTES: usize = 512;

/// Method, path and client address of a request; never its credentials.
#[derive(Clone, Debug)]
pub struct RequestOrigin {
    method: Method,
    path: String,
    pub(super) remote: Option<IpAddr>,
}

impl RequestOrigin {
    /// The origin of a request.
    pub fn from_request<B>(request: &Request<B>) -> Self {
        let path = request.uri().path();
        Self {
            method: request.method().clone(),
            path: path[..path.floor_char_boundary(MAX_PATH_BYTES)].to_owned(),
            remote: remote_ip(request),
        }
    }

    /// Writes a denial to the audit log.
    pub fn log_denial(&self, access: &AccessOptions, code: ErrorCode, reason: &str, caller: Option<&Caller>) {
        let Some(audit) = &access.audit else { return };
        if let Some(caller) = caller {
            caller.note_denial();
        }
        audit.record_denial(AccessDenial {
            at: access.clock.now(),
            code,
            reason: reason.to_owned(),
            method: self.method.to_string(),
            path: self.path.clone(),
            remote: self.remote,
            principal: caller.map(|caller| Arc::clone(caller.principal())),
            credential: caller.and_then(Caller::credential),
        });
    }

    /// Writes an administrative change to the audit log.
    pub(super) fn log_admin_change(&self, access: &AccessOptions, change: String, caller: &Caller) {
        let Some(audit) = &access.audit else { return };
        audit.record_change(AdminChange {
            at: access.clock.now(),
            change,
            method: self.method.to_string(),
            path: self.path.clone(),
            remote: self.remote,
            principal: Arc::clone(caller.principal()),
            credential: caller.credential(),
        });
    }
}

/// Client address of a request; `None` without a connection.
pub(super) fn remote_ip<B>(request: &Request<B>) -> Option<IpAddr> {
    request.extensions().get::<RemoteAddress>().map(|address| address.0.ip().to_canonical())
}
