//! Reads the values of a field on a span without allocation.

use super::{
    item::{Flow, Item},
    scene::Scene,
};
use crate::{Aliases, Field, Intrinsic, Scope};
use baton_types::{AttributeKey, Attributes, Span, SpanValue, find_attribute};

/// A field with all its aliases.
#[derive(Debug)]
pub(super) enum Lookup {
    Attribute(Named),
    Intrinsic(Intrinsic),
}

/// An attribute; the first alias that is present is used.
#[derive(Debug)]
pub(super) struct Named {
    scope: Scope,
    of_parent: bool,
    names: Vec<AttributeKey>,
}

/// A borrowed value.
#[derive(Clone, Copy)]
pub(super) enum Raw<'a> {
    Value(&'a SpanValue),
    Item(Item<'a>),
}

/// Lookup order of an attribute without scope.
const ORDER: [Scope; 5] = [Scope::Span, Scope::Resource, Scope::Event, Scope::Link, Scope::Instrumentation];

type Seen<'f> = &'f mut dyn FnMut(Raw<'_>) -> Flow;

impl Lookup {
    pub(super) fn new(field: &Field, aliases: Aliases) -> Self {
        match field {
            Field::Intrinsic(intrinsic) => Self::Intrinsic(*intrinsic),
            Field::Attribute(attribute) => {
                let mut names = vec![AttributeKey::Owned(attribute.name.clone())];
                names.extend(aliases.of(&attribute.name).map(AttributeKey::Borrowed));
                Self::Attribute(Named { scope: attribute.scope, of_parent: attribute.of_parent, names })
            }
        }
    }

    /// Visits the values of the field on a span; events and links can have several.
    pub(super) fn visit(&self, scene: &Scene<'_>, at: usize, seen: Seen<'_>) -> Flow {
        match self {
            Self::Attribute(named) => named.visit(scene, at, seen),
            Self::Intrinsic(intrinsic) => visit_intrinsic(*intrinsic, scene, at, seen),
        }
    }
}

impl Named {
    fn visit(&self, scene: &Scene<'_>, at: usize, seen: Seen<'_>) -> Flow {
        let at = if self.of_parent { scene.tree().parent[at] } else { Some(at) };
        let Some(at) = at else { return Flow::Continue(()) };
        let span = &scene.spans[at];
        self.names.iter().find_map(|name| visit_name(span, self.scope, name, seen)).unwrap_or(Flow::Continue(()))
    }
}

/// None if the attribute is absent.
fn visit_name(span: &Span, scope: Scope, name: &str, seen: Seen<'_>) -> Option<Flow> {
    match scope {
        Scope::Any => ORDER.iter().find_map(|scope| visit_name(span, *scope, name, seen)),
        Scope::Span => visit_one(&span.attributes, name, seen),
        Scope::Resource => visit_one(&span.resource.attributes, name, seen),
        Scope::Instrumentation => visit_one(&span.scope.attributes, name, seen),
        Scope::Event => visit_several(span.events.iter().map(|event| &event.attributes), name, seen),
        Scope::Link => visit_several(span.links.iter().map(|link| &link.attributes), name, seen),
    }
}

fn visit_one(attributes: &Attributes, name: &str, seen: Seen<'_>) -> Option<Flow> {
    let value = find_attribute(attributes, name).filter(|value| !matches!(value, SpanValue::Empty))?;
    Some(seen(Raw::Value(value)))
}

fn visit_several<'a>(lists: impl Iterator<Item = &'a Attributes>, name: &str, seen: Seen<'_>) -> Option<Flow> {
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

fn visit_intrinsic(intrinsic: Intrinsic, scene: &Scene<'_>, at: usize, seen: Seen<'_>) -> Flow {
    let span = &scene.spans[at];
    let mut show = |item: Item<'_>| seen(Raw::Item(item));
    let root = || scene.whole().root.map(|root| &scene.spans[root]);
    match intrinsic {
        Intrinsic::Duration => show(duration(span.duration())),
        Intrinsic::Name => show(Item::Text(&span.name)),
        Intrinsic::Kind => show(Item::Kind(span.kind)),
        Intrinsic::Status => show(Item::Status(span.status)),
        Intrinsic::StatusMessage => show(Item::Text(&span.status_message)),
        Intrinsic::SpanId => show_hex(&span.id.0, &mut show),
        Intrinsic::ParentId => span.parent.map_or(Flow::Continue(()), |id| show_hex(&id.0, &mut show)),
        Intrinsic::ChildCount => show(Item::Int(scene.tree().children[at])),
        Intrinsic::Parent => Flow::Continue(()),
        Intrinsic::TraceDuration => show(duration(scene.whole().duration)),
        Intrinsic::RootName => root().map_or(Flow::Continue(()), |root| show(Item::Text(&root.name))),
        Intrinsic::RootService => {
            root().and_then(Span::service).map_or(Flow::Continue(()), |service| show(Item::Text(service)))
        }
        Intrinsic::TraceId => show_hex(&span.trace.0, &mut show),
        Intrinsic::NestedSetLeft => show(Item::Int(scene.tree().left[at])),
        Intrinsic::NestedSetRight => show(Item::Int(scene.tree().right[at])),
        Intrinsic::NestedSetParent => show(Item::Int(parent_number(scene, at))),
        Intrinsic::EventName => span.events.iter().try_for_each(|event| show(Item::Text(&event.name))),
        Intrinsic::EventTimeSinceStart => {
            span.events.iter().try_for_each(|event| show(duration(event.at.saturating_sub(span.start))))
        }
        Intrinsic::LinkTraceId => span.links.iter().try_for_each(|link| show_hex(&link.trace.0, &mut show)),
        Intrinsic::LinkSpanId => span.links.iter().try_for_each(|link| show_hex(&link.span.0, &mut show)),
        Intrinsic::InstrumentationName => show(Item::Text(&span.scope.name)),
        Intrinsic::InstrumentationVersion => show(Item::Text(&span.scope.version)),
    }
}

/// `nestedSetParent`: -1 for a root, 0 if the parent is missing.
fn parent_number(scene: &Scene<'_>, at: usize) -> i64 {
    let tree = scene.tree();
    match (tree.parent[at], scene.spans[at].parent) {
        (Some(parent), _) => tree.left[parent],
        (None, Some(_)) => 0,
        (None, None) => -1,
    }
}

fn duration(nanoseconds: u64) -> Item<'static> {
    Item::Duration(i64::try_from(nanoseconds).unwrap_or(i64::MAX))
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Visits an id as hexadecimal text on the stack.
fn show_hex(bytes: &[u8], show: &mut dyn FnMut(Item<'_>) -> Flow) -> Flow {
    let mut text = [0; 32];
    for (pair, byte) in text.chunks_exact_mut(2).zip(bytes) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    std::str::from_utf8(&text[..2 * bytes.len()]).map_or(Flow::Continue(()), |text| show(Item::Text(text)))
}
