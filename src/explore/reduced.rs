//! The trees of [`Walk`], reduced: equal leaves are one, and equal subtrees, and a test is left out if every value that it may
//! have comes to the same, all of them known. Of a leaf's outcomes only those are kept that change something, each once; how
//! many there were in all is counted.

use super::compiled::Made;
use super::key::Key;
use super::ready::{Link, Walk};
use rustc_hash::FxHashMap;

/// A reduced tree: the place of its root among all nodes.
pub type Tree = u32;

/// The tree that knows nothing.
pub const UNKNOWN: Tree = 0;

/// A tree's root.
#[derive(Clone, Copy, Debug)]
pub enum Node<'t> {
    /// Nothing is known.
    Unknown,
    /// The end: a place in [`Trees::made`].
    Leaf(u32),
    /// A test: the number of a projection's table, and the tree for each of its values; for those beyond, nothing is known.
    Test(u32, &'t [Tree]),
}

#[derive(Clone, Copy)]
struct Kept {
    /// The table of a test; of a leaf [`LEAF`].
    table: u32,
    /// Where the children begin; of a leaf its place.
    first: u32,
    length: u32,
}

const LEAF: u32 = u32::MAX;

/// All trees of a world, and others made of them. A tree's children stand before it.
pub struct Trees<'w, K> {
    /// For each projection that is asked its component and, for each record, the number of its value.
    pub tables: &'w [(usize, Vec<u32>)],
    /// How many values each has.
    pub values: Vec<u32>,
    /// The tree of each group.
    pub roots: Vec<Tree>,
    /// What leaves say.
    pub made: Vec<Made>,
    /// What is added to the key, leaf by leaf.
    pub moves: Vec<K>,
    nodes: Vec<Kept>,
    children: Vec<Tree>,
    /// For each tree the components that are tested in it, a bit each.
    asks: Vec<u64>,
    tests: FxHashMap<Box<[u32]>, Tree>,
    /// A test and its children while it is looked up.
    line: Vec<u32>,
}

/// What makes a leaf: its moves, steps, verdict, events, and whether it is incomplete.
type Leaves<K> = FxHashMap<(Vec<K>, u32, u32, u64, bool), Tree>;

impl<'w, K: Key> Trees<'w, K> {
    /// The trees of a walk.
    pub fn of(walk: &'w Walk<K>) -> Trees<'w, K> {
        let tables = walk.tables();
        let mut trees = Trees {
            tables,
            values: tables.iter().map(|(_, table)| table.iter().max().map_or(1, |last| last + 1)).collect(),
            roots: Vec::new(),
            made: Vec::new(),
            moves: Vec::new(),
            nodes: vec![Kept { table: LEAF, first: 0, length: 0 }],
            children: Vec::new(),
            asks: vec![0],
            tests: FxHashMap::default(),
            line: Vec::new(),
        };
        let mut leaves = FxHashMap::default();
        for group in 0..walk.groups() {
            let root = trees.reduce(walk, walk.root(group), &mut leaves);
            trees.roots.push(root);
        }
        trees
    }

    /// How many trees there are; each number below is one.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// A tree's root.
    pub fn node(&self, tree: Tree) -> Node<'_> {
        let node = self.nodes[tree as usize];
        match node.table {
            _ if tree == UNKNOWN => Node::Unknown,
            LEAF => Node::Leaf(node.first),
            table => Node::Test(table, &self.children[node.first as usize..(node.first + node.length) as usize]),
        }
    }

    /// Whether a component is tested in a tree.
    pub fn asks(&self, tree: Tree, component: usize) -> bool {
        self.asks[tree as usize] >> component & 1 == 1
    }

    fn reduce(&mut self, walk: &Walk<K>, link: Link, leaves: &mut Leaves<K>) -> Tree {
        match link {
            Link::Unknown => UNKNOWN,
            Link::Leaf(leaf) => {
                let leaf = *leaf;
                let mut moves: Vec<K> = walk.outs_of(&leaf).iter().copied().filter(|d| *d != K::narrow(0)).collect();
                moves.sort_unstable();
                moves.dedup();
                let key = (moves, leaf.count, leaf.verdict, leaf.events, leaf.incomplete);
                if let Some(tree) = leaves.get(&key) {
                    return *tree;
                }
                let made = self.made.len() as u32;
                self.made.push(Made {
                    first: self.moves.len() as u32,
                    moves: key.0.len() as u32,
                    steps: leaf.count,
                    verdict: leaf.verdict,
                    events: leaf.events,
                    incomplete: leaf.incomplete,
                });
                self.moves.extend(&key.0);
                let tree = self.push(Kept { table: LEAF, first: made, length: 0 }, 0);
                leaves.insert(key, tree);
                tree
            }
            Link::Test(table, children) => {
                let children: Vec<Tree> =
                    children.iter().map(|child| self.reduce(walk, walk.link(*child), leaves)).collect();
                self.test(table, &children)
            }
        }
    }

    fn push(&mut self, node: Kept, asks: u64) -> Tree {
        self.nodes.push(node);
        self.asks.push(asks);
        self.nodes.len() as u32 - 1
    }

    /// The tree that tests a projection, or a simpler one that says the same.
    pub fn test(&mut self, table: u32, children: &[Tree]) -> Tree {
        let known = children.len() - children.iter().rev().take_while(|child| **child == UNKNOWN).count();
        let children = &children[..known];
        let Some(first) = children.first() else { return UNKNOWN };
        if known == self.values[table as usize] as usize && children.iter().all(|child| child == first) {
            return *first;
        }
        self.line.clear();
        self.line.push(table);
        self.line.extend(children);
        if let Some(tree) = self.tests.get(self.line.as_slice()) {
            return *tree;
        }
        let own = 1 << self.tables[table as usize].0;
        let asks = children.iter().fold(own, |asks, child| asks | self.asks[*child as usize]);
        let node = Kept { table, first: self.children.len() as u32, length: known as u32 };
        self.children.extend(children);
        let tree = self.push(node, asks);
        self.tests.insert(self.line.as_slice().into(), tree);
        tree
    }
}
