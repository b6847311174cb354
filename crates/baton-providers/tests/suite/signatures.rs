//! Bedrock with a key pair: signatures as the service verifies them, and behavior identical to that of an API key.

use crate::{
    calls::{PAIR, collect_output, signed, user},
    chunks::{content_type, first, last},
    scripted_server::{Reply, Request, ScriptedServer},
};
use baton_ports::{ModelError, ModelEvent, RetryAdvice};
use baton_providers::{KeyPair, Provider, Secret};
use baton_types::ProviderKind;
use futures_util::StreamExt;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::{sync::Arc, time::Duration};

const KIND: ProviderKind = ProviderKind::Bedrock;
const MODEL: &str = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
/// Time until the service must see the disconnect.
const DISCONNECT_TIMEOUT: Duration = Duration::from_millis(100);

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// HMAC by its definition, for keys up to one block.
fn hmac(key: &[u8], text: &str) -> Vec<u8> {
    let padded = |pad: u8| -> Vec<u8> { (0..64).map(|at| key.get(at).copied().unwrap_or(0) ^ pad).collect() };
    let inner = Sha256::digest([padded(0x36).as_slice(), text.as_bytes()].concat());
    Sha256::digest([padded(0x5c).as_slice(), inner.as_slice()].concat()).to_vec()
}

fn headers<'a>(request: &'a Request, wanted: &str) -> Vec<&'a str> {
    let all = request.headers.lines().filter_map(|line| line.split_once(": "));
    all.filter(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value).collect()
}

/// The signed header names, after verifying the signature like a service that knows the secret key.
fn verified_headers(request: &Request, region: &str) -> String {
    let header = |name: &str| match headers(request, name).as_slice() {
        [value] => (*value).to_owned(),
        other => panic!("{name}: {other:?}"),
    };
    let (date, authorization) = (header("x-amz-date"), header("authorization"));
    assert_eq!(date, "20270115T080000Z");
    let scope = format!("20270115/{region}/bedrock/aws4_request");
    let begun = format!("AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders=", PAIR[0]);
    let rest = authorization.strip_prefix(&begun).unwrap_or_else(|| panic!("{authorization}"));
    let (names, signature) = rest.split_once(", Signature=").expect("a signature");
    let [method, target, _] = request.line.split(' ').collect::<Vec<_>>()[..] else { panic!("{}", request.line) };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let said: String = names.split(';').map(|name| format!("{name}:{}\n", header(name).trim())).collect();
    // The path is encoded a second time for the signature.
    let path = path.replace('%', "%25");
    let canonical = format!("{method}\n{path}\n{query}\n{said}\n{names}\n{}", digest(&request.raw));
    let text = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{}", digest(&canonical));
    let key = ["20270115", region, "bedrock", "aws4_request"]
        .iter()
        .fold(format!("AWS4{}", PAIR[1]).into_bytes(), |key, part| hmac(&key, part));
    assert_eq!(signature, hex(&hmac(&key, &text)), "{canonical}");
    names.to_owned()
}

fn whole() -> Value {
    json!({
        "output": {"message": {"role": "assistant", "content": [{"text": "Half"}]}},
        "stopReason": "end_turn",
        "usage": {"inputTokens": 11, "outputTokens": 5, "totalTokens": 16}
    })
}

fn good() -> Reply {
    Reply::stream(content_type(KIND), &[first(KIND), last(KIND)].concat())
}

