//! The listening socket.

use crate::{Error, error_codes};
use tokio::net::TcpListener;

/// Listens on a local address.
pub(crate) async fn listen(address: &str) -> Result<TcpListener, Error> {
    let unusable = |reason: String| Error::new(error_codes::USAGE, format!("cannot listen on {address}: {reason}"));
    let found =
        tokio::net::lookup_host(address).await.map_err(|error| unusable(format!("{error}; write 127.0.0.1:8700")))?;
    let found: Vec<_> = found.collect();
    if let Some(exposed_address) = found.iter().find(|found| !found.ip().is_loopback()) {
        let message = format!(
            "{exposed_address} can be reached from other machines, and the SDK does not authenticate callers; \
             use 127.0.0.1, or put `baton` with --auth in front of it"
        );
        return Err(Error::new(error_codes::EXPOSED, message));
    }
    TcpListener::bind(found.as_slice()).await.map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => Error::new(error_codes::PORT_IN_USE, format!("{address} is already in use")),
        _ => unusable(error.to_string()),
    })
}
