//! Tools with which a model controls its own task.

use super::{Driver, Halt};
use crate::end::TaskEnd;
use baton_types::{Artifact, Json, Part, TaskEvent, ToolCall, ToolResult};
use serde::Deserialize;

#[derive(Default, Deserialize)]
struct EmitArtifactArguments {
    name: Option<String>,
    description: Option<String>,
    text: Option<String>,
    data: Option<Json>,
    media_type: Option<String>,
    filename: Option<String>,
    artifact_id: Option<String>,
    url: Option<String>,
    raw: Option<String>,
}

#[derive(Default, Deserialize)]
struct RejectTaskArguments {
    reason: Option<String>,
    message: Option<String>,
}

#[derive(Deserialize)]
struct ReplyMessageArguments {
    text: String,
}

impl Driver {
    pub(super) fn emit_artifact(&self, call: &ToolCall) -> Result<(), Halt> {
        let output: EmitArtifactArguments = call.arguments.read().unwrap_or_default();
        let id = output.artifact_id.unwrap_or_else(|| call.id.to_string());
        let mut parts = Vec::new();
        parts.extend(output.text.map(Part::text));
        parts.extend(output.data.map(Part::data));
        parts.extend(output.url.map(|url| Part { content: baton_types::PartContent::Url(url), ..Part::text("") }));
        parts.extend(output.raw.map(|raw| Part { content: baton_types::PartContent::Raw(raw), ..Part::text("") }));
        if parts.is_empty() {
            return self.finish(call, Json::string("An artifact needs text, data, url or raw."), true);
        }
        for part in &mut parts {
            part.media_type.clone_from(&output.media_type);
            part.filename.clone_from(&output.filename);
        }
        let artifact = Artifact {
            id: id.as_str().into(),
            name: output.name,
            description: output.description,
            parts,
            metadata: None,
        };
        let result = ToolResult {
            call: call.id.clone(),
            name: call.name.clone(),
            output: serde_json::json!({ "artifact_id": id }).into(),
            is_error: false,
        };
        self.commit(|_| vec![TaskEvent::ArtifactEmitted { artifact }, TaskEvent::ToolFinished { result }])
    }

    pub(super) async fn reject_task(&self, call: &ToolCall) -> Result<(), Halt> {
        let refusal: RejectTaskArguments = call.arguments.read().unwrap_or_default();
        let reason = refusal.reason.or(refusal.message).unwrap_or_else(|| "The agent refused the task.".to_owned());
        Ok(self.inner.end(&self.live, TaskEnd::Rejected(reason)).await?)
    }

    pub(super) async fn reply_message(&self, call: &ToolCall) -> Result<(), Halt> {
        match call.arguments.read::<ReplyMessageArguments>() {
            Ok(reply) => Ok(self.inner.end(&self.live, TaskEnd::Replied(call.clone(), reply.text)).await?),
            Err(_) => self.finish(call, Json::string("A reply needs text."), true),
        }
    }
}
