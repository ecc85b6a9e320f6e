//! What docs/LANGUAGE.md lists, taken from the tables that the checker works with, so that a test can compare the two.
//! It decides nothing.

use super::attributes::{FIELDS, LOOK_FIELDS, METHODS};
use super::declare::{FUNCTIONS, LAYERS, SUPERTYPES, TYPES as CARD_TYPES};
use super::exprs::function_types;
use super::looks::COLOURS;
use super::scope::{DURATIONS, PLACES, TYPES, ZONES, ty_name};
use crate::lang::tree::Verb;

/// Every built-in verb with its signature: an argument in square brackets may be left out of a call, one in angle
/// brackets stands only in heads.
pub fn verbs() -> Vec<(&'static str, String)> {
    let signature = |name: &str, verb: Verb| {
        let args = verb.signature().iter().map(|p| {
            let label = p.label.map_or_else(String::new, |l| format!("{l}: "));
            let arg = format!("{label}{}", ty_name(p.ty));
            match (p.head_only, p.optional) {
                (true, _) => format!("<{arg}>"),
                (false, true) => format!("[{arg}]"),
                (false, false) => arg,
            }
        });
        format!("{name}({})", args.collect::<Vec<_>>().join(", "))
    };
    Verb::BUILT_IN.iter().map(|(name, verb)| (*name, signature(name, *verb))).collect()
}

/// The other lists, by name.
pub fn lists() -> Vec<(&'static str, Vec<String>)> {
    fn names<T>(table: &[(&str, T)]) -> Vec<String> {
        table.iter().map(|entry| entry.0.to_string()).collect()
    }
    let words = |list: &[&str]| list.iter().map(|w| (*w).to_string()).collect::<Vec<_>>();
    vec![
        ("types", names(TYPES)),
        ("zones", names(ZONES)),
        ("durations", names(DURATIONS)),
        ("places", names(PLACES)),
        ("layers", names(LAYERS)),
        ("card types", words(CARD_TYPES)),
        ("supertypes", words(SUPERTYPES)),
        ("colours", names(&COLOURS)),
        (
            "functions",
            FUNCTIONS
                .iter()
                .map(|(name, f)| {
                    let (from, to) = function_types(*f);
                    format!("{name}({}): {}", ty_name(from), ty_name(to))
                })
                .collect(),
        ),
        ("attributes of objects", FIELDS.iter().map(|(name, _, ty)| format!("{name}: {}", ty_name(*ty))).collect()),
        (
            "attributes with an argument",
            METHODS.iter().map(|(name, of, ty)| format!("{name}({}): {}", ty_name(*of), ty_name(*ty))).collect(),
        ),
        ("attributes of looks", LOOK_FIELDS.iter().map(|(name, _, ty)| format!("{name}: {}", ty_name(*ty))).collect()),
    ]
}
