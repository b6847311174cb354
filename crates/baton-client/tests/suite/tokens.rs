//! Authentication of the client.

use super::hello;
use baton_client::{Client, ClientError};
use bytes::Bytes;
use http::{Request, Response, header};
use http_body_util::Full;
use std::{
    convert::Infallible,
    future::ready,
    sync::{Arc, Mutex},
};

#[tokio::test]
async fn token_is_sent_with_every_request_and_never_logged() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let shown = Arc::clone(&seen);
    let server = tower::service_fn(move |request: Request<Full<Bytes>>| {
        let given = request.headers().get(header::AUTHORIZATION).map(|value| value.to_str().unwrap().to_owned());
        shown.lock().unwrap().push(given);
        ready(Ok::<_, Infallible>(Response::new(Full::new(Bytes::from_static(b"{}")))))
    });
    let client = Client::in_memory(server);
    let _ = client.health().await;
    let client = client.with_token("btn_1_secret").unwrap();
    assert!(!format!("{client:?}").contains("secret"));
    let _ = client.health().await;
    let _ = client.send("weather", hello()).await;
    let _ = client.send_streaming("weather", hello()).await;
    let _ = client.tokens().await;
    let _ = client.revoke_token("1").await;
    let expect = Some("Bearer btn_1_secret".to_owned());
    assert_eq!(*seen.lock().unwrap(), [None, expect.clone(), expect.clone(), expect.clone(), expect.clone(), expect]);
    assert!(matches!(client.with_token("two\nlines"), Err(ClientError::Token)));
}
