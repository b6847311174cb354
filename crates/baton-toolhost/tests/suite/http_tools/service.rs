//! A scripted HTTP service on loopback.

use crate::calls;
use baton_outbound::{AddressPolicy, GuardedClient, OutboundOptions};
use baton_toolhost::HttpTools;
use baton_types::{HttpBody, HttpTool, ToolRunner, ToolSpec};
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

/// A request as received.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl ReceivedRequest {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }
}

type Script = Arc<dyn Fn(&ReceivedRequest) -> Vec<u8> + Send + Sync>;

/// A service that records its requests.
pub(crate) struct Service {
    address: SocketAddr,
    received: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl Service {
    /// A service that replies `{"ok":true}` to every request.
    pub(crate) async fn start() -> Self {
        Self::start_with_script(|_| reply("200 OK", &[("content-type", "application/json")], r#"{"ok":true}"#)).await
    }

    /// A service that replies with the bytes of the script; if they are empty, it never replies.
    pub(crate) async fn start_with_script(
        script: impl Fn(&ReceivedRequest) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let received = Arc::<Mutex<Vec<ReceivedRequest>>>::default();
        let (script, seen): (Script, _) = (Arc::new(script), Arc::clone(&received));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&script), Arc::clone(&seen)));
            }
        });
        Self { address, received }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn host(&self) -> String {
        self.address.to_string()
    }

    pub(crate) fn received(&self) -> Vec<ReceivedRequest> {
        self.received.lock().unwrap().clone()
    }

    /// HTTP tools with a client that may not call private addresses by itself.
    pub(crate) fn tools(&self) -> HttpTools {
        let client = GuardedClient::new(AddressPolicy::public_only(), &OutboundOptions::default()).unwrap();
        HttpTools::with_secrets(client, |name| match name {
            "TOKEN" => Some("s3cret-t0ken\n".to_owned()),
            "BROKEN" => Some("line\r\nx-injected: 1".to_owned()),
            _ => None,
        })
    }
}

async fn serve(mut stream: TcpStream, script: Script, seen: Arc<Mutex<Vec<ReceivedRequest>>>) -> Option<()> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<_> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length =
        headers.iter().find(|(name, _)| name == "content-length").map_or(0, |(_, value)| value.parse().unwrap());
    while bytes.len() < end + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    let body = String::from_utf8(bytes[end..].to_vec()).ok()?;
    let request = ReceivedRequest { method, path, headers, body };
    let answer = script(&request);
    seen.lock().unwrap().push(request);
    if answer.is_empty() {
        return std::future::pending().await;
    }
    stream.write_all(&answer).await.ok()?;
    stream.shutdown().await.ok()
}

/// A complete reply.
pub(crate) fn reply(status: &str, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

pub(crate) fn definition(method: &str, url: &str) -> HttpTool {
    HttpTool {
        method: method.to_owned(),
        url: url.to_owned(),
        headers: Vec::new(),
        body: HttpBody::None,
        timeout: Duration::from_secs(20),
        max_output: 1024,
    }
}

/// A tool with this definition.
pub(crate) fn get(name: &str, definition: HttpTool) -> ToolSpec {
    calls::tool(name, ToolRunner::Http(definition))
}
