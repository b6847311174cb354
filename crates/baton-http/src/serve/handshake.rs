//! From a socket to a secured stream, within its time.

use super::ServeOptions;
use crate::Tls;
use std::{io, time::Duration};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// Every TLS connection begins with a handshake record; no request begins like this.
const HANDSHAKE_RECORD: u8 = 22;
/// What a client that does not speak TLS is told.
const USE_HTTPS: &[u8] =
    b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\
    Content-Length: 57\r\n\r\nThis port speaks TLS: use https:// in place of http://.\r\n";
/// A socket that is closed while bytes wait on it takes the answer back, so that many are read and thrown away.
const LEFT_BEHIND: u64 = 64 * 1024;
const FAREWELL: Duration = Duration::from_secs(1);

/// The secured stream; nothing for clients that came without TLS.
pub(super) async fn secure(
    tls: &Tls,
    stream: TcpStream,
    options: &ServeOptions,
) -> io::Result<Option<TlsStream<TcpStream>>> {
    let shaking = async {
        let mut first = [0];
        if stream.peek(&mut first).await? == 0 {
            return Ok(None);
        }
        if first != [HANDSHAKE_RECORD] {
            refuse(stream).await?;
            return Ok(None);
        }
        let config = tls.config(options.certificate_recheck).await;
        TlsAcceptor::from(config).accept(stream).await.map(Some)
    };
    match tokio::time::timeout(options.handshake_timeout, Box::pin(shaking)).await {
        Ok(ended) => ended,
        Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "it took too long")),
    }
}

async fn refuse(mut stream: TcpStream) -> io::Result<()> {
    stream.write_all(USE_HTTPS).await?;
    stream.shutdown().await?;
    let mut rest = stream.take(LEFT_BEHIND);
    let _ = tokio::time::timeout(FAREWELL, tokio::io::copy(&mut rest, &mut tokio::io::sink())).await;
    Ok(())
}
