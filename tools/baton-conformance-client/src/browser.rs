//! A headless browser that approves every authorization request.

use anyhow::Context as _;
use baton_outbound::{GuardedClient, OutboundOptions};
use baton_ports::BoxFuture;
use baton_toolhost::{Browser, LoginError};
use bytes::Bytes;
use http::{Request, header};

/// No server listens there: the authorization response is read from the redirect.
const CALLBACK_URL: &str = "http://localhost:3000/callback";

pub(crate) struct HeadlessBrowser {
    client: GuardedClient,
}

impl HeadlessBrowser {
    pub(crate) fn new(client: &GuardedClient) -> anyhow::Result<Self> {
        let client = client.with_allowed(["localhost"], OutboundOptions::default()).context("a browser")?;
        Ok(Self { client })
    }
}

impl Browser for HeadlessBrowser {
    fn callback(&self) -> &str {
        CALLBACK_URL
    }

    fn visit<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<String, LoginError>> {
        Box::pin(async move {
            let request = Request::get(url).body(Bytes::new());
            let request = request.map_err(|error| LoginError::failed(error.to_string()))?;
            let response = self.client.open_without_redirects(request).await;
            let response = response.map_err(|error| LoginError::failed(error.to_string()))?;
            let location = response.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
            location.map(str::to_owned).ok_or_else(|| LoginError::failed("the page has no redirect"))
        })
    }
}
