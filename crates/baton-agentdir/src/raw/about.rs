//! Keys about the publisher of an agent.

use baton_document::{DocumentReader, Fields, LocatedValue};
use baton_types::{AgentPublisher, PublisherInfo};

const URL_HINT: &str = "write http://... or https://... without spaces";

/// `provider`, `icon_url` and `documentation_url`, validated.
#[derive(Default)]
pub(crate) struct RawAbout(pub(crate) PublisherInfo);

impl RawAbout {
    pub(super) fn read(reader: &mut DocumentReader, fields: &mut Fields) -> Self {
        let provider = fields.take("provider").and_then(|node| {
            let mut own = Fields::open(reader, "provider", node)?;
            let organization = own.required_text(reader, "organization", "name the publisher of the agent");
            let url = own.text(reader, "url").and_then(|url| address(reader, "url", url));
            own.finish(reader);
            Some(AgentPublisher { organization: organization?.value, url: url.unwrap_or_default() })
        });
        let icon = fields.text(reader, "icon_url").and_then(|url| address(reader, "icon_url", url));
        let page = fields.text(reader, "documentation_url").and_then(|url| address(reader, "documentation_url", url));
        Self(PublisherInfo { provider, icon_url: icon, documentation_url: page })
    }
}

fn address(reader: &mut DocumentReader, subject: &str, url: LocatedValue<String>) -> Option<String> {
    let is_good = is_web_address(&url.value);
    if !is_good {
        reader.error(url.location, format!("{subject} is not a web address"), URL_HINT);
    }
    is_good.then_some(url.value)
}

/// Whether this is an HTTP or HTTPS URL.
pub(crate) fn is_web_address(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty()) && !url.contains(char::is_whitespace)
}
