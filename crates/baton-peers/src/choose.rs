//! Choice of an agent's interface.

use baton_wire::a2a::v1::AgentInterface;
use std::fmt;

/// A binding of A2A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BindingChoice {
    /// `JSONRPC`.
    JsonRpc,
    /// `HTTP+JSON`.
    HttpJson,
    /// `GRPC`.
    Grpc,
}

/// A2A wire dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum A2aDialect {
    /// 0.3, and the identical 0.2.
    V03,
    /// 1.0 and compatible later versions.
    V1,
}

/// The chosen interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenInterface {
    /// Its binding.
    pub binding: BindingChoice,
    /// Its dialect.
    pub dialect: A2aDialect,
    /// The interface as listed in the card.
    pub interface: AgentInterface,
}

/// No interface of the card is supported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the agent offers {offered}; this Baton supports {supported}")]
pub struct UnsupportedInterfaces {
    offered: String,
    supported: String,
}

impl BindingChoice {
    /// Every binding.
    pub const ALL: [Self; 3] = [Self::JsonRpc, Self::HttpJson, Self::Grpc];

    /// The binding with this name in cards.
    pub fn from_card_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|binding| binding.card_name().eq_ignore_ascii_case(name))
    }

    /// Its name in cards.
    pub fn card_name(self) -> &'static str {
        match self {
            Self::JsonRpc => "JSONRPC",
            Self::HttpJson => "HTTP+JSON",
            Self::Grpc => "GRPC",
        }
    }
}

impl A2aDialect {
    /// The dialect of a card's `protocolVersion`; interfaces without a version come from old cards.
    pub fn from_version(version: &str) -> Option<Self> {
        let mut numbers = version.trim().split('.');
        match (numbers.next(), numbers.next()) {
            (Some(""), None) | (Some("0"), Some("2" | "3")) => Some(Self::V03),
            (Some("1"), _) => Some(Self::V1),
            _ => None,
        }
    }
}

/// Chooses the best interface of a card: the first one of the highest supported version, because cards list interfaces
/// in order of preference. A preference restricts the choice to its binding.
pub fn choose_interface(
    interfaces: &[AgentInterface],
    preference: Option<BindingChoice>,
) -> Result<ChosenInterface, UnsupportedInterfaces> {
    let mut best: Option<ChosenInterface> = None;
    for interface in interfaces {
        let binding = BindingChoice::from_card_name(&interface.protocol_binding);
        let (Some(binding), Some(dialect)) = (binding, A2aDialect::from_version(&interface.protocol_version)) else {
            continue;
        };
        let is_preferred = preference.is_none_or(|preference| preference == binding);
        if is_preferred && best.as_ref().is_none_or(|best| best.dialect < dialect) {
            best = Some(ChosenInterface { binding, dialect, interface: interface.clone() });
        }
    }
    best.ok_or_else(|| UnsupportedInterfaces::from_interfaces(interfaces, preference))
}

impl UnsupportedInterfaces {
    fn from_interfaces(interfaces: &[AgentInterface], preference: Option<BindingChoice>) -> Self {
        const MAX_DISPLAYED_INTERFACES: usize = 8;
        let clip = |text: &str| text.chars().take(40).collect::<String>();
        let name = |one: &AgentInterface| format!("{} {}", clip(&one.protocol_binding), clip(&one.protocol_version));
        let mut offered: Vec<String> =
            interfaces.iter().take(MAX_DISPLAYED_INTERFACES).map(|one| name(one).trim().to_owned()).collect();
        offered.dedup();
        let supported = match preference {
            Some(preference) => format!("{} 1.0 or 0.3", preference.card_name()),
            None => "JSONRPC, HTTP+JSON or GRPC, 1.0 or 0.3".to_owned(),
        };
        let offered = if offered.is_empty() { "no interface".to_owned() } else { offered.join(", ") };
        Self { offered, supported }
    }
}

impl fmt::Display for A2aDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V1 => "1.0",
            Self::V03 => "0.3",
        })
    }
}

/// For example `JSONRPC 1.0`.
impl fmt::Display for ChosenInterface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.binding.card_name(), self.dialect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interfaces(rows: &str) -> Vec<AgentInterface> {
        let row = |row: &str| {
            let (binding, version) = row.trim().split_once(' ').unwrap_or((row.trim(), ""));
            AgentInterface {
                url: format!("https://agent.example/{}", row.trim().replace(' ', "/")),
                protocol_binding: binding.to_owned(),
                protocol_version: version.to_owned(),
                tenant: None,
            }
        };
        rows.split(',').map(row).collect()
    }

    #[test]
    fn highest_version_wins_then_card_order() {
        use BindingChoice::{Grpc, HttpJson, JsonRpc};
        for (offered, preference, expect) in [
            ("JSONRPC 1.0, GRPC 1.0", None, "JSONRPC 1.0 /JSONRPC/1.0"),
            ("GRPC 1.0, JSONRPC 1.0", None, "GRPC 1.0 /GRPC/1.0"),
            ("JSONRPC 0.3, HTTP+JSON 1.0", None, "HTTP+JSON 1.0 /HTTP+JSON/1.0"),
            ("JSONRPC 0.3, HTTP+JSON 1.0", Some(JsonRpc), "JSONRPC 0.3 /JSONRPC/0.3"),
            ("JSONRPC 1.0, JSONRPC 1.1", None, "JSONRPC 1.0 /JSONRPC/1.0"),
            ("jsonrpc 1.2.3", None, "JSONRPC 1.0 /jsonrpc/1.2.3"),
            ("JSONRPC 1", None, "JSONRPC 1.0 /JSONRPC/1"),
            ("JSONRPC 0.2.5, grpc 0.3.0", None, "JSONRPC 0.3 /JSONRPC/0.2.5"),
            ("JSONRPC 0.2.5, grpc 0.3.0", Some(Grpc), "GRPC 0.3 /grpc/0.3.0"),
            ("JSONRPC", None, "JSONRPC 0.3 /JSONRPC"),
            ("https://example.com/own 1.0, HTTP+JSON 0.3", Some(HttpJson), "HTTP+JSON 0.3 /HTTP+JSON/0.3"),
        ] {
            let chosen = choose_interface(&interfaces(offered), preference).unwrap();
            let path = chosen.interface.url.strip_prefix("https://agent.example").unwrap();
            assert_eq!(format!("{chosen} {path}"), expect, "{offered}");
        }
    }

    #[test]
    fn unsupported_interfaces_are_named_in_the_error() {
        for (offered, preference, expect) in [
            (
                "JSONRPC 2.0, JSONRPC 0.1, SOAP 1.0",
                None,
                "the agent offers JSONRPC 2.0, JSONRPC 0.1, SOAP 1.0; this Baton supports JSONRPC, HTTP+JSON or \
                 GRPC, 1.0 or 0.3",
            ),
            (
                "JSONRPC 1.0",
                Some(BindingChoice::Grpc),
                "the agent offers JSONRPC 1.0; this Baton supports GRPC 1.0 or 0.3",
            ),
        ] {
            assert_eq!(choose_interface(&interfaces(offered), preference).unwrap_err().to_string(), expect);
        }
        assert!(choose_interface(&[], None).unwrap_err().to_string().starts_with("the agent offers no interface"));
    }
}
