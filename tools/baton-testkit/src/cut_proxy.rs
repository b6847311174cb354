//! TCP proxy that closes connections at configured points.

use anyhow::{Context as _, Result};
use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::{Semaphore, watch},
    task::{JoinHandle, JoinSet},
};

/// Upper bound of concurrent connections; further ones wait.
const MAX_CONNECTIONS: usize = 256;

/// Size of the copy buffer.
const COPY_BUFFER_BYTES: usize = 16 * 1024;

/// Position in the server's response bytes at which a connection is closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    /// The connection is not closed.
    #[default]
    Never,
    /// Directly after this number of server-sent events.
    Events(usize),
    /// Directly after this number of server-sent events with an id.
    Numbered(usize),
    /// After this number of bytes, regardless of event boundaries.
    Bytes(usize),
}

/// Returns the cut of each new connection; connections are numbered from 0.
type CutFunction = Box<dyn FnMut(usize) -> Cut + Send>;

/// Forwards loopback connections to a server and closes them as configured.
pub struct CutProxy {
    address: SocketAddr,
    shared: Arc<CutProxyState>,
    accept_task: JoinHandle<()>,
}

struct CutProxyState {
    target: SocketAddr,
    plan: Mutex<CutFunction>,
    connections: AtomicUsize,
    cuts: AtomicUsize,
    /// Changes when all connections are to be closed.
    all: watch::Sender<u64>,
}

impl CutProxy {
    /// Opens a proxy to `target`, such as `127.0.0.1:8700`, without any cuts.
    pub async fn open(target: &str) -> Result<Self> {
        let target = target.parse().with_context(|| format!("{target} is not an address"))?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let shared = Arc::new(CutProxyState {
            target,
            plan: Mutex::new(Box::new(|_| Cut::Never)),
            connections: AtomicUsize::new(0),
            cuts: AtomicUsize::new(0),
            all: watch::Sender::new(0),
        });
        let address = listener.local_addr()?;
        Ok(Self { address, accept_task: tokio::spawn(accept(listener, Arc::clone(&shared))), shared })
    }

    /// Listening address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets the cut function for connections accepted from now on.
    pub fn plan(&self, plan: impl FnMut(usize) -> Cut + Send + 'static) {
        *self.shared.plan.lock().unwrap_or_else(PoisonError::into_inner) = Box::new(plan);
    }

    /// Closes every open connection.
    pub fn cut(&self) {
        self.shared.all.send_modify(|version| *version += 1);
    }

    /// Number of accepted connections.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::Relaxed)
    }

    /// Number of connections closed by a cut.
    pub fn cuts(&self) -> usize {
        self.shared.cuts.load(Ordering::Relaxed)
    }
}

impl Drop for CutProxy {
    fn drop(&mut self) {
        self.accept_task.abort();
    }
}

async fn accept(listener: TcpListener, shared: Arc<CutProxyState>) {
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    while let Ok(permit) = Arc::clone(&room).acquire_owned().await {
        let Ok((client, _)) = listener.accept().await else { return };
        let number = shared.connections.fetch_add(1, Ordering::Relaxed);
        let cut = (shared.plan.lock().unwrap_or_else(PoisonError::into_inner))(number);
        let shared = Arc::clone(&shared);
        connections.spawn(async move {
            // Connection errors are expected here.
            let _ = forward(client, cut, &shared).await;
            drop(permit);
        });
        while connections.try_join_next().is_some() {}
    }
}

