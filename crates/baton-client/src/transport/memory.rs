//! A service in this process, called without a socket.

use super::{ReplyBody, ResponseFuture, Transport};
use bytes::Bytes;
use http::{HeaderValue, Request, Response, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Body;
use std::{convert::Infallible, error::Error, sync::Arc};
use tower::{Service, ServiceExt as _};

impl Transport {
    pub(crate) fn memory<S, B>(service: S) -> Self
    where
        S: Service<Request<Full<Bytes>>, Response = Response<B>, Error = Infallible> + Clone + Send + Sync + 'static,
        S::Future: Send + 'static,
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        Self::Memory(Arc::new(move |request| {
            let service = service.clone();
            let answering: ResponseFuture = Box::pin(async move {
                let Ok(response) = service.oneshot(request).await;
                response.map(|body| body.map_err(Into::into).boxed_unsync())
            });
            answering
        }))
    }
}

pub(super) async fn send(
    service: &(dyn Fn(Request<Full<Bytes>>) -> ResponseFuture + Send + Sync),
    mut request: Request<Full<Bytes>>,
) -> Response<ReplyBody> {
    request.headers_mut().insert(header::HOST, HeaderValue::from_static("localhost"));
    service(request).await
}