#[tokio::test]
async fn every_request_is_signed_over_its_content() {
    let replies = vec![good(), Reply::json("200 OK", &whole()), Reply::json("200 OK", &json!({"modelSummaries": []}))];
    let mut server = ScriptedServer::in_turn(replies).await;
    let provider =
        signed(&server.url).with_header("x-gate", Secret::new("open")).with_header("x-amz-own", Secret::new("too"));
    for (provider, path) in [(provider.clone(), "converse-stream"), (provider.clone().without_streaming(), "converse")]
    {
        let heard = collect_output(provider.model(MODEL).as_ref(), user("grüß dich, 你好")).await;
        assert_eq!((heard.error, heard.text.as_str()), (None, "Half"));
        let request = server.request().await;
        assert_eq!(request.line, format!("POST /model/{}/{path} HTTP/1.1", MODEL.replace(':', "%3A")));
        assert_eq!(
            verified_headers(&request, "eu-central-1"),
            "content-type;host;x-amz-date;x-amz-own;x-amz-security-token"
        );
        assert_eq!(headers(&request, "x-amz-security-token"), [PAIR[2]]);
        assert_eq!(
            (headers(&request, "x-gate"), headers(&request, "content-type")),
            (vec!["open"], vec!["application/json"])
        );
        assert_eq!(request.body["messages"][0]["content"][0]["text"], "grüß dich, 你好");
    }
    assert_eq!(provider.list().await, Ok(Vec::new()));
    let request = server.request().await;
    assert_eq!(request.line, "GET /foundation-models?byOutputModality=TEXT HTTP/1.1");
    assert_eq!(verified_headers(&request, "eu-central-1"), "host;x-amz-date;x-amz-own;x-amz-security-token");
    assert_eq!(server.count(), 0, "no request is repeated");
}

/// Inodes of the sockets on which this process listens.
#[cfg(target_os = "linux")]
fn listening_sockets() -> std::collections::BTreeSet<String> {
    const LISTEN: &str = "0A";
    let table =
        ["/proc/self/net/tcp", "/proc/self/net/tcp6"].map(|path| std::fs::read_to_string(path).unwrap_or_default());
    let open: Vec<String> = std::fs::read_dir("/proc/self/fd")
        .expect("file descriptors")
        .filter_map(|entry| Some(std::fs::read_link(entry.ok()?.path()).ok()?.to_string_lossy().into_owned()))
        .collect();
    let rows =
        table.iter().flat_map(|table| table.lines().skip(1)).map(|row| row.split_whitespace().collect::<Vec<_>>());
    let listening = rows.filter(|row| row.get(3) == Some(&LISTEN)).filter_map(|row| Some((*row.get(9)?).to_owned()));
    listening.filter(|inode| open.contains(&format!("socket:[{inode}]"))).collect()
}

/// The request is signed where it is sent: no local port is opened for it.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn signed_call_opens_no_listener() {
    let mut server = ScriptedServer::new(Reply::hanging(content_type(KIND), &first(KIND))).await;
    let before = listening_sockets();
    assert!(!before.is_empty(), "the scripted server listens");
    let mut stream = signed(&server.url).model(MODEL).call(user("go"));
    assert_eq!(stream.next().await, Some(Ok(ModelEvent::Text("Half".to_owned()))));
    assert_eq!(listening_sockets(), before);
    let request = server.request().await;
    verified_headers(&request, "eu-central-1");
    assert_eq!(headers(&request, "host"), [server.url.trim_start_matches("http://")]);
}

#[tokio::test]
async fn session_token_is_optional_and_region_has_a_default() {
    let mut server = ScriptedServer::new(good()).await;
    let pair = KeyPair::new(Secret::new(PAIR[0]), Secret::new(PAIR[1]));
    // The login in the URL is ignored; the signature identifies the caller.
    let url = server.url.replace("http://", "http://me:password@");
    let provider = Provider::new(KIND, "mine").with_base_url(&url);
    let provider = provider.with_key_pair(pair, "MY_ID", Arc::new(crate::calls::MorningClock));
    assert_eq!(collect_output(provider.model(MODEL).as_ref(), user("go")).await.error, None);
    assert_eq!(verified_headers(&server.request().await, "us-east-1"), "content-type;host;x-amz-date");
}

