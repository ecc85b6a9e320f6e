//! What of the law was at work in worlds and rulings, in the words that reports may use.

use std::collections::BTreeSet;

pub use crate::law::coverage::{Mark, Part, Place, Seen, Spoken, Word, flattened, of_claims, places};

/// Where each thing was met: names of worlds and rulings by mark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Met {
    worlds: Vec<(String, Seen)>,
    rulings: Vec<(String, Seen)>,
}

impl Met {
    /// Adds what was met in a world.
    pub fn world(&mut self, name: &str, seen: Seen) {
        self.worlds.push((name.to_owned(), seen));
    }

    /// Adds what was met in a ruling.
    pub fn ruling(&mut self, name: &str, seen: Seen) {
        self.rulings.push((name.to_owned(), seen));
    }

    /// The worlds in which one of these was met, sorted.
    pub fn worlds(&self, marks: &[Mark]) -> Vec<String> {
        within(&self.worlds, marks)
    }

    /// The rulings in which one of these was met, sorted.
    pub fn rulings(&self, marks: &[Mark]) -> Vec<String> {
        within(&self.rulings, marks)
    }

    /// Whether something was met anywhere.
    pub fn has(&self, mark: Mark) -> bool {
        self.worlds.iter().chain(&self.rulings).any(|(_, seen)| seen.contains(&mark))
    }
}

fn within(list: &[(String, Seen)], marks: &[Mark]) -> Vec<String> {
    let names = list.iter().filter(|(_, seen)| marks.iter().any(|m| seen.contains(m))).map(|(name, _)| name.clone());
    names.collect::<BTreeSet<_>>().into_iter().collect()
}
