//! Dropping a response stream stops the service.

use crate::{
    calls::{provider, user},
    chunks::{content_type, first},
    scripted_server::{Reply, ScriptedServer},
};
use baton_ports::ModelEvent;
use baton_types::ProviderKind;
use futures_util::StreamExt;
use std::time::Duration;

/// Time until the service must see the disconnect.
const DISCONNECT_TIMEOUT: Duration = Duration::from_millis(100);

#[tokio::test]
async fn dropped_stream_closes_the_connection() {
    for kind in ProviderKind::ALL {
        let mut server = ScriptedServer::new(Reply::hanging(content_type(kind), &first(kind))).await;
        let model = provider(kind, &server.url).model("m");
        let mut stream = model.call(user("tell me a story"));
        assert_eq!(stream.next().await, Some(Ok(ModelEvent::Text("Half".to_owned()))), "{kind:?}");
        drop(stream);
        assert_eq!(tokio::time::timeout(DISCONNECT_TIMEOUT, server.left.recv()).await, Ok(Some(())), "{kind:?}");
    }
}

#[tokio::test]
async fn dropped_call_closes_the_connection_before_the_response() {
    for kind in ProviderKind::ALL {
        let mut server = ScriptedServer::new(Reply::Hanging(Vec::new())).await;
        let model = provider(kind, &server.url).model("m");
        let mut stream = model.call(user("tell me a story"));
        let waiting = tokio::select! {
            event = stream.next() => panic!("{kind:?}: {event:?}"),
            request = server.requests.recv() => request,
        };
        assert!(waiting.is_some());
        drop(stream);
        assert_eq!(tokio::time::timeout(DISCONNECT_TIMEOUT, server.left.recv()).await, Ok(Some(())), "{kind:?}");
    }
}
