//! Renders definitions as Grafana JSON.

use crate::{
    AGENT_VARIABLE, ANY_AGENT, ANY_PROJECT, Dashboard, PROJECT_VARIABLE, Panel, PanelQueryType, PanelShape, Unit,
    query::{project, span},
};
use baton_telemetry::names;
use serde_json::{Value, json};

/// Version of Grafana's dashboard schema.
pub const SCHEMA_VERSION: u32 = 42;

/// Columns of a dashboard.
const COLUMNS: u32 = 24;
const REFRESH_INTERVAL: &str = "30s";
/// Maximum traces of a table, and maximum spans per trace.
const MAX_TRACES: u32 = 20;
const MAX_SPANS_PER_TRACE: u32 = 5;

/// The dashboard as Grafana imports it; its Tempo data source is a variable.
pub fn grafana(dashboard: &Dashboard) -> Value {
    json!({
        "uid": dashboard.uid,
        "title": dashboard.title,
        "description": dashboard.description,
        "tags": ["baton", "agents"],
        "schemaVersion": SCHEMA_VERSION,
        "version": 1,
        "editable": true,
        "graphTooltip": 1,
        "refresh": REFRESH_INTERVAL,
        "time": {"from": dashboard.from, "to": "now"},
        "timezone": "browser",
        "templating": {"list": [data_source_variable(), agent_variable(), project_variable()]},
        "links": [dashboard_links()],
        "panels": layout_panels(&dashboard.panels),
    })
}

fn data_source() -> Value {
    json!({"type": "tempo", "uid": "${datasource}"})
}

fn data_source_variable() -> Value {
    json!({
        "name": "datasource", "label": "Tempo", "type": "datasource", "query": "tempo", "refresh": 1,
        "description": "A Tempo data source with the URL of Baton, followed by /tempo.",
    })
}

fn agent_variable() -> Value {
    variable(AGENT_VARIABLE, "Agent", &span(names::GEN_AI_AGENT_NAME), ANY_AGENT)
}

fn project_variable() -> Value {
    variable(PROJECT_VARIABLE, "Project", &project(), ANY_PROJECT)
}

/// A variable with one, several or all values of an attribute.
fn variable(name: &str, label: &str, attribute: &str, all: &str) -> Value {
    let name = name.trim_start_matches('$');
    json!({
        "name": name, "label": label, "type": "query", "refresh": 2, "sort": 1,
        "datasource": data_source(),
        // Query type 1 returns the values of an attribute.
        "query": {"refId": format!("{name}s"), "type": 1, "label": attribute},
        "includeAll": true, "multi": true, "allValue": all,
        "current": {"selected": true, "text": ["All"], "value": ["$__all"]},
    })
}

/// Links to the other dashboards that keep time range, agent and project.
fn dashboard_links() -> Value {
    json!({
        "type": "dashboards", "title": "Baton", "tags": ["baton"], "icon": "external link", "tooltip": "",
        "asDropdown": true, "includeVars": true, "keepTime": true, "targetBlank": false,
    })
}

/// Lays panels out from left to right, with a new row when one is full.
fn layout_panels(panels: &[Panel]) -> Vec<Value> {
    let (mut x, mut y, mut row) = (0, 0, 0);
    let mut all = Vec::with_capacity(panels.len());
    for (index, panel) in panels.iter().enumerate() {
        let (width, height) = (panel.width.min(COLUMNS), height(panel.shape));
        if x + width > COLUMNS {
            (x, y, row) = (0, y + row, 0);
        }
        all.push(render_panel(panel, index + 1, &json!({"x": x, "y": y, "w": width, "h": height})));
        x += width;
        row = row.max(height);
    }
    all
}

fn height(shape: PanelShape) -> u32 {
    if shape == PanelShape::Stat { 4 } else { 8 }
}

