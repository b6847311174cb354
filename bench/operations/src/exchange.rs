//! Requests and checks of their replies.

use crate::served::ServedAgents;
use anyhow::{Result, ensure};
use axum::body::Body;
use http::{Method, Request, header};
use http_body_util::BodyExt as _;
use memchr::memmem;

/// Digits of a number; fixed, so that the length of a body never changes.
const NUMBER_DIGITS: usize = 12;
/// Placeholder of the number of a request.
pub const PLACEHOLDER: &str = "############";

/// A request with placeholders for its number, and the texts of its reply.
pub struct Exchange {
    path: &'static str,
    headers: &'static [(&'static str, &'static str)],
    body: Vec<u8>,
    places: Vec<usize>,
    expect: Vec<String>,
}

impl Exchange {
    /// A request with this body; without a body it is a `GET`.
    pub fn new(path: &'static str, body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        let places = memmem::find_iter(&body, PLACEHOLDER).collect();
        Self { path, headers: &[("content-type", "application/json")], body, places, expect: Vec::new() }
    }

    /// Replaces the headers.
    pub fn with_headers(mut self, headers: &'static [(&'static str, &'static str)]) -> Self {
        self.headers = headers;
        self
    }

    /// Adds a text that every reply must contain, with placeholders.
    pub fn expecting(mut self, text: &str) -> Self {
        self.expect.push(text.to_owned());
        self
    }

    /// Sends the request with this number, and checks its reply.
    pub async fn perform(&mut self, served: &ServedAgents, number: u64) -> Result<()> {
        let digits = format!("{number:0NUMBER_DIGITS$}");
        for place in &self.places {
            self.body[*place..place + NUMBER_DIGITS].copy_from_slice(digits.as_bytes());
        }
        let method = if self.body.is_empty() { Method::GET } else { Method::POST };
        let mut request = Request::builder().method(method).uri(self.path).header(header::HOST, "127.0.0.1");
        for (name, value) in self.headers {
            request = request.header(*name, *value);
        }
        let response = served.call(request.body(Body::from(self.body.clone()))?).await?;
        let status = response.status();
        let reply = response.into_body().collect().await?.to_bytes();
        let is_complete = |text: &String| memmem::find(&reply, text.replace(PLACEHOLDER, &digits).as_bytes()).is_some();
        ensure!(
            status.is_success() && self.expect.iter().all(is_complete),
            "wrong reply of {}, {status}: {}",
            self.path,
            reply.escape_ascii()
        );
        Ok(())
    }
}
