//! Location of a value within a span.

use baton_traceql::{AttributeScope, Field, Intrinsic};
use serde::{Deserialize, Serialize};

/// Location of a value within a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum ValueLocation {
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

impl ValueLocation {
    /// Number of variants.
    pub(crate) const COUNT: usize = 7;

    /// Whether the value belongs to a resource or scope that many spans reference.
    pub(crate) fn is_shared(self) -> bool {
        matches!(self, Self::Resource | Self::Instrumentation | Self::Maker)
    }

    /// The attribute scope of the location.
    pub(crate) fn scope(self) -> Option<AttributeScope> {
        match self {
            Self::Span => Some(AttributeScope::Span),
            Self::Event => Some(AttributeScope::Event),
            Self::Link => Some(AttributeScope::Link),
            Self::Resource => Some(AttributeScope::Resource),
            Self::Instrumentation => Some(AttributeScope::Instrumentation),
            Self::Own | Self::Maker => None,
        }
    }

    /// The locations of an attribute scope.
    pub(crate) fn in_scope(scope: AttributeScope) -> &'static [Self] {
        match scope {
            AttributeScope::Any => &[Self::Span, Self::Resource, Self::Event, Self::Link, Self::Instrumentation],
            AttributeScope::Span => &[Self::Span],
            AttributeScope::Resource => &[Self::Resource],
            AttributeScope::Event => &[Self::Event],
            AttributeScope::Link => &[Self::Link],
            AttributeScope::Instrumentation => &[Self::Instrumentation],
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
pub(crate) fn field_locations(field: &Field) -> (&'static [ValueLocation], &str) {
    match field {
        Field::Attribute(attribute) if attribute.of_parent => (&[], ""),
        Field::Attribute(attribute) => (ValueLocation::in_scope(attribute.scope), &attribute.name),
        Field::Intrinsic(intrinsic) => match intrinsic {
            Intrinsic::Name => (&[ValueLocation::Own], own::NAME),
            Intrinsic::Duration => (&[ValueLocation::Own], own::DURATION),
            Intrinsic::Kind => (&[ValueLocation::Own], own::KIND),
            Intrinsic::Status => (&[ValueLocation::Own], own::STATUS),
            Intrinsic::StatusMessage => (&[ValueLocation::Own], own::STATUS_MESSAGE),
            Intrinsic::EventName => (&[ValueLocation::Own], own::EVENT_NAME),
            Intrinsic::LinkTraceId => (&[ValueLocation::Own], own::LINK_TRACE),
            Intrinsic::LinkSpanId => (&[ValueLocation::Own], own::LINK_SPAN),
            Intrinsic::RootName => (&[ValueLocation::Own], own::ROOT_NAME),
            Intrinsic::RootService => (&[ValueLocation::Own], own::ROOT_SERVICE),
            Intrinsic::InstrumentationName => (&[ValueLocation::Maker], own::MAKER_NAME),
            Intrinsic::InstrumentationVersion => (&[ValueLocation::Maker], own::MAKER_VERSION),
            _ => (&[], ""),
        },
    }
}