/// Copies both directions until one side ends or the connection is cut; then closes both sides.
async fn forward(client: TcpStream, cut: Cut, shared: &CutProxyState) -> Result<()> {
    let mut all = shared.all.subscribe();
    let server = TcpStream::connect(shared.target).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let was_cut = tokio::select! {
        passed = copy_response(from_server, to_client, cut) => passed?,
        passed = copy_request(from_client, to_server) => { passed?; false }
        _ = all.changed() => true,
    };
    if was_cut {
        shared.cuts.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// Copies the client's bytes to the server unchanged.
async fn copy_request(mut from: OwnedReadHalf, mut to: OwnedWriteHalf) -> Result<()> {
    tokio::io::copy(&mut from, &mut to).await?;
    Ok(())
}

/// Copies the server's bytes to the client up to the cut; `true` if the cut was reached.
async fn copy_response(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, cut: Cut) -> Result<bool> {
    let (mut piece, mut bytes, mut events) = (vec![0; COPY_BUFFER_BYTES], 0, EventCounter::default());
    loop {
        let read = from.read(&mut piece).await?;
        if read == 0 {
            return Ok(false);
        }
        let piece = &piece[..read];
        let end = match cut {
            Cut::Never => None,
            Cut::Events(limit) => events.find_end(piece, limit, EventSelector::All),
            Cut::Numbered(limit) => events.find_end(piece, limit, EventSelector::Numbered),
            Cut::Bytes(limit) => Some(limit - bytes).filter(|left| *left <= read),
        };
        bytes += read;
        to.write_all(&piece[..end.unwrap_or(read)]).await?;
        if end.is_some() {
            // An orderly shutdown, so that the bytes before the cut arrive.
            to.shutdown().await?;
            return Ok(true);
        }
    }
}

/// Counts server-sent events in a byte stream, with or without HTTP/1.1 chunked encoding.
#[derive(Default)]
struct EventCounter {
    seen: usize,
    /// Prefix of the current line.
    line: Vec<u8>,
    /// Fields present in the current event.
    data: bool,
    id: bool,
}

/// Selects the events to count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EventSelector {
    All,
    Numbered,
}

impl EventCounter {
    /// Offset in the chunk at which event number `limit` ends, if it ends there.
    fn find_end(&mut self, piece: &[u8], limit: usize, counted: EventSelector) -> Option<usize> {
        /// Longer than any field name.
        const LINE_PREFIX_LEN: usize = 8;
        if self.seen >= limit {
            return Some(0);
        }
        for (at, byte) in piece.iter().enumerate() {
            match byte {
                b'\r' => {}
                b'\n' => {
                    self.data |= self.line.starts_with(b"data:");
                    self.id |= self.line.starts_with(b"id:");
                    if self.line.is_empty() {
                        let (data, id) = (std::mem::take(&mut self.data), std::mem::take(&mut self.id));
                        self.seen += usize::from(data && (id || counted == EventSelector::All));
                    }
                    self.line.clear();
                    if self.seen >= limit {
                        return Some(at + 1);
                    }
                }
                byte if self.line.len() < LINE_PREFIX_LEN => self.line.push(*byte),
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{EventSelector::*, *};

    #[test]
    fn event_ends_after_its_blank_line() {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
        let plain =
            format!("{head}: ping\n\nid: 1\ndata: {{\"a\":1}}\n\n: ping\n\ndata: x\ndata: y\n\nid: 2\ndata: z\n\n");
        let chunked = format!("{head}8\r\ndata: 1\r\n\r\n\r\n8\r\ndata: 2\r\n\r\n\r\n8\r\ndata: 3\r\n\r\n\r\n");
        for (text, most, counted, rest) in [
            (&plain, 1, All, ": ping\n\ndata: x\ndata: y\n\nid: 2\ndata: z\n\n"),
            (&plain, 2, All, "id: 2\ndata: z\n\n"),
            (&plain, 2, Numbered, ""),
            (&plain, 3, All, ""),
            (&chunked, 1, All, "\r\n8\r\ndata: 2\r\n\r\n\r\n8\r\ndata: 3\r\n\r\n\r\n"),
            (&chunked, 3, All, "\r\n"),
        ] {
            // Results do not depend on the chunk size.
            for size in [1, 3, 7, 1000] {
                let (mut events, mut passed) = (EventCounter::default(), 0);
                let end = text.as_bytes().chunks(size).find_map(|piece| {
                    let end = events.find_end(piece, most, counted);
                    passed += end.unwrap_or(piece.len());
                    end
                });
                assert!(end.is_some(), "{most} events in pieces of {size}");
                assert_eq!(&text[passed..], rest, "{most} events in pieces of {size}");
            }
            assert_eq!(EventCounter::default().find_end(text.as_bytes(), 4, counted), None);
        }
    }
}
