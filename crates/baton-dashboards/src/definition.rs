//! What a dashboard is, whoever draws it.

/// A page of panels.
#[derive(Clone, Debug, PartialEq)]
pub struct Dashboard {
    /// By which Grafana knows it, and the name of its file.
    pub uid: &'static str,
    /// What stands above it.
    pub title: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// How far it looks back when it is opened, such as `now-24h`.
    pub from: &'static str,
    /// In the order of reading.
    pub panels: Vec<Panel>,
}

/// One picture, number or table.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What it shows.
    pub title: &'static str,
    /// What to do about what it shows.
    pub action: &'static str,
    /// How it is drawn.
    pub shape: Shape,
    /// What its numbers are.
    pub unit: Unit,
    /// How many of the 24 columns it takes.
    pub width: u32,
    /// In TraceQL; several are drawn over each other.
    pub queries: Vec<String>,
}

/// How a panel is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One number for the whole time.
    Stat,
    /// Lines over time.
    Lines,
    /// Stacked bars over time.
    Bars,
    /// One bar for each series, for the whole time.
    Ranking,
    /// Shares of the whole time.
    Pie,
    /// How often each range of values occurred over time.
    Heatmap,
    /// The spans that a search finds.
    Spans,
}

/// How a panel's queries are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// As series over time.
    Range,
    /// As one value for the whole time.
    Instant,
    /// As a search.
    Search,
}

/// What numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// How many.
    Count,
    /// How many in a second.
    PerSecond,
    /// How long.
    Seconds,
    /// How many of a hundred.
    Percent,
    /// Dollars.
    Money,
}

impl Shape {
    /// How its queries are asked.
    pub fn asks(self) -> Asks {
        match self {
            Self::Lines | Self::Bars | Self::Heatmap => Asks::Range,
            Self::Stat | Self::Ranking | Self::Pie => Asks::Instant,
            Self::Spans => Asks::Search,
        }
    }
}

impl Panel {
    /// A panel with one query.
    pub(crate) fn new(shape: Shape, unit: Unit, title: &'static str, action: &'static str, query: String) -> Self {
        let width = match shape {
            Shape::Stat => 6,
            Shape::Spans => 24,
            _ => 12,
        };
        Self { title, action, shape, unit, width, queries: vec![query] }
    }

    /// The same, as wide as this.
    pub(crate) fn wide(self, width: u32) -> Self {
        Self { width, ..self }
    }
}
