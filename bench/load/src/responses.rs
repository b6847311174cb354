//! OpenAI Responses requests, one after another on one connection with keep-alive.

use crate::{
    check,
    connection::{ExchangeOutcome, PARSE_INTERVAL},
    http1::{Http1Stream, excerpt},
    options::{LoadMode, LoadOptions},
    request::{PLACEHOLDER, RequestTemplate, expected_echo},
};
use serde_json::{Value, json};

/// A connection with its request template.
pub struct ResponsesConnection {
    wire: Http1Stream,
    template: RequestTemplate,
    mode: LoadMode,
    text: String,
    expect: Option<String>,
    exchanges: u64,
}

impl ResponsesConnection {
    /// Connects.
    pub async fn open(options: &LoadOptions) -> Result<Self, String> {
        Ok(Self {
            wire: Http1Stream::open(options).await?,
            template: RequestTemplate::new(request(options)),
            mode: options.mode,
            text: options.text.clone(),
            expect: options.expect.clone(),
            exchanges: 0,
        })
    }

    /// Requests response `number` and reads it to the end.
    pub async fn exchange(&mut self, number: u64) -> Result<ExchangeOutcome, String> {
        let (head, content) = self.wire.exchange(self.template.numbered(number)).await?;
        head.expect(200, &content)?;
        self.exchanges += 1;
        let thorough = self.exchanges % PARSE_INTERVAL == 1;
        let answer = self.expect.clone().unwrap_or_else(|| expected_echo(&self.text, number));
        let checked = match self.mode {
            LoadMode::Stream => is_stream(&content, &answer, thorough),
            _ => is_response(&content, &answer, thorough).map(|()| 1),
        };
        let events = checked.map_err(|wrong| format!("{wrong}: {}", excerpt(&content)))?;
        Ok(ExchangeOutcome { events, first_event: self.wire.first_event(), reusable: !head.close })
    }
}

fn request(options: &LoadOptions) -> Vec<u8> {
    let (stream, accept) = match options.mode {
        LoadMode::Stream => (true, "text/event-stream"),
        _ => (false, "application/json"),
    };
    let input = format!("{} {PLACEHOLDER}", options.text);
    let body = json!({ "model": options.model, "input": input, "stream": stream }).to_string();
    format!(
        "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: {accept}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        options.path,
        options.address,
        body.len()
    )
    .into_bytes()
}

/// Checks that the response is completed with its answer; a thorough check parses it.
fn is_response(content: &[u8], answer: &str, thorough: bool) -> Result<(), String> {
    check::contains_all(content, &[br#""status":"completed""#, answer.as_bytes()])?;
    if !thorough {
        return Ok(());
    }
    let response = serde_json::from_slice(content).map_err(|error| format!("not JSON ({error})"))?;
    if answers(&response, answer) { Ok(()) } else { Err("the response is not completed with its answer".to_owned()) }
}

/// Checks that the stream ends completed with its answer; a thorough check parses every event. Returns the number of
/// events.
fn is_stream(content: &[u8], answer: &str, thorough: bool) -> Result<u64, String> {
    check::contains_all(content, &[br#""type":"response.completed""#, answer.as_bytes()])?;
    let counted = check::count_events(content);
    if !thorough {
        return Ok(counted);
    }
    let text = std::str::from_utf8(content).map_err(|_| "the stream is not text")?;
    let mut events: Vec<Value> = Vec::new();
    for data in text.lines().filter_map(|line| line.strip_prefix("data:")).filter(|data| data.trim() != "[DONE]") {
        events.push(serde_json::from_str(data).map_err(|error| format!("an event is not JSON ({error})"))?);
    }
    if events.first().is_none_or(|first| first["type"] != "response.created") {
        return Err("the stream does not start with the response".to_owned());
    }
    let deltas = events.iter().filter(|event| event["type"] == "response.output_text.delta");
    if deltas.filter_map(|event| event["delta"].as_str()).collect::<String>() != answer {
        return Err("the pieces of the stream are not the answer".to_owned());
    }
    match events.last() {
        Some(last) if last["type"] == "response.completed" && answers(&last["response"], answer) => Ok(counted),
        _ => Err("the stream does not end with the response, completed and with its answer".to_owned()),
    }
}

fn answers(response: &Value, answer: &str) -> bool {
    let items = response["output"].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts = items.iter().filter(|item| item["type"] == "message").map(|item| &item["content"][0]["text"]);
    let named = response["id"].as_str().is_some_and(|id| !id.is_empty());
    named && response["status"] == "completed" && texts.eq([answer])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(status: &str, text: &str) -> Value {
        let content = json!([{ "type": "output_text", "text": text }]);
        let output = json!([{ "type": "message", "status": status, "content": content }]);
        json!({ "id": "resp_1", "status": status, "output": output })
    }

    #[test]
    fn responses_and_streams_with_the_right_answer() {
        let whole = response("completed", "echo: hello").to_string();
        assert_eq!(is_response(whole.as_bytes(), "echo: hello", true), Ok(()));
        assert!(is_response(whole.as_bytes(), "echo: hello 2", false).is_err());
        assert!(is_response(whole.as_bytes(), "echo", true).is_err());
        assert!(is_response(response("failed", "echo: hello").to_string().as_bytes(), "echo: hello", false).is_err());

        let stream = |pieces: &[&str]| {
            let mut events = vec![json!({ "type": "response.created" })];
            events.extend(pieces.iter().map(|piece| json!({ "type": "response.output_text.delta", "delta": piece })));
            events.push(json!({ "type": "response.completed", "response": response("completed", "echo: hello") }));
            let written = events.iter().map(|event| format!("event: x\ndata: {event}\n\n"));
            written.collect::<String>() + "data: [DONE]\n\n"
        };
        assert_eq!(is_stream(stream(&["echo: ", "hello"]).as_bytes(), "echo: hello", true), Ok(5));
        assert!(is_stream(stream(&["echo: "]).as_bytes(), "echo: hello", true).is_err());
        assert!(is_stream(whole.as_bytes(), "echo: hello", false).is_err());
    }
}
