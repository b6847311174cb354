//! A call over A2A.

use crate::program::Program;
use baton_client::{Client, SendRequest};
use baton_types::{Message, Part, Role};

#[tokio::test]
async fn a2a_client_receives_the_weather() {
    let program = Program::start().await;
    let client = Client::tcp(&program.url).unwrap();
    let card = client.card("weather").await.unwrap();
    assert_eq!((card.name.as_str(), card.description.as_str()), ("Weather", "Tells the weather of any city"));
    let message = Message::new("m-1".into(), Role::User, vec![Part::text("What's the weather in Oakland?")]);
    let task = client.send("weather", SendRequest::new(message)).await.unwrap();
    let answer = task.artifacts.unwrap_or_default().pop().expect("an answer");
    let answer: String = answer.parts.iter().filter_map(|part| part.text.as_deref()).collect();
    assert_eq!(answer, "It is 17 °C in Oakland, and the sky is clear.");
    let ended = program.interrupt().await;
    assert!(ended.success(), "{ended}");
}