fn render_panel(panel: &Panel, id: usize, position: &Value) -> Value {
    let queries = panel.queries.iter().zip(letters());
    json!({
        "id": id,
        "type": kind(panel.shape),
        "title": panel.title,
        "description": panel.action,
        "gridPos": position,
        "datasource": data_source(),
        "targets": queries.map(|(query, letter)| target(panel, query, &letter)).collect::<Vec<_>>(),
        "fieldConfig": {"defaults": field(panel), "overrides": []},
        "options": options(panel.shape),
    })
}

/// Query ids: A to Z, then AA and so on.
fn letters() -> impl Iterator<Item = String> {
    let letter = |index: u8| char::from(b'A' + index % 26);
    let one = (0..26).map(move |index| letter(index).to_string());
    one.chain((0..26).flat_map(move |first| (0..26).map(move |second| format!("{}{}", letter(first), letter(second)))))
}

fn target(panel: &Panel, query: &str, letter: &str) -> Value {
    let mut target = json!({
        "refId": letter, "datasource": data_source(), "queryType": "traceql", "query": query, "filters": [],
    });
    match panel.shape.query_type() {
        PanelQueryType::Range => target["metricsQueryType"] = "range".into(),
        PanelQueryType::Instant => target["metricsQueryType"] = "instant".into(),
        PanelQueryType::Search => {
            target["tableType"] = "spans".into();
            target["limit"] = MAX_TRACES.into();
            target["spss"] = MAX_SPANS_PER_TRACE.into();
        }
    }
    target
}

fn kind(shape: PanelShape) -> &'static str {
    match shape {
        PanelShape::Stat => "stat",
        PanelShape::Lines | PanelShape::Bars => "timeseries",
        PanelShape::Ranking => "bargauge",
        PanelShape::Pie => "piechart",
        PanelShape::Heatmap => "heatmap",
        PanelShape::Spans => "table",
    }
}

fn field(panel: &Panel) -> Value {
    let mut field = json!({"unit": unit(panel.unit)});
    match panel.shape {
        PanelShape::Bars => {
            field["custom"] =
                json!({"drawStyle": "bars", "fillOpacity": 80, "stacking": {"mode": "normal", "group": "A"}});
        }
        PanelShape::Lines => field["custom"] = json!({"drawStyle": "line", "fillOpacity": 10, "showPoints": "auto"}),
        // Table columns have their own units.
        PanelShape::Spans => field = json!({}),
        _ => {}
    }
    if panel.unit == Unit::Percent {
        let steps =
            json!([{"color": "green", "value": null}, {"color": "yellow", "value": 1}, {"color": "red", "value": 5}]);
        field["thresholds"] = json!({"mode": "absolute", "steps": steps});
        field["color"] = json!({"mode": "thresholds"});
    }
    field
}

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Count => "short",
        Unit::PerSecond => "reqps",
        Unit::Seconds => "s",
        Unit::Percent => "percent",
        Unit::Money => "currencyUSD",
    }
}

fn options(shape: PanelShape) -> Value {
    let reduced = json!({"calcs": ["lastNotNull"], "fields": "", "values": false});
    match shape {
        PanelShape::Stat => {
            json!({"reduceOptions": reduced, "colorMode": "value", "graphMode": "none", "textMode": "auto"})
        }
        PanelShape::Lines | PanelShape::Bars => json!({
            "legend": {"displayMode": "list", "placement": "bottom", "showLegend": true, "calcs": []},
            "tooltip": {"mode": "multi", "sort": "desc"},
        }),
        PanelShape::Ranking => json!({"reduceOptions": reduced, "displayMode": "basic", "orientation": "horizontal"}),
        PanelShape::Pie => json!({
            "reduceOptions": reduced, "pieType": "donut",
            "legend": {"displayMode": "list", "placement": "right", "showLegend": true, "values": ["value"]},
        }),
        PanelShape::Heatmap => {
            json!({"calculate": false, "color": {"mode": "scheme", "scheme": "Oranges", "steps": 64}})
        }
        PanelShape::Spans => json!({"showHeader": true, "cellHeight": "sm"}),
    }
}
