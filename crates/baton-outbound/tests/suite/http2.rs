//! HTTP/2: the same address policy, and streaming in both directions.

use crate::fixtures::{ScriptedResolver, client_with};
use baton_outbound::{GuardedClient, OutboundError, OutboundOptions};
use bytes::Bytes;
use http::{Request, Response, Version};
use http_body_util::{BodyExt as _, Full};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::net::TcpListener;
use tower::Service as _;

const LOOPBACK: &[&str] = &["127.0.0.0/8"];

/// An HTTP/2 server that echoes bodies and counts its connections.
async fn echo() -> (SocketAddr, Arc<Mutex<usize>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let connections = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&connections);
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            *counted.lock().unwrap() += 1;
            let service = service_fn(|request: Request<Incoming>| async {
                if request.uri().path() == "/silence" {
                    std::future::pending::<()>().await;
                }
                assert_eq!(request.version(), Version::HTTP_2);
                Ok::<_, Infallible>(Response::new(request.into_body()))
            });
            let server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
            tokio::spawn(server.serve_connection(TokioIo::new(stream), service));
        }
    });
    (address, connections)
}

async fn call(client: &GuardedClient, url: &str, body: Vec<u8>) -> Result<Response<Incoming>, OutboundError> {
    client.grpc_service().unwrap().call(Request::post(url).body(Full::new(Bytes::from(body))).unwrap()).await
}

#[tokio::test]
async fn body_larger_than_a_window_flows_and_connections_are_shared() {
    let (address, connections) = echo().await;
    let client = client_with(LOOPBACK, ScriptedResolver::default(), &OutboundOptions::default());
    let service = client.grpc_service().unwrap();
    for _ in 0..3 {
        let sent = Bytes::from(vec![7_u8; 5 * 1024 * 1024]);
        let request = Request::post(format!("http://{address}/x")).body(Full::new(sent.clone())).unwrap();
        let response = service.clone().call(request).await.unwrap();
        assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), sent);
    }
    assert_eq!(*connections.lock().unwrap(), 1);
}

#[tokio::test]
async fn forbidden_addresses_are_rejected_and_names_checked() {
    let (address, connections) = echo().await;
    let port = address.port();
    let names = ScriptedResolver::of(&[("inside.example", &[&["127.0.0.1"]])]);
    let client = client_with(&[], names, &OutboundOptions::default());
    for url in [format!("http://127.0.0.1:{port}/"), format!("http://inside.example:{port}/")] {
        let error = call(&client, &url, Vec::new()).await.unwrap_err();
        assert!(error.is_forbidden() && error.is_before_send(), "{url}: {error:?}");
    }
    assert_eq!(*connections.lock().unwrap(), 0);
}

#[tokio::test]
async fn unresponsive_server_times_out() {
    let (address, _) = echo().await;
    let limit = Duration::from_millis(50);
    let options = OutboundOptions { request_timeout: limit, ..OutboundOptions::default() };
    let client = client_with(LOOPBACK, ScriptedResolver::default(), &options);
    let error = call(&client, &format!("http://{address}/silence"), Vec::new()).await.unwrap_err();
    assert!(matches!(error, OutboundError::Timeout { .. }) && !error.is_before_send(), "{error:?}");
}
