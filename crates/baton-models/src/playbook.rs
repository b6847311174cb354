//! The playbook: ordered rules in `playbook.yaml`, of which the first match answers. `docs/playbook.md` is the
//! reference.

mod choose;
mod condition;
mod fallback;
mod input;
mod model;
mod models;
mod parse;
mod parse_action;
mod plan;
mod play;
mod report;
mod rule;
mod template;

pub use model::Playbook;
pub use models::PlaybookModels;
pub use parse::check_playbook;
pub use report::{PlaybookMiss, PlaybookReport, RuleReport};
