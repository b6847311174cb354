//! Files in messages: passed to models that accept them, described as text to others.

use baton_ports::{ChatFile, ChatFileContent};
use baton_types::{Message, Part, PartContent};

/// Maximum files per message passed to a model.
const MOST_FILES: usize = 16;

/// Maximum total size of these files, as base64 text.
const MOST_BYTES: usize = 24 * 1024 * 1024;

/// File support of an agent and its model.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    /// MIME types that the agent accepts.
    pub(super) modes: &'a [String],
    /// Whether the model accepts files at all.
    pub(super) looks: bool,
}

/// Content of a message besides its text: lines for the model, and the files passed to it.
pub(super) fn carried(message: &Message, with_data: bool, reader: Reader<'_>) -> (Vec<String>, Vec<ChatFile>) {
    let (mut told, mut files, mut bytes) = (Vec::new(), Vec::new(), 0_usize);
    for part in &message.parts {
        let (content, size, otherwise) = match &part.content {
            PartContent::Data(data) if with_data => {
                told.push(data.as_str().to_owned());
                continue;
            }
            PartContent::Text(_) | PartContent::Data(_) => continue,
            PartContent::Url(url) => (ChatFileContent::Url(url.clone()), url.len(), url.clone()),
            PartContent::Raw(raw) if bytes.saturating_add(raw.len()) > MOST_BYTES => {
                told.push(format!("[{}, too large to be given]", named(part)));
                continue;
            }
            PartContent::Raw(raw) => {
                (ChatFileContent::Bytes(raw.as_str().into()), raw.len(), format!("[{}]", named(part)))
            }
        };
        match part.media_type.as_deref().filter(|media_type| reads(reader.modes, media_type)) {
            Some(media_type) if reader.looks && files.len() < MOST_FILES => {
                bytes += size;
                files.push(ChatFile { name: part.filename.clone(), media_type: media_type.to_owned(), content });
            }
            Some(media_type) if !reader.looks => {
                told.push(format!("{otherwise} ({media_type}: this model cannot look at it)"));
            }
            _ => told.push(otherwise),
        }
    }
    (told, files)
}

fn named(part: &Part) -> String {
    format!("file {}", part.filename.as_deref().unwrap_or("without a name"))
}

/// Whether one of the modes matches the type; supports `*/*` and `image/*`.
fn reads(modes: &[String], media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    modes.iter().any(|mode| {
        let whole = mode.strip_suffix("/*").is_some_and(|kind| {
            kind == "*" || essence.split_once('/').is_some_and(|(of, _)| of.eq_ignore_ascii_case(kind))
        });
        whole || mode.eq_ignore_ascii_case(essence)
    })
}
