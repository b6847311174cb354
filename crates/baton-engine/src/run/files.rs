//! Files in messages: passed to models that accept them, described as text to others.

use baton_ports::{ChatFile, ChatFileContent};
use baton_types::{Message, Part, PartContent};

/// Maximum files per message passed to a model.
const MAX_FILES_PER_MESSAGE: usize = 16;

/// Maximum total size of these files, as base64 text.
const MAX_FILE_BYTES: usize = 24 * 1024 * 1024;

/// File support of an agent and its model.
#[derive(Clone, Copy)]
pub(super) struct FileSupport<'a> {
    /// MIME types that the agent accepts.
    pub(super) modes: &'a [String],
    /// Whether the model accepts files at all.
    pub(super) accepts_files: bool,
}

/// Content of a message besides its text: lines for the model, and the files passed to it.
pub(super) fn extract_files(
    message: &Message,
    with_data: bool,
    reader: FileSupport<'_>,
) -> (Vec<String>, Vec<ChatFile>) {
    let (mut lines, mut files, mut bytes) = (Vec::new(), Vec::new(), 0_usize);
    for part in &message.parts {
        let (content, size, otherwise) = match &part.content {
            PartContent::Data(data) if with_data => {
                lines.push(data.as_str().to_owned());
                continue;
            }
            PartContent::Text(_) | PartContent::Data(_) => continue,
            PartContent::Url(url) => (ChatFileContent::Url(url.clone()), url.len(), url.clone()),
            PartContent::Raw(raw) if bytes.saturating_add(raw.len()) > MAX_FILE_BYTES => {
                lines.push(format!("[{}, too large to be given]", file_label(part)));
                continue;
            }
            PartContent::Raw(raw) => {
                (ChatFileContent::Bytes(raw.as_str().into()), raw.len(), format!("[{}]", file_label(part)))
            }
        };
        match part.media_type.as_deref().filter(|media_type| accepts_type(reader.modes, media_type)) {
            Some(media_type) if reader.accepts_files && files.len() < MAX_FILES_PER_MESSAGE => {
                bytes += size;
                files.push(ChatFile { name: part.filename.clone(), media_type: media_type.to_owned(), content });
            }
            Some(media_type) if !reader.accepts_files => {
                lines.push(format!("{otherwise} ({media_type}: this model cannot look at it)"));
            }
            _ => lines.push(otherwise),
        }
    }
    (lines, files)
}

fn file_label(part: &Part) -> String {
    format!("file {}", part.filename.as_deref().unwrap_or("without a name"))
}

/// Whether one of the modes matches the type; supports `*/*` and `image/*`.
fn accepts_type(modes: &[String], media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    modes.iter().any(|mode| {
        let matches_kind = mode.strip_suffix("/*").is_some_and(|kind| {
            kind == "*" || essence.split_once('/').is_some_and(|(of, _)| of.eq_ignore_ascii_case(kind))
        });
        matches_kind || mode.eq_ignore_ascii_case(essence)
    })
}
