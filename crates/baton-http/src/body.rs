//! The only way in which a request body is read: bounded in size and time.

use axum::body::Body;
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, header};
use http_body_util::BodyExt as _;
use hyper::body::Body as _;
use std::time::Duration;

/// How much of a refused body is read and thrown away, so that its sender gets to see the refusal.
const DISCARDED: usize = 64 * 1024 * 1024;
const DISCARD_TIME: Duration = Duration::from_secs(10);

/// All of the body, or why not.
pub(crate) async fn read(headers: &HeaderMap, mut body: Body, limit: usize, time: Duration) -> Result<Bytes, Error> {
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    let read = if announced > limit {
        Err(Stopped::TooLarge)
    } else {
        tokio::time::timeout(time, collect(&mut body, limit)).await.unwrap_or(Err(Stopped::TooSlow))
    };
    match read {
        Ok(bytes) => Ok(bytes),
        Err(Stopped::TooLarge) => {
            // A client that asks before it sends has nothing under way.
            if !headers.contains_key(header::EXPECT) {
                let _ = tokio::time::timeout(DISCARD_TIME, discard(&mut body)).await;
            }
            let message = format!("the body is larger than {limit} bytes");
            Err(Error::new(ErrorKind::BodyTooLarge, ErrorCode::BODY_TOO_LARGE, message))
        }
        Err(Stopped::TooSlow) => {
            let message = format!("the body did not arrive within {} s", time.as_secs());
            Err(Error::new(ErrorKind::InvalidRequest, ErrorCode::INVALID_REQUEST, message))
        }
        Err(Stopped::Broken) => {
            let message = "the body broke off";
            Err(Error::new(ErrorKind::InvalidRequest, ErrorCode::INVALID_REQUEST, message))
        }
    }
}

enum Stopped {
    TooLarge,
    TooSlow,
    Broken,
}

async fn collect(body: &mut Body, limit: usize) -> Result<Bytes, Stopped> {
    let Some(first) = next(body).await? else { return Ok(Bytes::new()) };
    if first.len() > limit {
        return Err(Stopped::TooLarge);
    }
    let Some(second) = next(body).await? else { return Ok(first) };
    let mut all = BytesMut::with_capacity((first.len() + second.len()) * 2);
    all.extend_from_slice(&first);
    let mut more = Some(second);
    while let Some(piece) = more {
        if all.len() + piece.len() > limit {
            return Err(Stopped::TooLarge);
        }
        all.extend_from_slice(&piece);
        more = next(body).await?;
    }
    Ok(all.freeze())
}

async fn next(body: &mut Body) -> Result<Option<Bytes>, Stopped> {
    while let Some(frame) = body.frame().await {
        match frame.map_err(|_| Stopped::Broken)?.into_data() {
            Ok(data) if data.is_empty() => {}
            Ok(data) => return Ok(Some(data)),
            Err(_trailers) => {}
        }
    }
    Ok(None)
}

async fn discard(body: &mut Body) {
    let mut seen = 0;
    while let Ok(Some(piece)) = next(body).await {
        seen += piece.len();
        if seen > DISCARDED {
            return;
        }
    }
}
