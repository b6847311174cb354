//! TLS handshake with a timeout.

use super::ServeOptions;
use crate::Tls;
use std::{io, time::Duration};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// First byte of every TLS connection (handshake record); no HTTP request begins with it.
const HANDSHAKE_RECORD: u8 = 22;
/// Response to a client that does not use TLS.
const PLAINTEXT_RESPONSE: &[u8] =
    b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\
    Content-Length: 57\r\n\r\nThis port speaks TLS: use https:// in place of http://.\r\n";
/// Maximum bytes read and discarded before the close: closing a socket with unread bytes resets it, and the response is
/// lost.
const MAX_DISCARD_BYTES: u64 = 64 * 1024;
const DISCARD_TIMEOUT: Duration = Duration::from_secs(1);

/// Performs the handshake; `None` for clients that do not use TLS.
pub(super) async fn secure(
    tls: &Tls,
    stream: TcpStream,
    options: &ServeOptions,
) -> io::Result<Option<TlsStream<TcpStream>>> {
    let handshake = async {
        let mut first = [0];
        if stream.peek(&mut first).await? == 0 {
            return Ok(None);
        }
        if first != [HANDSHAKE_RECORD] {
            reject_plaintext(stream).await?;
            return Ok(None);
        }
        let config = tls.config(options.certificate_recheck).await;
        TlsAcceptor::from(config).accept(stream).await.map(Some)
    };
    match tokio::time::timeout(options.handshake_timeout, Box::pin(handshake)).await {
        Ok(ended) => ended,
        Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "the TLS handshake timed out")),
    }
}

async fn reject_plaintext(mut stream: TcpStream) -> io::Result<()> {
    stream.write_all(PLAINTEXT_RESPONSE).await?;
    stream.shutdown().await?;
    let mut rest = stream.take(MAX_DISCARD_BYTES);
    let _ = tokio::time::timeout(DISCARD_TIMEOUT, tokio::io::copy(&mut rest, &mut tokio::io::sink())).await;
    Ok(())
}
