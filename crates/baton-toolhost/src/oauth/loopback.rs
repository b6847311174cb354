//! The user's browser, with a callback to a local port.

use super::{Browser, LoginError};
use baton_ports::BoxFuture;
use std::{io, net::Ipv4Addr, time::Duration};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time::timeout,
};

/// Maximum time for a user to log in.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// Maximum time for one connection to send its request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_HEAD: usize = 16 * 1024;

/// Shows the address of the login page and listens for the callback on a local port. Never opens a browser; the user
/// decides.
pub struct LoopbackBrowser<F> {
    listener: TcpListener,
    callback: String,
    show: F,
}

impl<F: Fn(&str) + Send + Sync> LoopbackBrowser<F> {
    /// Listens on this port, or on any free port.
    pub async fn listen(port: Option<u16>, show: F) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0))).await?;
        let callback = format!("http://127.0.0.1:{}/callback", listener.local_addr()?.port());
        Ok(Self { listener, callback, show })
    }

    async fn wait_for_callback(&self, state: &str) -> Result<String, LoginError> {
        loop {
            let accepted = self.listener.accept().await;
            let (mut socket, _) =
                accepted.map_err(|error| LoginError::failed(format!("cannot accept the login callback: {error}")))?;
            let Ok(Some(target)) = timeout(REQUEST_TIMEOUT, request_target(&mut socket)).await else { continue };
            let (path, query) = target.split_once('?').unwrap_or((&target, ""));
            let has_state =
                form_urlencoded::parse(query.as_bytes()).any(|(key, value)| key == "state" && value == state);
            // Any local process and any page in the browser can call this port; only the callback of the login page has
            // its state.
            if path != "/callback" || !has_state {
                let status = if path == "/callback" { "400 Bad Request" } else { "404 Not Found" };
                let _ = timeout(
                    REQUEST_TIMEOUT,
                    send_response(&mut socket, status, "This is not the login that was started here."),
                )
                .await;
                continue;
            }
            let text = "Return to the terminal. You can close this window.";
            let _ = timeout(REQUEST_TIMEOUT, send_response(&mut socket, "200 OK", text)).await;
            return Ok(format!("{}?{query}", self.callback));
        }
    }
}

impl<F: Fn(&str) + Send + Sync> Browser for LoopbackBrowser<F> {
    fn callback(&self) -> &str {
        &self.callback
    }

    fn visit<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<String, LoginError>> {
        Box::pin(async move {
            let query = url.split_once('?').map_or("", |(_, query)| query);
            let state = form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == "state");
            let (_, state) = state.ok_or_else(|| LoginError::failed("the address of the login page has no state"))?;
            (self.show)(url);
            let late = || LoginError::failed("the login was not completed within ten minutes");
            timeout(LOGIN_TIMEOUT, self.wait_for_callback(&state)).await.unwrap_or_else(|_| Err(late()))
        })
    }
}

/// Target of the GET request on a connection.
async fn request_target(socket: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if head.len() > MAX_HEAD || socket.read_buf(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    let line = head.split(|byte| *byte == b'\r').next()?;
    let line = std::str::from_utf8(line).ok()?;
    Some(line.strip_prefix("GET ")?.split(' ').next()?.to_owned())
}

async fn send_response(socket: &mut TcpStream, status: &str, text: &str) -> io::Result<()> {
    let length = text.len();
    let reply = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {length}\r\n\
         cache-control: no-store\r\nreferrer-policy: no-referrer\r\nconnection: close\r\n\r\n{text}"
    );
    socket.write_all(reply.as_bytes()).await?;
    socket.shutdown().await
}
