//! What the trees of [`Walk`] say, laid out for the inner loop, anew whenever enough was learned. It says nothing that the trees do
//! not say: what they do not know it does not know either, and then they are asked.
//!
//! All groups are laid out as tests, which costs little:
//!
//! - A record's number leads to one word for its component, its *features*: the value of every projection that a tree
//!   asks of it, side by side. A test is a shift and a mask, and one read leads from test to test.
//! - Trees are [reduced](super::reduced) before.
//!
//! Groups for which it is worth it are laid out as [diagrams](super::diagram) too, which are faster and cost more.

use super::diagram::{Diagrams, NOTHING, Standing};
use super::key::{Key, Layout, Numbers};
use super::ready::Walk;
use super::reduced::{Node, Trees};

/// Feature words that a state has at most.
const WORDS: usize = 64;

/// The features of a state.
pub type Features = [u64; WORDS];

/// What is known of a state for one group: all of its outcomes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Made {
    /// Where its moves begin.
    pub first: u32,
    /// How many different keys are led to, the state's own apart.
    pub moves: u32,
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

/// What is laid out.
pub struct Compiled<K> {
    facts: Vec<Facts>,
    roots: Vec<Code>,
    code: Vec<Code>,
    made: Vec<Made>,
    moves: Vec<K>,
    diagrams: Diagrams,
    /// The groups that have no diagram.
    by_tests: Vec<usize>,
    /// What making the diagrams took ([`Diagrams::of`]).
    pub effort: u64,
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

impl Facts {
    /// Writes the words of a record, which is known; tells which changed, a bit each.
    #[inline(always)]
    fn write(&self, record: u32, features: &mut Features) -> u64 {
        let (at, mut changed) = (record as usize * self.width, 0);
        for (i, word) in (self.first..).zip(&self.words[at..at + self.width]) {
            changed |= u64::from(features[i % WORDS] != *word) << (i % WORDS);
            features[i % WORDS] = *word;
        }
        changed
    }
}

/// All feature words.
const EVERYTHING: u64 = u64::MAX;

/// The state looked at last. The next is asked only for what it does not share with that one.
pub struct Glance {
    numbers: Numbers,
    /// Components whose record is newer than the layout, a bit each.
    newer: u64,
    /// Components whose record is another than when a state was looked at last, a bit each.
    changed: u64,
    standing: Standing,
    features: Features,
    /// For each group without a diagram what it came to, and the feature words that were asked for it, a bit each.
    groups: Vec<(u32, u64)>,
    /// How many groups there are in all.
    all: usize,
}

impl Glance {
    /// The numbers of the state's records.
    pub fn numbers(&self) -> &[u32] {
        self.numbers.all()
    }
}

impl<K: Key> Compiled<K> {
    /// Nothing is known.
    pub fn empty() -> Compiled<K> {
        Compiled {
            facts: Vec::new(),
            roots: Vec::new(),
            code: Vec::new(),
            made: Vec::new(),
            moves: Vec::new(),
            diagrams: Diagrams::default(),
            by_tests: Vec::new(),
            effort: 0,
        }
    }

    /// What the trees know now, with diagrams as far as they can be made with so much effort ([`Diagrams::of`]).
    pub fn of(walk: &Walk<K>, effort: u64) -> Compiled<K> {
        let mut trees = Trees::of(walk);
        let components = walk.layout.radices.len();
        let Some((fields, facts)) = fields(&trees, components) else { return Compiled::empty() };
        let mut code = vec![0];
        // A tree's children stand before it.
        let mut codes: Vec<Code> = Vec::with_capacity(trees.count());
        for tree in 0..trees.count() {
            codes.push(match trees.node(tree as u32) {
                Node::Unknown => 0,
                Node::Leaf(made) => LEAF | u64::from(made),
                Node::Test(table, children) => {
                    let known = (0..).zip(children).map(|(value, child)| (value, codes[*child as usize]));
                    let known: Vec<(u64, Code)> = known.filter(|(_, code)| *code != 0).collect();
                    test(&mut code, fields[table as usize], &known)
                }
            });
        }
        let roots = trees.roots.iter().map(|root| codes[*root as usize]).collect();
        let (diagrams, effort) = Diagrams::of(&mut trees, components, effort);
        let by_tests = (0..walk.groups()).filter(|group| !diagrams.groups.contains(group)).collect();
        Compiled { facts, roots, code, made: trees.made, moves: trees.moves, diagrams, by_tests, effort }
    }

