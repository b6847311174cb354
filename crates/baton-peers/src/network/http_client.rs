//! HTTP client and credential of one peer.

use super::refusal;
use crate::{Authorize, Authorizer, ClientIdentity, PeerConfig, authorize::EnvironmentCredentials};
use baton_outbound::{AddressPolicy, EnvironmentAccess, GuardedClient, OutboundOptions};
use baton_ports::PeerRegistryError;
use baton_types::ErrorCode;
use std::{fs, sync::Arc, time::Duration};

/// Shorter than the five seconds after which common servers close idle connections: delivery is unknown if a message is
/// sent on a connection that is just being closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(3);

pub(super) struct PeerHttpClient {
    pub(super) client: GuardedClient,
    pub(super) authorize: Arc<dyn Authorize>,
    options: OutboundOptions,
}

impl PeerHttpClient {
    pub(super) fn open(config: &PeerConfig, allow: &[String]) -> Result<Self, PeerRegistryError> {
        let policy = AddressPolicy::allowing(allow.iter().chain(&config.allow))
            .map_err(|error| refusal(ErrorCode::CONFIG_INVALID, error.to_string()))?;
        let timeouts = config.timeouts;
        let options = OutboundOptions {
            connect_timeout: timeouts.connect,
            request_timeout: timeouts.answer,
            head_timeout: timeouts.answer,
            idle_body_timeout: timeouts.idle,
            idle_timeout: IDLE_TIMEOUT,
            client_identity: config.client_identity.as_ref().map(identity).transpose()?,
            ..OutboundOptions::default()
        };
        let unusable = |error: baton_outbound::SetupError| refusal(ErrorCode::TLS_INVALID, error.to_string());
        let client = GuardedClient::new(policy, &options).map_err(unusable)?;
        // A redirect would forward secrets in a form, and the client certificate is for the peer only.
        let to_issuers = OutboundOptions { max_redirects: 0, client_identity: None, ..options.clone() };
        let tokens = client.with_options(to_issuers).map_err(unusable)?;
        let authorize = Arc::new(Authorizer::from_config(config, Arc::new(tokens)));
        Ok(Self { client, authorize, options })
    }

    /// Access with the same connection settings and this timeout per request.
    pub(super) fn environment_access(&self, timeout: Duration) -> Result<EnvironmentAccess, PeerRegistryError> {
        let options = OutboundOptions {
            same_origin: true,
            request_timeout: timeout,
            head_timeout: timeout,
            idle_body_timeout: timeout,
            ..self.options.clone()
        };
        let client = self.client.with_options(options);
        let client = client.map_err(|error| refusal(ErrorCode::TLS_INVALID, error.to_string()))?;
        Ok(EnvironmentAccess { client, authenticator: Arc::new(EnvironmentCredentials(Arc::clone(&self.authorize))) })
    }
}

fn identity(files: &ClientIdentity) -> Result<baton_outbound::ClientIdentity, PeerRegistryError> {
    let read = |path: &std::path::Path| {
        let unreadable = |error| refusal(ErrorCode::TLS_INVALID, format!("cannot read {}: {error}", path.display()));
        fs::read(path).map_err(unreadable)
    };
    baton_outbound::ClientIdentity::from_pem(&read(&files.certificate)?, &read(&files.key)?)
        .map_err(|error| refusal(ErrorCode::TLS_INVALID, error.to_string()))
}
