//! Files in messages, and reasoning that is returned only to its model.

use super::small_window::{SmallWindowFixture, ask, call_tool, say};
use baton_ports::{ChatFile, ChatFileContent, ChatMessage, ModelEvent};
use baton_types::{Part, PartContent, ReasoningBlock};
use serde_json::json;

fn file(name: &str, media_type: Option<&str>, content: PartContent) -> Part {
    Part { content, metadata: None, filename: Some(name.to_owned()), media_type: media_type.map(str::to_owned) }
}

#[tokio::test(start_paused = true)]
async fn images_are_sent_to_vision_models_and_named_for_others() {
    let parts = || {
        vec![
            Part::text("What is this?"),
            file("bird.png", Some("image/png"), PartContent::Raw("aGk=".to_owned())),
            file("far.png", Some("image/png"), PartContent::Url("https://example.com/far.png".to_owned())),
            file("sum.xls", Some("application/vnd.ms-excel"), PartContent::Raw("aGk=".to_owned())),
            file("what", None, PartContent::Raw("aGk=".to_owned())),
        ]
    };
    for (images, expected, count) in [
        (None, "What is this?\n[file sum.xls]\n[file what]", 2),
        (Some(true), "What is this?\n[file sum.xls]\n[file what]", 2),
        (
            Some(false),
            "What is this?\n[file bird.png] (image/png: this model cannot look at it)\nhttps://example.com/far.png \
             (image/png: this model cannot look at it)\n[file sum.xls]\n[file what]",
            0,
        ),
    ] {
        let mut fixture = SmallWindowFixture::new(None, |_, _| say("a bird"));
        fixture.about.images = images;
        ask(&fixture.engine(), "m-1", parts()).await;
        let call = fixture.calls.lock().unwrap()[0].clone();
        let ChatMessage::User { text, files, .. } = &call.messages[0] else { panic!("{:?}", call.messages) };
        assert_eq!((text.as_str(), files.len()), (expected, count));
        if count > 0 {
            let bird = ChatFile {
                name: Some("bird.png".to_owned()),
                media_type: "image/png".to_owned(),
                content: ChatFileContent::Bytes("aGk=".into()),
            };
            assert_eq!(files[0], bird);
            assert_eq!(files[1].content, ChatFileContent::Url("https://example.com/far.png".to_owned()));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn reasoning_is_returned_only_to_its_model() {
    for (thinker, given) in [("test:narrow", true), ("test:other", false)] {
        let fixture = SmallWindowFixture::new(None, move |call, number| match number {
            1 => {
                let thought = ReasoningBlock {
                    model: thinker.to_owned(),
                    text: "hm".to_owned(),
                    replay: None,
                    after_text: false,
                };
                let mut answer = call_tool(call, "look", json!({}));
                answer.insert(0, Ok(ModelEvent::ReasoningComplete(thought)));
                answer
            }
            _ => say("done"),
        });
        ask(&fixture.engine(), "m-1", vec![Part::text("look")]).await;
        let call = fixture.calls.lock().unwrap()[1].clone();
        let ChatMessage::Assistant { reasoning, .. } = &call.messages[1] else { panic!("{:?}", call.messages) };
        assert_eq!(reasoning.is_some(), given, "{thinker}");
    }
}
