//! Location of a value within a span.

use baton_traceql::{Field, Intrinsic, Scope};
use serde::{Deserialize, Serialize};

/// Location of a value within a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Place {
    /// Attributes of the span.
    Span,
    /// Attributes of its events.
    Event,
    /// Attributes of its links.
    Link,
    /// Intrinsics of the span.
    Own,
    /// Attributes of the resource.
    Resource,
    /// Attributes of the instrumentation scope.
    Instrumentation,
    /// Intrinsics of the instrumentation scope.
    Maker,
}

impl Place {
    /// Number of variants.
    pub(crate) const COUNT: usize = 7;

    /// Whether the value belongs to a resource or scope that many spans reference.
    pub(crate) fn is_shared(self) -> bool {
        matches!(self, Self::Resource | Self::Instrumentation | Self::Maker)
    }

    /// The attribute scope of the location.
    pub(crate) fn scope(self) -> Option<Scope> {
        match self {
            Self::Span => Some(Scope::Span),
            Self::Event => Some(Scope::Event),
            Self::Link => Some(Scope::Link),
            Self::Resource => Some(Scope::Resource),
            Self::Instrumentation => Some(Scope::Instrumentation),
            Self::Own | Self::Maker => None,
        }
    }

    /// The locations of an attribute scope.
    pub(crate) fn of(scope: Scope) -> &'static [Self] {
        match scope {
            Scope::Any => &[Self::Span, Self::Resource, Self::Event, Self::Link, Self::Instrumentation],
            Scope::Span => &[Self::Span],
            Scope::Resource => &[Self::Resource],
            Scope::Event => &[Self::Event],
            Scope::Link => &[Self::Link],
            Scope::Instrumentation => &[Self::Instrumentation],
        }
    }
}

/// Keys of indexed intrinsics.
pub(crate) mod own {
    pub(crate) const NAME: &str = "name";
    pub(crate) const DURATION: &str = "duration";
    pub(crate) const KIND: &str = "kind";
    pub(crate) const STATUS: &str = "status";
    pub(crate) const STATUS_MESSAGE: &str = "statusMessage";
    pub(crate) const EVENT_NAME: &str = "event:name";
    pub(crate) const LINK_TRACE: &str = "link:traceID";
    pub(crate) const LINK_SPAN: &str = "link:spanID";
    /// Names of spans without a parent.
    pub(crate) const ROOT_NAME: &str = "rootName";
    /// Services of spans without a parent.
    pub(crate) const ROOT_SERVICE: &str = "rootServiceName";
    pub(crate) const MAKER_NAME: &str = "instrumentation:name";
    pub(crate) const MAKER_VERSION: &str = "instrumentation:version";
}

/// Index locations and key of a field; no locations if it is not indexed.
pub(crate) fn field_places(field: &Field) -> (&'static [Place], &str) {
    match field {
        Field::Attribute(attribute) if attribute.of_parent => (&[], ""),
        Field::Attribute(attribute) => (Place::of(attribute.scope), &attribute.name),
        Field::Intrinsic(intrinsic) => match intrinsic {
            Intrinsic::Name => (&[Place::Own], own::NAME),
            Intrinsic::Duration => (&[Place::Own], own::DURATION),
            Intrinsic::Kind => (&[Place::Own], own::KIND),
            Intrinsic::Status => (&[Place::Own], own::STATUS),
            Intrinsic::StatusMessage => (&[Place::Own], own::STATUS_MESSAGE),
            Intrinsic::EventName => (&[Place::Own], own::EVENT_NAME),
            Intrinsic::LinkTraceId => (&[Place::Own], own::LINK_TRACE),
            Intrinsic::LinkSpanId => (&[Place::Own], own::LINK_SPAN),
            Intrinsic::RootName => (&[Place::Own], own::ROOT_NAME),
            Intrinsic::RootService => (&[Place::Own], own::ROOT_SERVICE),
            Intrinsic::InstrumentationName => (&[Place::Maker], own::MAKER_NAME),
            Intrinsic::InstrumentationVersion => (&[Place::Maker], own::MAKER_VERSION),
            _ => (&[], ""),
        },
    }
}