    /// Of no state yet; for this `Compiled` only.
    pub fn glance(&self, walk: &Walk<K>) -> Glance {
        Glance {
            numbers: Numbers::new(walk.layout.radices.len()),
            newer: 0,
            changed: 0,
            standing: self.diagrams.standing(),
            features: [0; WORDS],
            groups: vec![(NOTHING, EVERYTHING); self.by_tests.len()],
            all: walk.groups(),
        }
    }

    /// Looks at a state: tells for each group what it comes to there, as far as that is known.
    #[inline(always)]
    pub fn look<'c>(
        &'c self,
        layout: &Layout,
        key: K,
        glance: &mut Glance,
        mut tell: impl FnMut(usize, Option<&'c Made>),
    ) {
        let Glance { numbers, newer, changed, standing, features, groups, all } = glance;
        layout.follow(key, numbers, |component, number| {
            let bit = 1 << component;
            *changed |= bit;
            *newer &= !bit;
            if self.facts.get(component).is_some_and(|facts| number as usize >= facts.records) {
                *newer |= bit;
            }
        });
        if *newer != 0 || self.roots.is_empty() {
            return (0..*all).for_each(|group| tell(group, None));
        }
        if *changed != 0 {
            self.diagrams.go(standing, numbers.all(), changed.ilog2() as usize);
        }
        for (group, made) in self.diagrams.groups.iter().zip(self.diagrams.made(standing)) {
            tell(*group, self.made.get(*made as usize));
        }
        if !self.by_tests.is_empty() {
            let mut words = 0;
            while *changed != 0 {
                let component = changed.trailing_zeros() as usize;
                *changed &= *changed - 1;
                words |= self.facts[component].write(numbers.all()[component], features);
            }
            for (group, (made, asked)) in self.by_tests.iter().zip(groups) {
                if *asked & words != 0 || *asked == EVERYTHING {
                    (*made, *asked) = self.seek(self.roots[*group], features);
                }
                tell(*group, self.made.get(*made as usize));
            }
        }
        *changed = 0;
    }

    /// What a tree says of features, and the feature words that it asked for, a bit each.
    #[inline(always)]
    fn seek(&self, mut at: Code, features: &Features) -> (u32, u64) {
        let mut asked = 0;
        while at & LEAF == 0 {
            if at == 0 {
                return (NOTHING, asked);
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
            if *number as usize >= facts.records {
                return false;
            }
            facts.write(*number, features);
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

    /// How many groups have a diagram.
    pub fn drawn(&self) -> usize {
        self.diagrams.groups.len()
    }

    /// Whether every group has a diagram.
    pub fn is_drawn(&self) -> bool {
        !self.roots.is_empty() && self.by_tests.is_empty()
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let facts: usize = self.facts.iter().map(|f| f.words.capacity() * 8).sum();
        (facts
            + self.code.capacity() * 8
            + self.made.capacity() * std::mem::size_of::<Made>()
            + self.moves.capacity() * std::mem::size_of::<K>()) as u64
            + self.diagrams.bytes()
    }
}

/// Where the value of a projection stands: which feature word, from which bit, of how many bits.
#[derive(Clone, Copy, Default)]
struct Field {
    word: usize,
    shift: u32,
    width: u32,
}

/// Places for all projections that are tested, and the words of each component; none if they do not fit.
fn fields<K: Key>(trees: &Trees<K>, components: usize) -> Option<(Vec<Field>, Vec<Facts>)> {
    let tables = trees.tables;
    let mut fields = vec![Field::default(); tables.len()];
    let mut facts = vec![Facts::default(); components];
    let mut first = 0;
    for (component, facts) in facts.iter_mut().enumerate() {
        let of_it = || tables.iter().zip(0..).filter(|((c, _), _)| *c == component);
        // How many bits of each word are used.
        let mut used: Vec<u32> = Vec::new();
        for ((_, table), at) in of_it() {
            let width = u32::BITS - (trees.values[at] - 1).leading_zeros();
            let word = used.iter().position(|bits| bits + width <= u64::BITS).unwrap_or(used.len());
            if word == used.len() {
                used.push(0);
            }
            fields[at] = Field { word: first + word, shift: used[word] % u64::BITS, width };
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

/// Lays out a test's table, of the values that are known and where they lead; not known if it does not fit.
fn test(code: &mut Vec<Code>, field: Field, known: &[(u64, Code)]) -> Code {
    let base = code.len() as u64;
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
    code.resize((base + length) as usize, 0);
    let table = &mut code[base as usize..];
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
