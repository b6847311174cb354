//! Reads the values of a field on a span without allocation.

use super::{
    comparable_value::{ComparableValue, Flow},
    context::EvaluationContext,
};
use crate::{Aliases, AttributeScope, Field, Intrinsic};
use baton_types::{AttributeKey, Attributes, Span, SpanValue, find_attribute};

/// A field with all its aliases.
#[derive(Debug)]
pub(super) enum Lookup {
    Attribute(AttributeLookup),
    Intrinsic(Intrinsic),
}

/// An attribute; the first alias that is present is used.
#[derive(Debug)]
pub(super) struct AttributeLookup {
    scope: AttributeScope,
    of_parent: bool,
    names: Vec<AttributeKey>,
}

/// A borrowed value.
#[derive(Clone, Copy)]
pub(super) enum RawValue<'a> {
    Value(&'a SpanValue),
    Item(ComparableValue<'a>),
}

/// Lookup order of an attribute without scope.
const SCOPE_LOOKUP_ORDER: [AttributeScope; 5] = [
    AttributeScope::Span,
    AttributeScope::Resource,
    AttributeScope::Event,
    AttributeScope::Link,
    AttributeScope::Instrumentation,
];

type RawValueVisitor<'f> = &'f mut dyn FnMut(RawValue<'_>) -> Flow;

impl Lookup {
    pub(super) fn new(field: &Field, aliases: Aliases) -> Self {
        match field {
            Field::Intrinsic(intrinsic) => Self::Intrinsic(*intrinsic),
            Field::Attribute(attribute) => {
                let mut names = vec![AttributeKey::Owned(attribute.name.clone())];
                names.extend(aliases.synonyms(&attribute.name).map(AttributeKey::Borrowed));
                Self::Attribute(AttributeLookup { scope: attribute.scope, of_parent: attribute.of_parent, names })
            }
        }
    }

    /// Visits the values of the field on a span; events and links can have several.
    pub(super) fn visit(&self, scene: &EvaluationContext<'_>, at: usize, seen: RawValueVisitor<'_>) -> Flow {
        match self {
            Self::Attribute(named) => named.visit(scene, at, seen),
            Self::Intrinsic(intrinsic) => visit_intrinsic(*intrinsic, scene, at, seen),
        }
    }
}

impl AttributeLookup {
    fn visit(&self, scene: &EvaluationContext<'_>, at: usize, seen: RawValueVisitor<'_>) -> Flow {
        let at = if self.of_parent { scene.tree().parent[at] } else { Some(at) };
        let Some(at) = at else { return Flow::Continue(()) };
        let span = &scene.spans[at];
        self.names.iter().find_map(|name| visit_name(span, self.scope, name, seen)).unwrap_or(Flow::Continue(()))
    }
}

/// None if the attribute is absent.
fn visit_name(span: &Span, scope: AttributeScope, name: &str, seen: RawValueVisitor<'_>) -> Option<Flow> {
    match scope {
        AttributeScope::Any => SCOPE_LOOKUP_ORDER.iter().find_map(|scope| visit_name(span, *scope, name, seen)),
        AttributeScope::Span => visit_one(&span.attributes, name, seen),
        AttributeScope::Resource => visit_one(&span.resource.attributes, name, seen),
        AttributeScope::Instrumentation => visit_one(&span.scope.attributes, name, seen),
        AttributeScope::Event => visit_several(span.events.iter().map(|event| &event.attributes), name, seen),
        AttributeScope::Link => visit_several(span.links.iter().map(|link| &link.attributes), name, seen),
    }
}

fn visit_one(attributes: &Attributes, name: &str, seen: RawValueVisitor<'_>) -> Option<Flow> {
    let value = find_attribute(attributes, name).filter(|value| !matches!(value, SpanValue::Empty))?;
    Some(seen(RawValue::Value(value)))
}

fn visit_several<'a>(
    lists: impl Iterator<Item = &'a Attributes>,
    name: &str,
    seen: RawValueVisitor<'_>,
) -> Option<Flow> {
    let mut found = None;
    for attributes in lists {
        if let Some(flow) = visit_one(attributes, name, seen) {
            found = Some(flow);
            if flow.is_break() {
                break;
            }
        }
    }
    found
}

fn visit_intrinsic(intrinsic: Intrinsic, scene: &EvaluationContext<'_>, at: usize, seen: RawValueVisitor<'_>) -> Flow {
    let span = &scene.spans[at];
    let mut show = |item: ComparableValue<'_>| seen(RawValue::Item(item));
    let root = || scene.extent().root.map(|root| &scene.spans[root]);
    match intrinsic {
        Intrinsic::Duration => show(duration(span.duration())),
        Intrinsic::Name => show(ComparableValue::Text(&span.name)),
        Intrinsic::Kind => show(ComparableValue::Kind(span.kind)),
        Intrinsic::Status => show(ComparableValue::Status(span.status)),
        Intrinsic::StatusMessage => show(ComparableValue::Text(&span.status_message)),
        Intrinsic::SpanId => show_hex(&span.id.0, &mut show),
        Intrinsic::ParentId => span.parent.map_or(Flow::Continue(()), |id| show_hex(&id.0, &mut show)),
        Intrinsic::ChildCount => show(ComparableValue::Int(scene.tree().children[at])),
        Intrinsic::Parent => Flow::Continue(()),
        Intrinsic::TraceDuration => show(duration(scene.extent().duration)),
        Intrinsic::RootName => root().map_or(Flow::Continue(()), |root| show(ComparableValue::Text(&root.name))),
        Intrinsic::RootService => {
            root().and_then(Span::service).map_or(Flow::Continue(()), |service| show(ComparableValue::Text(service)))
        }
        Intrinsic::TraceId => show_hex(&span.trace.0, &mut show),
        Intrinsic::NestedSetLeft => show(ComparableValue::Int(scene.tree().left[at])),
        Intrinsic::NestedSetRight => show(ComparableValue::Int(scene.tree().right[at])),
        Intrinsic::NestedSetParent => show(ComparableValue::Int(parent_number(scene, at))),
        Intrinsic::EventName => span.events.iter().try_for_each(|event| show(ComparableValue::Text(&event.name))),
        Intrinsic::EventTimeSinceStart => {
            span.events.iter().try_for_each(|event| show(duration(event.at.saturating_sub(span.start))))
        }
        Intrinsic::LinkTraceId => span.links.iter().try_for_each(|link| show_hex(&link.trace.0, &mut show)),
        Intrinsic::LinkSpanId => span.links.iter().try_for_each(|link| show_hex(&link.span.0, &mut show)),
        Intrinsic::InstrumentationName => show(ComparableValue::Text(&span.scope.name)),
        Intrinsic::InstrumentationVersion => show(ComparableValue::Text(&span.scope.version)),
    }
}

/// `nestedSetParent`: -1 for a root, 0 if the parent is missing.
fn parent_number(scene: &EvaluationContext<'_>, at: usize) -> i64 {
    let tree = scene.tree();
    match (tree.parent[at], scene.spans[at].parent) {
        (Some(parent), _) => tree.left[parent],
        (None, Some(_)) => 0,
        (None, None) => -1,
    }
}

fn duration(nanoseconds: u64) -> ComparableValue<'static> {
    ComparableValue::Duration(i64::try_from(nanoseconds).unwrap_or(i64::MAX))
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Visits an id as hexadecimal text on the stack.
fn show_hex(bytes: &[u8], show: &mut dyn FnMut(ComparableValue<'_>) -> Flow) -> Flow {
    let mut text = [0; 32];
    for (pair, byte) in text.chunks_exact_mut(2).zip(bytes) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    std::str::from_utf8(&text[..2 * bytes.len()]).map_or(Flow::Continue(()), |text| show(ComparableValue::Text(text)))
}