#[tokio::test]
async fn rejected_key_is_reported_like_any_other() {
    let said = format!("The security token {} included in the request is invalid, {}.", PAIR[2], PAIR[0]);
    for streaming in [true, false] {
        let server = ScriptedServer::new(Reply::json("403 Forbidden", &json!({"message": said}))).await;
        let provider = signed(&server.url);
        let provider = if streaming { provider } else { provider.without_streaming() };
        let told =
            [collect_output(provider.model(MODEL).as_ref(), user("go")).await.error, provider.list().await.err()];
        for error in told {
            let Some(ModelError::Refused { status: 403, message, advice: RetryAdvice { wait: None, .. } }) = error
            else {
                panic!("{error:?}")
            };
            let expect = "mine does not accept the key; check MY_ID and MY_SECRET \
                          (The security token [hidden] included in the request is invalid, [hidden].)";
            assert_eq!(message, expect);
        }
    }
}

#[tokio::test]
async fn dropped_stream_stops_the_service() {
    for reply in [Reply::hanging(content_type(KIND), &first(KIND)), Reply::Hanging(Vec::new())] {
        let begins = matches!(&reply, Reply::Hanging(bytes) if !bytes.is_empty());
        let mut server = ScriptedServer::new(reply).await;
        let model = signed(&server.url).model(MODEL);
        let mut stream = model.call(user("tell me a story"));
        if begins {
            assert_eq!(stream.next().await, Some(Ok(ModelEvent::Text("Half".to_owned()))));
        } else {
            let waiting = tokio::select! {
                event = stream.next() => panic!("{event:?}"),
                request = server.requests.recv() => request,
            };
            assert!(waiting.is_some());
        }
        drop(stream);
        assert_eq!(
            tokio::time::timeout(DISCONNECT_TIMEOUT, server.left.recv()).await,
            Ok(Some(())),
            "begins: {begins}"
        );
    }
}

#[tokio::test]
async fn failures_match_those_without_signatures() {
    let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port").local_addr().expect("an address");
    let gone = format!("http://{gone}");
    let busy = Reply::text("HTTP/1.1 503 Busy\r\nretry-after-ms: 1500\r\ncontent-length: 0\r\n\r\n");
    for streaming in [true, false] {
        let ask = async |url: &str| {
            let (one, other) = (signed(url), Provider::new(KIND, "mine").with_base_url(url));
            let mut told = Vec::new();
            for provider in [one, other.with_key(Secret::new("key"), "MY_KEY")] {
                let provider = if streaming { provider } else { provider.without_streaming() };
                let heard = collect_output(provider.model(MODEL).as_ref(), user("go")).await;
                told.push((heard.text, heard.error.expect("an error")));
            }
            assert_eq!(told[0], told[1]);
            told.swap_remove(0)
        };
        let (_, error) = ask(&gone).await;
        assert_eq!(error, ModelError::Unreachable("mine does not accept connections".to_owned()));
        for reply in [
            Reply::Broken(Vec::new()),
            Reply::cut(content_type(KIND), b""),
            Reply::cut(content_type(KIND), &first(KIND)),
            Reply::stream(content_type(KIND), &first(KIND)),
            Reply::json("400 Bad Request", &json!({"message": "Input is too long for requested model."})),
            Reply::json("200 OK", &json!({})),
        ] {
            ask(&ScriptedServer::new(reply).await.url).await;
        }
        let (_, error) = ask(&ScriptedServer::new(busy.clone()).await.url).await;
        let ModelError::Refused { status: 503, advice, .. } = error else { panic!("{error:?}") };
        assert_eq!(advice.wait, Some(Duration::from_millis(1500)));
    }
}

#[tokio::test]
async fn concurrent_calls_do_not_interfere() {
    let mut server = ScriptedServer::new(good()).await;
    let model = signed(&server.url).model(MODEL);
    let texts: Vec<String> = (0..24).map(|number| format!("number {number}")).collect();
    let answers = texts.iter().map(|text| collect_output(model.as_ref(), user(text)));
    for heard in futures_util::future::join_all(answers).await {
        assert_eq!((heard.error, heard.text.as_str()), (None, "Half"));
    }
    let mut sent = Vec::new();
    for _ in &texts {
        let request = server.request().await;
        verified_headers(&request, "eu-central-1");
        sent.push(request.body["messages"][0]["content"][0]["text"].as_str().expect("words").to_owned());
    }
    sent.sort();
    let mut texts = texts;
    texts.sort();
    assert_eq!(sent, texts);
}
