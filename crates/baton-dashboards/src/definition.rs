//! Dashboard definitions, independent of the renderer.

/// A dashboard.
#[derive(Clone, Debug, PartialEq)]
pub struct Dashboard {
    /// Grafana uid, also the file name.
    pub uid: &'static str,
    /// Title.
    pub title: &'static str,
    /// Purpose.
    pub description: &'static str,
    /// Default time range, such as `now-24h`.
    pub from: &'static str,
    /// Panels in reading order.
    pub panels: Vec<Panel>,
}

/// A chart, number or table.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Title.
    pub title: &'static str,
    /// Advice how to act on the values.
    pub action: &'static str,
    /// Visualization.
    pub shape: PanelShape,
    /// Unit of the values.
    pub unit: Unit,
    /// Width in columns, of 24.
    pub width: u32,
    /// TraceQL queries; several are drawn in one chart.
    pub queries: Vec<String>,
}

/// Visualization of a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PanelShape {
    /// One number for the whole time range.
    Stat,
    /// Lines over time.
    Lines,
    /// Stacked bars over time.
    Bars,
    /// One bar per series, for the whole time range.
    Ranking,
    /// Pie chart over the whole time range.
    Pie,
    /// Distribution of values over time.
    Heatmap,
    /// Table of spans that a search finds.
    Spans,
}

/// Query type of a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PanelQueryType {
    /// Series over time.
    Range,
    /// One value for the whole time range.
    Instant,
    /// Search.
    Search,
}

/// Unit of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Number.
    Count,
    /// Rate per second.
    PerSecond,
    /// Duration in seconds.
    Seconds,
    /// Percentage.
    Percent,
    /// Dollars.
    Money,
}

impl PanelShape {
    /// Query type of the visualization.
    pub fn query_type(self) -> PanelQueryType {
        match self {
            Self::Lines | Self::Bars | Self::Heatmap => PanelQueryType::Range,
            Self::Stat | Self::Ranking | Self::Pie => PanelQueryType::Instant,
            Self::Spans => PanelQueryType::Search,
        }
    }
}

impl Panel {
    /// A panel with one query.
    pub(crate) fn new(shape: PanelShape, unit: Unit, title: &'static str, action: &'static str, query: String) -> Self {
        let width = match shape {
            PanelShape::Stat => 6,
            PanelShape::Spans => 24,
            _ => 12,
        };
        Self { title, action, shape, unit, width, queries: vec![query] }
    }

    /// Sets the width.
    pub(crate) fn wide(self, width: u32) -> Self {
        Self { width, ..self }
    }
}
