//! The trees of [`Walk`] laid out for the inner loop, anew whenever enough was learned. It says nothing that the trees do
//! not say: what they do not know it does not know either, and then they are asked.
//!
//! - A record's number leads to one word for its component, its *features*: the value of every projection that a tree
//!   asks of it, side by side. A test is a shift and a mask, and one read leads from test to test.
//! - A test is left out if every value that it may have comes to the same: all of them known, none missing.
//! - Equal leaves are one, and equal subtrees. Of the outcomes only those are kept that change something, each once; how many there
//!   were in all is counted in the leaf.

use super::key::{Key, Layout, Numbers};
use super::ready::{Link, Walk};
use rustc_hash::FxHashMap;

/// Feature words that a state has at most.
const WORDS: usize = 64;

/// The features of a state.
pub type Features = [u64; WORDS];

/// What is known of a state for one group: all of its outcomes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Made {
    first: u32,
    /// How many different keys are led to, the state's own apart.
    moves: u32,
    /// Steps.
    pub steps: u32,
    /// Claims met or hit by the state or by a step (0: none).
    pub verdict: u32,
    /// The sum of the numbers of the steps' events.
    pub events: u64,
    /// An outcome went beyond a cap.
    pub incomplete: bool,
}

/// A word of the program: where to go, what to test there.
///
/// | bits | of a test | of a leaf |
/// | --- | --- | --- |
/// | 0 to 31 | where its table begins | its number |
/// | 32 to 37 | which feature word | |
/// | 38 to 43 | from which bit | |
/// | 44 to 61 | mask | |
/// | 62 | the table is sparse | |
/// | 63 | no | yes |
///
/// A dense table is a word for each value. A sparse table begins with the whole mask of the value, then has two words for
/// each value of the test's mask: a value, and where it leads. The word 0: not known.
type Code = u64;

const LEAF: Code = 1 << 63;
const SPARSE: Code = 1 << 62;
const MASK: Code = (1 << 18) - 1;

/// The feature word that a test asks for.
#[inline(always)]
fn word_of(test: Code) -> usize {
    (test >> 32) as usize % WORDS
}

/// The laid out trees.
pub struct Compiled<K> {
    facts: Vec<Facts>,
    roots: Vec<Code>,
    code: Vec<Code>,
    made: Vec<Made>,
    moves: Vec<K>,
}

/// Of a component the feature words.
#[derive(Clone, Default)]
struct Facts {
    /// The first of them among those of a state.
    first: usize,
    /// How many.
    width: usize,
    /// How many records are known.
    records: usize,
    /// The words of each record, one record after the other.
    words: Vec<u64>,
}

/// No place in [`Compiled::made`].
const UNKNOWN: u32 = u32::MAX;

/// The state looked at last. The next is asked only for the features that it does not share with that one, and then the groups
/// that had asked for one of these.
pub struct Glance {
    numbers: Numbers,
    features: Features,
    /// Components whose record is newer than the layout, a bit each.
    newer: u64,
    /// Feature words that changed since the groups were looked at, a bit each.
    changed: u64,
    /// For each group what it came to, and the feature words that were asked for it, a bit each.
    groups: Vec<(u32, u64)>,
}

impl Glance {
    /// Of no state yet.
    pub fn new(components: usize, groups: usize) -> Glance {
        let groups = vec![(UNKNOWN, 0); groups];
        Glance { numbers: Numbers::new(components), features: [0; WORDS], newer: 0, changed: EVERYTHING, groups }
    }
    /// The numbers of the state's records.
    pub fn numbers(&self) -> &[u32] {
        self.numbers.all()
    }
}

/// Every feature word has changed, and even a group that asks for none is to be looked at.
const EVERYTHING: u64 = u64::MAX;

impl<K: Key> Compiled<K> {
    /// Nothing is known.
    pub fn empty() -> Compiled<K> {
        Compiled { facts: Vec::new(), roots: Vec::new(), code: Vec::new(), made: Vec::new(), moves: Vec::new() }
    }

    /// What the trees know now.
    pub fn of(walk: &Walk<K>) -> Compiled<K> {
        let Some((fields, facts)) = fields(walk) else { return Compiled::empty() };
        let mut layer = Layer {
            walk,
            fields,
            out: Compiled { facts, roots: Vec::new(), code: vec![0], made: Vec::new(), moves: Vec::new() },
            tables: FxHashMap::default(),
            leaves: FxHashMap::default(),
        };
        for group in 0..walk.groups() {
            let root = layer.lay(walk.root(group));
            layer.out.roots.push(root);
        }
        layer.out
    }

