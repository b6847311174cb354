//! One HTTP/1.1 connection with keep-alive.

use crate::{
    check,
    connection::{ExchangeOutcome, PARSE_INTERVAL, connect},
    options::{LoadMode, LoadOptions},
    protocol::A2aProtocol,
    request::{RequestTemplate, expected_echo},
    response::{self, BodyDecoder, ResponseHead},
};
use std::time::{Duration, Instant};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// An A2A connection.
pub struct Http1Connection {
    wire: Http1Stream,
    template: RequestTemplate,
    mode: LoadMode,
    protocol: A2aProtocol,
    text: String,
    exchanges: u64,
}

impl Http1Connection {
    /// Connects.
    pub async fn open(options: &LoadOptions, protocol: A2aProtocol) -> Result<Self, String> {
        Ok(Self {
            wire: Http1Stream::open(options).await?,
            template: RequestTemplate::http1(options, protocol),
            mode: options.mode,
            protocol,
            text: options.text.clone(),
            exchanges: 0,
        })
    }

    /// Sends request `number` and reads its response to the end.
    pub async fn exchange(&mut self, number: u64) -> Result<ExchangeOutcome, String> {
        let (head, content) = self.wire.exchange(self.template.numbered(number)).await?;
        head.expect(200, &content)?;
        self.exchanges += 1;
        let thorough = self.exchanges % PARSE_INTERVAL == 1;
        let events =
            self.check(&content, number, thorough).map_err(|wrong| format!("{wrong}: {}", excerpt(&content)))?;
        Ok(ExchangeOutcome { events, first_event: self.wire.first_event(), reusable: !head.close })
    }

    fn check(&self, content: &[u8], number: u64, thorough: bool) -> Result<u64, String> {
        if self.mode == LoadMode::Submit {
            return check::submitted(content).map(|()| 1);
        }
        let echo = expected_echo(&self.text, number);
        check::contains_all(content, &[self.protocol.completed().as_bytes(), echo.as_bytes()])?;
        match self.mode {
            LoadMode::Stream => {
                let events = check::count_events(content);
                if thorough { check::stream(self.protocol, content, &echo).map(|()| events) } else { Ok(events) }
            }
            _ if thorough => check::task(self.protocol, content, &echo).map(|()| 1),
            _ => Ok(1),
        }
    }
}

/// Requests and responses as bytes, independent of the protocol.
pub struct Http1Stream {
    stream: TcpStream,
    input: Vec<u8>,
    first_event: Option<Duration>,
}

impl Http1Stream {
    /// Connects.
    pub async fn open(options: &LoadOptions) -> Result<Self, String> {
        Ok(Self { stream: connect(options).await?, input: Vec::with_capacity(16 * 1024), first_event: None })
    }

    /// Sends a request and reads its response to the end.
    pub async fn exchange(&mut self, request: &[u8]) -> Result<(ResponseHead, Vec<u8>), String> {
        self.stream.write_all(request).await.map_err(|error| format!("write: {error}"))?;
        let written = Instant::now();
        self.input.clear();
        self.first_event = None;
        let head = loop {
            if let Some(head) = response::head(&self.input)? {
                break head;
            }
            self.read_more().await?;
        };
        let mut body = BodyDecoder::default();
        loop {
            let complete = body.advance(head.framing, &self.input[head.length..])?;
            if self.first_event.is_none() && check::has_event(&body.content) {
                self.first_event = Some(written.elapsed());
            }
            if complete {
                return Ok((head, body.content));
            }
            self.read_more().await?;
        }
    }

    /// Time from the written request to the first event, if the last response was a stream.
    pub fn first_event(&self) -> Option<Duration> {
        self.first_event
    }

    /// A header of the last response.
    pub fn header(&self, name: &str) -> Option<&str> {
        response::header(&self.input, name)
    }

    async fn read_more(&mut self) -> Result<(), String> {
        match self.stream.read_buf(&mut self.input).await {
            Ok(0) => Err("the server closed the connection".to_owned()),
            Ok(_) => Ok(()),
            Err(error) => Err(format!("read: {error}")),
        }
    }
}

/// First bytes of a body, for error messages.
pub fn excerpt(content: &[u8]) -> String {
    String::from_utf8_lossy(&content[..content.len().min(400)]).into_owned()
}
