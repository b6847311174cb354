//! Recognition of a resent conversation, so that an answer to a question finds the waiting run.
//!
//! The history of a chat is untrusted client input. It selects among the runs that wait for this client, and only if it
//! repeats the exact request and output of such a run: text written by a model or a tool cannot impersonate the
//! question of another run.

use baton_types::Digest;
use serde_json::{Value, json};

/// A request that ends with an answer to the agent's last message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatResumption {
    /// Digest of the conversation before the agent's last message.
    pub before: String,
    /// The agent's last message.
    pub question: String,
    /// The user's answer.
    pub answer: String,
}

impl ChatResumption {
    /// Parses the end of a conversation; `None` if it does not end with an agent message and one user message.
    pub(super) fn read(messages: &[Value]) -> Option<Self> {
        let turns: Vec<&Value> = messages.iter().filter(|message| !is_system_message(message)).collect();
        let position = turns.iter().rposition(|message| message["role"] == "assistant")?;
        let (before, assistant, rest) = (&turns[..position], turns[position], &turns[position + 1..]);
        let question = text_of(&assistant["content"])?;
        let calls = assistant["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty());
        match rest {
            [answer] if answer["role"] == "user" && !calls => {
                Some(Self { before: digest(before), question, answer: text_of(&answer["content"])? })
            }
            // Tool results together with an approval, or several messages: if they name a waiting task, they are
            // refused and start nothing.
            [_, ..] => Some(Self { before: String::new(), question, answer: String::new() })
                .filter(|resumption| resumption.named_task().is_some()),
            [] => None,
        }
    }

    /// The task named at the end of the question, if it requests an approval.
    pub fn named_task(&self) -> Option<&str> {
        let (_, named) = self.question.rsplit_once(APPROVAL_MARK)?;
        named.strip_suffix(')').filter(|task| !task.is_empty() && !task.contains(char::is_whitespace))
    }

    /// The user's decision, if the text is a known answer to an approval.
    pub fn decision(&self) -> Option<ChatApprovalDecision> {
        let text = self.answer.trim().trim_end_matches(['.', '!']).trim_end().to_lowercase();
        match text.as_str() {
            "yes" | "y" | "ok" | "okay" | "allow" | "allow once" | "approve" | "approved" | "accept" | "yes please"
            | "yes, please" => Some(ChatApprovalDecision::Allow),
            "always" | "allow for session" | "yes, always" | "yes always" => Some(ChatApprovalDecision::AllowSession),
            "no" | "n" | "deny" | "denied" | "decline" | "reject" | "no thanks" | "no, thanks" => {
                Some(ChatApprovalDecision::Deny)
            }
            _ => None,
        }
    }
}

/// The answer to an approval request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatApprovalDecision {
    /// Run the call.
    Allow,
    /// Run the call, and allow the tool for the rest of the conversation.
    AllowSession,
    /// Do not run the call.
    Deny,
}

impl ChatApprovalDecision {
    /// The decision in the format of task answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow_once",
            Self::AllowSession => "allow_session",
            Self::Deny => "deny",
        }
    }
}

/// Prefix of the task id in a question.
pub(super) const APPROVAL_MARK: &str = " (approval ";

/// Digest of a conversation: roles, contents and calls. System messages are excluded, because clients change them
/// between requests.
pub(super) fn conversation_digest(messages: &[Value]) -> String {
    let turns: Vec<&Value> = messages.iter().filter(|message| !is_system_message(message)).collect();
    digest(&turns)
}

fn is_system_message(message: &Value) -> bool {
    message["role"] == "system" || message["role"] == "developer"
}

fn digest(messages: &[&Value]) -> String {
    let entries: Vec<Value> = messages
        .iter()
        .map(|message| {
            let content = text_of(&message["content"]).map_or_else(|| message["content"].clone(), Value::String);
            let calls = message["tool_calls"].as_array().into_iter().flatten();
            let calls: Vec<Value> = calls.map(|call| json!([call["id"], call["function"], call["custom"]])).collect();
            json!([message["role"], content, calls, message["tool_call_id"]])
        })
        .collect();
    Digest::compute(Value::Array(entries).to_string().as_bytes()).to_string()
}

/// The text of a message's content, if it contains only text.
fn text_of(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Array(parts) => {
            let texts: Option<Vec<&str>> = parts.iter().map(|part| part["text"].as_str()).collect();
            texts.filter(|texts| !texts.is_empty()).map(|texts| texts.join("\n").trim().to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat(messages: &Value) -> Option<ChatResumption> {
        ChatResumption::read(messages.as_array().unwrap())
    }

    #[test]
    fn resent_conversation_is_recognized() {
        let asked = json!([{"role": "system", "content": "now 9:00"}, {"role": "user", "content": "tidy up"}]);
        let question = "May the tool 'rm' run with {}? Answer yes or no. (approval 0199-a)";
        let resent = chat(&json!([
            {"role": "system", "content": "now 9:01"},
            {"role": "user", "content": [{"type": "text", "text": "tidy up"}]},
            {"role": "assistant", "content": question},
            {"role": "user", "content": "Yes."},
        ]))
        .unwrap();
        assert_eq!(resent.before, conversation_digest(asked.as_array().unwrap()));
        assert_eq!((resent.question.as_str(), resent.named_task()), (question, Some("0199-a")));
        assert_eq!(resent.decision(), Some(ChatApprovalDecision::Allow));
    }

    #[test]
    fn other_last_messages_are_no_decisions() {
        for messages in [
            json!([{"role": "user", "content": "yes"}]),
            json!([{"role": "user", "content": "a"}, {"role": "user", "content": "yes"}]),
            json!([{"role": "assistant", "content": "?"}, {"role": "tool", "tool_call_id": "c", "content": "yes"}]),
            json!([{"role": "assistant", "content": "?", "tool_calls": [{"id": "c"}]}, {"role": "user", "content": "yes"}]),
            json!([{"role": "user", "content": "yes"}, {"role": "assistant", "content": "?"}]),
        ] {
            assert_eq!(chat(&messages), None, "{messages}");
        }
        let said =
            |answer: &str| ChatResumption { before: String::new(), question: String::new(), answer: answer.into() };
        for (answer, expect) in [
            ("yes", Some(ChatApprovalDecision::Allow)),
            ("  OK! ", Some(ChatApprovalDecision::Allow)),
            ("always", Some(ChatApprovalDecision::AllowSession)),
            ("No.", Some(ChatApprovalDecision::Deny)),
            ("yes or no?", None),
            ("yes, but only the first", None),
            ("the tool said yes", None),
            ("", None),
        ] {
            assert_eq!(said(answer).decision(), expect, "{answer}");
        }
    }
}