    /// Looks at a state: tells for each group what it comes to there, as far as that is known. A glance is of one layout and of
    /// one `Compiled` all its life.
    #[inline(always)]
    pub fn look<'c>(
        &'c self,
        layout: &Layout,
        key: K,
        glance: &mut Glance,
        mut tell: impl FnMut(usize, Option<&'c Made>),
    ) {
        let Glance { numbers, features, newer, changed, groups } = glance;
        layout.follow(key, numbers, |component, number| {
            let Some(facts) = self.facts.get(component) else { return };
            let at = number as usize * facts.width;
            if number as usize >= facts.records {
                *newer |= 1 << component;
                return;
            }
            *newer &= !(1 << component);
            for (i, word) in (facts.first..).zip(&facts.words[at..at + facts.width]) {
                *changed |= u64::from(features[i % WORDS] != *word) << (i % WORDS);
                features[i % WORDS] = *word;
            }
        });
        let laid = *newer == 0 && !self.roots.is_empty();
        for (group, (made, asked)) in groups.iter_mut().enumerate() {
            if laid && (*asked & *changed != 0 || *changed == EVERYTHING) {
                (*made, *asked) = self.seek(self.roots[group], features);
            }
            tell(group, if laid { self.made.get(*made as usize) } else { None });
        }
        if laid {
            *changed = 0;
        }
    }

    /// What a tree says of features, and the feature words that it asked for, a bit each.
    #[inline(always)]
    fn seek(&self, mut at: Code, features: &Features) -> (u32, u64) {
        let mut asked = 0;
        while at & LEAF == 0 {
            if at == 0 {
                return (UNKNOWN, asked);
            }
            asked |= 1 << word_of(at);
            at = self.test(at, features);
        }
        (at as u32, asked)
    }

    /// Where a test leads.
    #[inline(always)]
    fn test(&self, at: Code, features: &Features) -> Code {
        let base = at as u32 as usize;
        let value = features[word_of(at)] >> (at >> 38 & 63);
        if at & SPARSE == 0 {
            return self.code[base + (value & at >> 44 & MASK) as usize];
        }
        let place = base + 1 + 2 * (value & at >> 44 & MASK) as usize;
        // The whole value is kept with 1 added, so that an empty place has none.
        if self.code[place] == (value & self.code[base]) + 1 { self.code[place + 1] } else { 0 }
    }

    /// The features of a state of these numbers; no if a record is newer than this layout.
    #[inline(always)]
    pub fn features(&self, numbers: &[u32], features: &mut Features) -> bool {
        for (facts, number) in self.facts.iter().zip(numbers) {
            let at = *number as usize * facts.width;
            if *number as usize >= facts.records {
                return false;
            }
            for (i, word) in (facts.first..).zip(&facts.words[at..at + facts.width]) {
                features[i % WORDS] = *word;
            }
        }
        !self.roots.is_empty()
    }

    /// What a group comes to in a state of these features, if that is known; `laid` is what [`Compiled::features`] said.
    #[inline(always)]
    pub fn find(&self, group: usize, laid: bool, features: &Features) -> Option<&Made> {
        if laid { self.made.get(self.seek(self.roots[group], features).0 as usize) } else { None }
    }

    /// What is added to the key of a state to get its successors, each once; that itself is left out.
    #[inline(always)]
    pub fn moves(&self, made: &Made) -> &[K] {
        &self.moves[made.first as usize..(made.first + made.moves) as usize]
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let facts: usize = self.facts.iter().map(|f| f.words.capacity() * 8).sum();
        (facts
            + self.code.capacity() * 8
            + self.made.capacity() * std::mem::size_of::<Made>()
            + self.moves.capacity() * std::mem::size_of::<K>()) as u64
    }
}

/// Where the value of a projection stands: which feature word, from which bit, of how many bits, and how many values
/// there are.
#[derive(Clone, Copy, Default)]
struct Field {
    word: usize,
    shift: u32,
    width: u32,
    values: u32,
}

