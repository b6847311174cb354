//! Files in the conversation, as far as a protocol accepts them.

use crate::protocol::ProviderProtocol;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use baton_ports::{ChatFile, ChatFileContent};
use genai::chat::{Binary, ContentPart};

/// The file as a message part; an unsupported file is mentioned in text.
pub(super) fn part(protocol: &dyn ProviderProtocol, file: &ChatFile) -> ContentPart {
    let media = file.media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match &file.content {
        ChatFileContent::Bytes(data) if is_text(&media) => text_part(file, data),
        ChatFileContent::Bytes(data) if protocol.takes_bytes(&media) => {
            let name =
                file.name.clone().or_else(|| Some(format!("file.{}", media.rsplit('/').next().unwrap_or("bin"))));
            ContentPart::Binary(Binary::from_base64(media, data.clone(), name))
        }
        ChatFileContent::Url(url) if protocol.takes_url(&media) => protocol.url_part(&media, url, file.name.as_deref()),
        ChatFileContent::Url(url) => ContentPart::from_text(format!("[{} is at {url}]", title(file))),
        ChatFileContent::Bytes(_) => {
            ContentPart::from_text(format!("[{} was attached, but this model cannot look at such files]", title(file)))
        }
    }
}

fn title(file: &ChatFile) -> String {
    match &file.name {
        Some(name) => format!("{name} ({})", file.media_type),
        None => format!("a file of type {}", file.media_type),
    }
}

/// Text files are included as text, which every model can read.
fn text_part(file: &ChatFile, data: &str) -> ContentPart {
    let text = STANDARD.decode(data).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    match text {
        Some(text) => ContentPart::from_text(format!("{}:\n{text}", title(file))),
        None => ContentPart::from_text(format!("[{} was attached, but is not whole]", title(file))),
    }
}

fn is_text(media: &str) -> bool {
    const LIKE_TEXT: &[&str] =
        &["application/json", "application/xml", "application/yaml", "application/x-yaml", "application/toml"];
    media.starts_with("text/") || LIKE_TEXT.contains(&media) || media.ends_with("+json") || media.ends_with("+xml")
}
