//! Rules and references: files in directories, list entries, a guide, and skills.

mod files;
mod front_matter;
mod gather;
mod list_items;

pub(crate) use files::is_item_path;
pub use files::{GUIDE_FILE, REFERENCE_DIRECTORIES, RULE_DIRECTORY, SKILL_DIRECTORY, SKILL_FILE, reference_type};
pub(crate) use front_matter::{default_description, split};
pub use gather::MAX_REFERENCES;
pub(crate) use gather::{ItemSources, gather};
pub(crate) use list_items::{ListedItems, is_plain_name, read_all};
