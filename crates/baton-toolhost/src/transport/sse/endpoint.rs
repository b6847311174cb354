//! Message endpoint.

use crate::transport::http::RemoteError;
use baton_outbound::Target;

/// The message endpoint named by a server. It must have the server's origin, because messages carry the headers of the
/// definition.
pub(super) fn endpoint(stream: &Target, named: &str) -> Result<Target, RemoteError> {
    let endpoint = stream.join(named.trim())?;
    if endpoint.origin() != stream.origin() {
        return Err(RemoteError::ForeignEndpoint { endpoint: endpoint.to_string() });
    }
    Ok(endpoint)
}
