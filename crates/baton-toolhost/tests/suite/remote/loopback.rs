//! The loopback callback of a real browser.

use super::provider::{Provider, settings};
use baton_toolhost::{Browser as _, LoopbackBrowser, login};
use std::sync::{Arc, Mutex};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

async fn get(url: &str) -> String {
    let (authority, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut socket = TcpStream::connect(authority).await.unwrap();
    socket.write_all(format!("GET /{path} HTTP/1.1\r\nhost: {authority}\r\n\r\n").as_bytes()).await.unwrap();
    let mut reply = String::new();
    socket.read_to_string(&mut reply).await.unwrap();
    reply.lines().next().unwrap().to_owned()
}

#[tokio::test]
async fn only_the_callback_of_the_opened_page_is_accepted() {
    let shown: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&shown);
    let browser =
        LoopbackBrowser::listen(None, move |url: &str| seen.lock().unwrap().push(url.to_owned())).await.unwrap();
    let callback = browser.callback().to_owned();
    let page = "https://auth.example/authorize?state=right%20one&client_id=1";
    let strangers = async {
        let others = ["?code=1&state=wrong", "?code=1", "x?code=1&state=right%20one"];
        for (other, status) in others.iter().zip(["400 Bad Request", "400 Bad Request", "404 Not Found"]) {
            assert_eq!(get(&format!("{callback}{other}")).await, format!("HTTP/1.1 {status}"));
        }
        assert_eq!(get(&format!("{callback}?code=2&state=right+one")).await, "HTTP/1.1 200 OK");
    };
    let (came, ()) = tokio::join!(browser.visit(page), strangers);
    assert_eq!(came.unwrap(), format!("{callback}?code=2&state=right+one"));
    assert_eq!(*shown.lock().unwrap(), [page]);
}

#[tokio::test]
async fn explicit_login_uses_the_loopback_callback() {
    let provider = Provider::start().await;
    let folder = tempfile::tempdir().unwrap();
    let definition = provider.definition();
    let settings = settings(Some(folder.path()));
    let (pages, mut shown) = tokio::sync::mpsc::channel(1);
    let show = move |url: &str| pages.try_send(url.to_owned()).unwrap();
    let person = async {
        let page = shown.recv().await.unwrap();
        let query = page.split_once('?').unwrap().1.to_owned();
        let said =
            |name: &str| form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == name).unwrap().1.into_owned();
        let back = form_urlencoded::Serializer::new(String::new())
            .append_pair("code", "1")
            .append_pair("state", &said("state"))
            .append_pair("iss", &provider.server.origin)
            .finish();
        get(&format!("{}?{back}", said("redirect_uri"))).await
    };
    let (done, seen) = tokio::join!(login(&settings, definition.target(), show), person);
    done.unwrap();
    assert_eq!((seen.as_str(), provider.grants("authorization_code")), ("HTTP/1.1 200 OK", 1));
}