/// Places for all projections that are tested, and the words of each component; none if they do not fit.
fn fields<K: Key>(walk: &Walk<K>) -> Option<(Vec<Field>, Vec<Facts>)> {
    let tables = walk.tables();
    let components = walk.layout.radices.len();
    let mut fields = vec![Field::default(); tables.len()];
    let mut facts = vec![Facts::default(); components];
    let mut first = 0;
    for (component, facts) in facts.iter_mut().enumerate() {
        let of_it = || tables.iter().zip(0..).filter(|((c, _), _)| *c == component);
        // How many bits of each word are used.
        let mut used: Vec<u32> = Vec::new();
        for ((_, table), at) in of_it() {
            let last = table.iter().copied().max().unwrap_or(0);
            let width = u32::BITS - last.leading_zeros();
            let word = used.iter().position(|bits| bits + width <= u64::BITS).unwrap_or(used.len());
            if word == used.len() {
                used.push(0);
            }
            fields[at] = Field { word: first + word, shift: used[word] % u64::BITS, width, values: last + 1 };
            used[word] += width;
            facts.records = table.len();
        }
        (facts.first, facts.width) = (first, used.len());
        facts.words = vec![0; facts.records * facts.width];
        for ((_, table), at) in of_it() {
            let field: Field = fields[at];
            for (record, value) in table.iter().enumerate() {
                facts.words[record * facts.width + field.word - first] |= u64::from(*value) << field.shift;
            }
        }
        if facts.width == 0 {
            // Nothing is asked of it: whatever its record is, it is not newer.
            facts.records = usize::MAX;
        }
        first += facts.width;
    }
    (first <= WORDS && components <= WORDS).then_some((fields, facts))
}

struct Layer<'w, K> {
    walk: &'w Walk<K>,
    fields: Vec<Field>,
    out: Compiled<K>,
    tables: FxHashMap<(u32, Vec<Code>), Code>,
    leaves: FxHashMap<(Vec<K>, u32, u32, u64, bool), Code>,
}

impl<K: Key> Layer<'_, K> {
    fn lay(&mut self, link: Link) -> Code {
        match link {
            Link::Unknown => 0,
            Link::Leaf(leaf) => {
                let leaf = *leaf;
                let mut moves: Vec<K> =
                    self.walk.outs_of(&leaf).iter().copied().filter(|d| *d != K::narrow(0)).collect();
                moves.sort_unstable();
                moves.dedup();
                let made = Made {
                    first: self.out.moves.len() as u32,
                    moves: moves.len() as u32,
                    steps: leaf.count,
                    verdict: leaf.verdict,
                    events: leaf.events,
                    incomplete: leaf.incomplete,
                };
                let next = LEAF | self.out.made.len() as u64;
                let key = (moves, leaf.count, leaf.verdict, leaf.events, leaf.incomplete);
                if let Some(code) = self.leaves.get(&key) {
                    return *code;
                }
                self.out.moves.extend(&key.0);
                self.out.made.push(made);
                self.leaves.insert(key, next);
                next
            }
            Link::Test(table, children) => {
                let field = self.fields[table as usize];
                let mut known = Vec::new();
                let mut links: Vec<Code> = Vec::with_capacity(children.len());
                for (value, child) in children.iter().enumerate() {
                    let code = self.lay(self.walk.link(*child));
                    links.push(code);
                    if code != 0 {
                        known.push((value as u64, code));
                    }
                }
                // All values come to the same: nothing is asked.
                if let [(_, first), rest @ ..] = known.as_slice()
                    && known.len() == field.values as usize
                    && rest.iter().all(|(_, code)| code == first)
                {
                    return *first;
                }
                while links.last() == Some(&0) {
                    links.pop();
                }
                if let Some(code) = self.tables.get(&(table, links.clone())) {
                    return *code;
                }
                let code = self.table(field, &known);
                self.tables.insert((table, links), code);
                code
            }
        }
    }

    /// Lays out a table; not known if it does not fit.
    fn table(&mut self, field: Field, known: &[(u64, Code)]) -> Code {
        let base = self.out.code.len() as u64;
        let size = 1u64 << field.width;
        let dense = size - 1 <= MASK && size <= 8 + 8 * known.len() as u64;
        // A sparse table is as small as tells the known values apart by their last bits.
        let small = (0..=field.width).map(|w| (1u64 << w) - 1).find(|mask| {
            let mut ends: Vec<u64> = known.iter().map(|(value, _)| value & mask).collect();
            ends.sort_unstable();
            ends.windows(2).all(|pair| pair[0] != pair[1])
        });
        let mask = if dense { size - 1 } else { small.unwrap_or(MASK + 1) };
        let length = if dense { size } else { 1 + 2 * (mask + 1) };
        if mask > MASK || base + length > u64::from(u32::MAX) {
            return 0;
        }
        self.out.code.resize((base + length) as usize, 0);
        let table = &mut self.out.code[base as usize..];
        if dense {
            for (value, code) in known {
                table[*value as usize] = *code;
            }
        } else {
            table[0] = size - 1;
            for (value, code) in known {
                let place = 1 + 2 * (value & mask) as usize;
                (table[place], table[place + 1]) = (value + 1, *code);
            }
        }
        let sparse = if dense { 0 } else { SPARSE };
        base | (field.word as u64) << 32 | u64::from(field.shift) << 38 | mask << 44 | sparse
    }
}
