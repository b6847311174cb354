//! What models read and write, and what that costs.

use crate::{
    Dashboard, Panel, Price,
    Shape::{Bars, Lines, Ranking, Spans, Stat},
    Unit::{Count, Money},
    query::{by, chats, is, select, span},
};
use baton_telemetry::names;

/// Prices are for so many tokens.
const MILLION: f64 = 1e6;

pub(super) fn dashboard(prices: &[Price]) -> Dashboard {
    let (read, written) = (span(names::GEN_AI_USAGE_INPUT_TOKENS), span(names::GEN_AI_USAGE_OUTPUT_TOKENS));
    let (model, agent) = (by(&[names::GEN_AI_REQUEST_MODEL]), by(&[names::GEN_AI_AGENT_NAME]));
    let all = chats(&[]);
    let mut panels = vec![
        Panel::new(
            Stat,
            Count,
            "Tokens read",
            "Much more than is written: prompts and tool results are long; shorten what tools give back.",
            format!("{all} | sum_over_time({read})"),
        ),
        Panel::new(
            Stat,
            Count,
            "Tokens written",
            "It climbs while runs do not: answers get longer; say in the prompt how long they should be.",
            format!("{all} | sum_over_time({written})"),
        ),
        Panel::new(
            Stat,
            Count,
            "Model calls",
            "Each call reads the whole conversation again: fewer turns save most.",
            format!("{all} | count_over_time()"),
        ),
        Panel::new(
            Stat,
            Count,
            "Tokens read by a call",
            "Near the model's window: let the agent begin new conversations, or summarise.",
            format!("{all} | avg_over_time({read})"),
        ),
    ];
    if !prices.is_empty() {
        panels.push(Panel {
            queries: prices.iter().map(|price| money(price, &read, &written, &model)).collect(),
            ..Panel::new(
                Bars,
                Money,
                "Money by model",
                "Compare with your budget; a model that grows faster than its runs deserves a look. \
                 Models without a price are not in it, and tokens of a cache cost what others do; \
                 `baton costs` knows better.",
                String::new(),
            )
            .wide(24)
        });
    }
    panels.extend([
        Panel::new(
            Bars,
            Count,
            "Tokens read by model",
            "A costly model has most of it: give simple agents a smaller one.",
            format!("{all} | sum_over_time({read}) {model}"),
        ),
        Panel::new(
            Bars,
            Count,
            "Tokens written by model",
            "Writing costs several times as much as reading: ask for shorter answers.",
            format!("{all} | sum_over_time({written}) {model}"),
        ),
        Panel::new(
            Ranking,
            Count,
            "Tokens read by agent",
            "Begin to save with the first one.",
            format!("{all} | sum_over_time({read}) {agent}"),
        ),
        Panel::new(
            Lines,
            Count,
            "Tokens of the longest call by agent",
            "It climbs from run to run: conversations grow; begin new ones.",
            format!("{all} | max_over_time({read}) {agent}"),
        ),
        Panel::new(
            Spans,
            Count,
            "Newest model calls",
            "Sort by tokens and open the greatest; `baton trace show` has what was said.",
            format!(
                "{all} | {}",
                select(&[
                    names::GEN_AI_AGENT_NAME,
                    names::GEN_AI_REQUEST_MODEL,
                    names::GEN_AI_USAGE_INPUT_TOKENS,
                    names::GEN_AI_USAGE_OUTPUT_TOKENS
                ])
            ),
        ),
    ]);
    Dashboard {
        uid: "baton-tokens-and-cost",
        title: "Baton: tokens and cost",
        description: "What models read and write, and what that costs.",
        from: "now-7d",
        panels,
    }
}

/// What one token costs, without the digits that a division of binary fractions invents.
fn for_one(price: f64) -> String {
    let digits = format!("{:.15}", price / MILLION);
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Dollars for what one model read and wrote.
fn money(price: &Price, read: &str, written: &str, by: &str) -> String {
    let spans = chats(&[is(names::GEN_AI_REQUEST_MODEL, &price.model)]);
    let (input, output) = (for_one(price.input), for_one(price.output));
    format!("({spans} | sum_over_time({read}) {by}) * {input} + ({spans} | sum_over_time({written}) {by}) * {output}")
}
