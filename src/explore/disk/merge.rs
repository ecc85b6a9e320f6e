//! Sorted sources of keys flow together: round by round, up to the least key that ends what any source holds in memory.
//! Nothing is held but what each source has read ahead.

use super::block::{BLOCK_KEYS, Stored};
use super::files::Fault;
use super::levels::Level;
use super::reader::{LevelReader, reader_bytes};

/// Where ascending keys come from.
pub enum Source<'a, K> {
    /// Keys in memory; so many are taken at a time.
    Kept(&'a [K], usize),
    /// A level file, from its start.
    Streamed(Box<LevelReader<K>>),
    /// A level, from this block on.
    Level(&'a Level<K>, usize),
}

/// A source and the keys that were read of it and not yet taken.
pub struct Feed<'a, K> {
    source: Source<'a, K>,
    keys: Vec<K>,
    at: usize,
}

impl<'a, K: Stored> Feed<'a, K> {
    /// Nothing is read yet.
    pub fn new(source: Source<'a, K>) -> Feed<'a, K> {
        Feed { source, keys: Vec::new(), at: 0 }
    }
    /// Reads on if nothing is left in memory. Gives the last key in memory; none at the source's end.
    fn fill(&mut self) -> Result<Option<K>, Fault> {
        if self.at == self.keys.len() {
            self.keys.clear();
            self.at = 0;
            match &mut self.source {
                Source::Kept(keys, portion) => {
                    let (now, later) = keys.split_at(keys.len().min(*portion));
                    self.keys.extend_from_slice(now);
                    *keys = later;
                }
                Source::Streamed(reader) => reader.next_keys(&mut self.keys)?,
                Source::Level(level, block) if *block < level.blocks() => {
                    level.decode_block(*block, &mut self.keys)?;
                    *block += 1;
                }
                Source::Level(..) => {}
            }
        }
        Ok(self.keys.last().copied())
    }
    /// Takes the keys in memory up to this one.
    fn take(&mut self, upto: K) -> &[K] {
        let rest = &self.keys[self.at..];
        let count =
            if rest.last().is_none_or(|k| *k <= upto) { rest.len() } else { rest.partition_point(|k| *k <= upto) };
        self.at += count;
        &rest[..count]
    }
}

/// How far the sources can flow in the next round: the least of their last keys in memory. None when all have ended.
fn horizon<K: Stored>(feeds: &mut [Feed<K>]) -> Result<Option<K>, Fault> {
    let mut least: Option<K> = None;
    for feed in feeds {
        if let Some(last) = feed.fill()? {
            least = Some(least.map_or(last, |l| l.min(last)));
        }
    }
    Ok(least)
}

/// Takes what the sources have up to a key: ascending, each key once.
fn gather<K: Stored>(feeds: &mut [Feed<K>], upto: K, round: &mut Vec<K>) {
    round.clear();
    let mut parts = 0;
    for feed in feeds {
        let part = feed.take(upto);
        parts += usize::from(!part.is_empty());
        round.extend_from_slice(part);
    }
    if parts > 1 {
        // This sort finds the ascending parts and merges them.
        round.sort();
        round.dedup();
    }
}

/// Gives all keys of all sources, ascending, each once, in portions.
pub fn union<K: Stored>(mut feeds: Vec<Feed<K>>, mut each: impl FnMut(&[K]) -> Result<(), Fault>) -> Result<(), Fault> {
    let mut round = Vec::new();
    while let Some(upto) = horizon(&mut feeds)? {
        gather(&mut feeds, upto, &mut round);
        each(&round)?;
    }
    Ok(())
}

/// Compares what is known with candidates: gives all keys of both, and of these the ones that were not known; both
/// ascending, each once, in portions.
pub fn against<K: Stored>(
    known: Source<K>,
    candidates: Vec<Feed<K>>,
    mut each: impl FnMut(&[K], &[K]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut feeds = candidates;
    feeds.insert(0, Feed::new(known));
    let (mut round, mut all, mut fresh) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(upto) = horizon(&mut feeds)? {
        if let Some((known, candidates)) = feeds.split_first_mut() {
            gather(candidates, upto, &mut round);
            let old = known.take(upto);
            match (old.is_empty(), round.is_empty()) {
                (_, true) => each(old, &[])?,
                (true, false) => each(&round, &round)?,
                (false, false) => {
                    both(old, &round, &mut all, &mut fresh);
                    each(&all, &fresh)?;
                }
            }
        }
    }
    Ok(())
}

/// Two ascending lists: all keys, and those of the second only. No branch depends on a key.
fn both<K: Stored>(old: &[K], new: &[K], all: &mut Vec<K>, fresh: &mut Vec<K>) {
    let room = |list: &mut Vec<K>, most: usize| {
        if list.len() < most {
            list.resize(most, K::narrow(0));
        }
    };
    room(all, old.len() + new.len());
    room(fresh, new.len());
    let (mut i, mut j, mut a, mut f) = (0, 0, 0, 0);
    while i < old.len() && j < new.len() {
        let (o, n) = (old[i], new[j]);
        all[a] = o.min(n);
        fresh[f] = n;
        a += 1;
        f += usize::from(n < o);
        i += usize::from(o <= n);
        j += usize::from(n <= o);
    }
    all.truncate(a);
    all.extend_from_slice(&old[i..]);
    all.extend_from_slice(&new[j..]);
    fresh.truncate(f);
    fresh.extend_from_slice(&new[j..]);
}

/// The most memory for each source that holds so many blocks, in bytes: what it holds, and its share of a round, of the
/// scratch of the sort and of both results.
pub const fn feed_bytes<K: Stored>(blocks: usize) -> usize {
    reader_bytes::<K>(blocks) + 4 * blocks * BLOCK_KEYS * K::BYTES
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn merges_are_those_of_sets(
            lists in prop::collection::vec(prop::collection::btree_set(0u64..400, 0..80), 0..6),
            old in prop::collection::btree_set(0u64..400, 0..200),
            portion in 1usize..30,
        ) {
            let lists: Vec<Vec<u64>> = lists.into_iter().map(|l| l.into_iter().collect()).collect();
            let feeds = || lists.iter().map(|l| Feed::new(Source::Kept(l, portion))).collect::<Vec<_>>();
            let set: BTreeSet<u64> = lists.iter().flatten().copied().collect();
            let mut got = Vec::new();
            union(feeds(), |k| { got.extend_from_slice(k); Ok(()) }).unwrap();
            prop_assert_eq!(got, set.iter().copied().collect::<Vec<_>>());
            let known: Vec<u64> = old.iter().copied().collect();
            let (mut all, mut fresh) = (Vec::new(), Vec::new());
            against(Source::Kept(&known, portion), feeds(), |a, f| {
                all.extend_from_slice(a);
                fresh.extend_from_slice(f);
                Ok(())
            }).unwrap();
            prop_assert_eq!(all, old.union(&set).copied().collect::<Vec<_>>());
            prop_assert_eq!(fresh, set.difference(&old).copied().collect::<Vec<_>>());
        }
    }
}
