//! Where messages go.

use crate::transport::http::RemoteError;
use baton_outbound::Target;

/// The address that a server names for messages, which must be of its own origin: messages carry what the headers of
/// the definition carry.
pub(super) fn endpoint(stream: &Target, named: &str) -> Result<Target, RemoteError> {
    let endpoint = stream.join(named.trim())?;
    if endpoint.origin() != stream.origin() {
        return Err(RemoteError::ForeignEndpoint { endpoint: endpoint.to_string() });
    }
    Ok(endpoint)
}
