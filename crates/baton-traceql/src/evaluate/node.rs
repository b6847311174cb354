//! Parents of the spans of a trace.
//!
//! Traces can be incomplete: parents are missing, there are several roots, and faulty emitters produce cycles. A cycle
//! is cut above its earliest span, so that the result is a forest.

use baton_types::SpanId;

/// A span as a node of its trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceNode {
    /// Span id.
    pub id: SpanId,
    /// Id of the parent; the parent may be missing.
    pub parent: Option<SpanId>,
    /// Start time.
    pub start: u64,
}

/// Parent of a node in the forest of its trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeParent {
    /// The node has no parent, or its cycle was cut here.
    None,
    /// The node at this position.
    Present(usize),
    /// A span that is not in the trace; its children are siblings.
    Missing(SpanId),
}

impl TraceNode {
    fn sort_key(&self) -> (u64, [u8; 8]) {
        (self.start, self.id.0)
    }
}

/// The parent of every node of a trace.
pub fn node_parents(nodes: &[TraceNode]) -> Vec<NodeParent> {
    let mut ids: Vec<(SpanId, usize)> = nodes.iter().enumerate().map(|(index, node)| (node.id, index)).collect();
    ids.sort_unstable();
    let find = |id: SpanId| {
        let at = ids.partition_point(|(known, _)| *known < id);
        ids.get(at).filter(|(known, _)| *known == id).map(|(_, index)| *index)
    };
    let resolve = |node: &TraceNode| match node.parent {
        Some(id) => find(id).map_or(NodeParent::Missing(id), NodeParent::Present),
        None => NodeParent::None,
    };
    let mut parents: Vec<NodeParent> = nodes.iter().map(resolve).collect();
    for cut in cuts(nodes, &parents) {
        parents[cut] = NodeParent::None;
    }
    parents
}

impl NodeParent {
    /// Position of the parent, if it is present.
    pub(super) fn position(self) -> Option<usize> {
        match self {
            Self::Present(position) => Some(position),
            Self::None | Self::Missing(_) => None,
        }
    }
}

/// The earliest node of every cycle.
fn cuts(nodes: &[TraceNode], parents: &[NodeParent]) -> Vec<usize> {
    let mut walk = vec![usize::MAX; nodes.len()];
    let mut cuts = Vec::new();
    for start in 0..nodes.len() {
        let mut at = start;
        while walk[at] == usize::MAX {
            walk[at] = start;
            match parents[at].position() {
                Some(parent) => at = parent,
                None => break,
            }
        }
        if walk[at] == start && parents[at].position().is_some() {
            cuts.push(earliest(nodes, parents, at));
        }
    }
    cuts
}

fn earliest(nodes: &[TraceNode], parents: &[NodeParent], on_circle: usize) -> usize {
    let mut earliest = on_circle;
    let mut at = parents[on_circle].position();
    while let Some(node) = at.filter(|node| *node != on_circle) {
        if nodes[node].sort_key() < nodes[earliest].sort_key() {
            earliest = node;
        }
        at = parents[node].position();
    }
    earliest
}
