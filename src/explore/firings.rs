//! How often rules did something, over all steps of a search. The inner loop counts nothing for it: what a leaf's steps did is
//! noted as the leaf is learned, and afterwards it is counted in how many states each leaf was met.

use super::disk::files::Fault;
use super::disk::levels::Level;
use super::key::Key;
use super::ready::Walk;
use crate::lang::tree::RuleId;
use crate::law::ground::Law;
use crate::law::step::Outcome;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// For each leaf, at its place, which rules did something in its outcomes, and how often.
#[derive(Debug, Default)]
pub struct Firings {
    of_leaf: Vec<Vec<(RuleId, u64)>>,
}

impl Firings {
    /// Notes the outcomes of the leaf that was learned last.
    pub fn note(&mut self, law: &Law, outcomes: &[Outcome]) {
        let mut fired: BTreeMap<RuleId, u64> = BTreeMap::new();
        for note in outcomes.iter().flat_map(|o| &o.notes) {
            *fired.entry(law.program.clauses[note.clause.index()].rule).or_default() += 1;
        }
        self.of_leaf.push(fired.into_iter().collect());
    }

    /// How often each rule did something in all steps from these levels; none if their number is not `steps`, since a level
    /// was not expanded whole or leaves were forgotten.
    pub fn count<K: Key>(
        &self,
        walk: &Walk<K>,
        levels: &[Level<K>],
        steps: u64,
    ) -> Result<Option<Vec<(RuleId, u64)>>, Fault> {
        let mut met = vec![0u64; walk.leaves()];
        for level in levels {
            let of_level = (0..level.blocks())
                .into_par_iter()
                .try_fold(|| vec![0u64; walk.leaves()], |met, block| meet(walk, level, block, met))
                .try_reduce(|| vec![0; walk.leaves()], |a, b| Ok(a.iter().zip(&b).map(|(a, b)| a + b).collect()))?;
            met.iter_mut().zip(of_level).for_each(|(all, more)| *all += more);
        }
        let (mut counted, mut fired) = (0, BTreeMap::new());
        for ((times, leaf), of_leaf) in met.iter().zip(walk.all_leaves()).zip(&self.of_leaf) {
            counted += times * u64::from(leaf.count);
            for (rule, n) in of_leaf {
                *fired.entry(*rule).or_insert(0) += times * n;
            }
        }
        Ok((counted == steps).then(|| fired.into_iter().filter(|(_, n)| *n > 0).collect()))
    }
}

/// Counts the leaves that the states of a block meet.
fn meet<K: Key>(walk: &Walk<K>, level: &Level<K>, block: usize, mut met: Vec<u64>) -> Result<Vec<u64>, Fault> {
    let (mut keys, mut numbers) = (Vec::new(), vec![0; walk.layout.radices.len()]);
    level.decode_block(block, &mut keys)?;
    for key in keys {
        walk.layout.unpack(key, &mut numbers);
        for leaf in (0..walk.groups()).filter_map(|group| walk.place(group, &numbers)) {
            met[leaf] += 1;
        }
    }
    Ok(met)
}
