//! Groups as ordered decision diagrams of many values (A. Srinivasan and others, "Algorithms for discrete function
//! manipulation", ICCAD 1990), one level for each component, from that whose number stands highest in a key down to the lowest.
//! What a state leads to is found by one read for each component. States are looked at in the order of their keys; so most of
//! what a state needs was found for the one before it, down to the highest component that differs.
//!
//! At each level the records that no diagram node of the group tells apart are one *class*.

use super::key::Key;
use super::reduced::{Node, Tree, Trees, UNKNOWN};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The diagrams of some of the groups.
#[derive(Default)]
pub struct Diagrams {
    /// The groups that have one.
    pub groups: Vec<usize>,
    /// Where the root of each begins in `links`; with no level what is made.
    roots: Vec<u32>,
    /// For each component that is told apart, the lowest first, and each of its records: the class in each of the diagrams.
    levels: Vec<(usize, Vec<u16>)>,
    /// For each component how many levels there are for it and those below it.
    upto: Vec<usize>,
    /// For each node and each class where the next level's node begins; at the last level what is made, or [`NOTHING`].
    links: Vec<u32>,
}

/// No place of what is made: not known.
pub const NOTHING: u32 = u32::MAX;

/// Where a state stands in the diagrams: for each level, the lowest first, what it came to in each, the roots last.
pub struct Standing(Vec<u32>);

impl Diagrams {
    /// Diagrams of the groups for which they can be made with so much effort in all: about as many reads of a tree's child. The
    /// second is what was spent.
    pub fn of<K: Key>(trees: &mut Trees<K>, components: usize, effort: u64) -> (Diagrams, u64) {
        let mut diagrams = Diagrams::default();
        let mut made: Vec<Vec<Level>> = Vec::new();
        let (mut spent, groups) = (0, trees.roots.len());
        for group in 0..groups {
            let mut maker = Maker::new(trees, effort.saturating_sub(spent) / (groups - group) as u64);
            let levels = maker.levels(group, components);
            spent += maker.spent;
            if let Some(levels) = levels {
                diagrams.groups.push(group);
                made.push(levels);
            }
        }
        diagrams.lay(&made, components);
        (diagrams, spent)
    }

    /// Lays the levels of all diagrams, which begin with the highest component, from the lowest on.
    fn lay(&mut self, made: &[Vec<Level>], components: usize) {
        // For each diagram where the nodes of the level below begin.
        let mut starts: Vec<Option<Vec<u32>>> = vec![None; made.len()];
        for component in 0..components {
            let level = |d: usize| &made[d][components - 1 - component];
            let records = (0..made.len()).map(|d| level(d).classes.len()).max().unwrap_or(0);
            let mut classes = vec![0; records * made.len()];
            for (d, starts) in starts.iter_mut().enumerate() {
                for (record, class) in level(d).classes.iter().enumerate() {
                    classes[record * made.len() + d] = *class;
                }
                let below = starts.take();
                let to = |place: &u32| below.as_ref().map_or(*place, |below| below[*place as usize]);
                let own = level(d).rows.iter().map(|row| match records {
                    0 => to(&row[0]),
                    _ => {
                        self.links.extend(row.iter().map(to));
                        (self.links.len() - row.len()) as u32
                    }
                });
                *starts = Some(own.collect());
            }
            if records > 0 {
                self.levels.push((component, classes));
            }
            self.upto.push(self.levels.len());
        }
        self.roots = starts.iter().flatten().map(|nodes| nodes[0]).collect();
    }

    /// Of no state.
    pub fn standing(&self) -> Standing {
        let nodes = self.levels.len() * self.groups.len();
        Standing((0..nodes).map(|_| 0).chain(self.roots.iter().copied()).collect())
    }

    /// Goes on to a state of these numbers, all of them known here, which differ from those before only at `highest` and below.
    #[inline(always)]
    pub fn go(&self, standing: &mut Standing, numbers: &[u32], highest: usize) {
        let width = self.groups.len();
        for at in (0..self.upto[highest]).rev() {
            let (component, classes) = &self.levels[at];
            let record = numbers[*component] as usize * width;
            let (below, above) = standing.0[at * width..(at + 2) * width].split_at_mut(width);
            for ((to, from), class) in below.iter_mut().zip(above).zip(&classes[record..record + width]) {
                *to = self.links[(*from + u32::from(*class)) as usize];
            }
        }
    }

    /// What is made in each diagram, or [`NOTHING`].
    #[inline(always)]
    pub fn made<'s>(&self, standing: &'s Standing) -> &'s [u32] {
        &standing.0[..self.groups.len()]
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let classes: usize = self.levels.iter().map(|(_, classes)| classes.capacity() * 2).sum();
        (self.links.capacity() * 4 + classes) as u64
    }
}

/// A level of one diagram.
struct Level {
    /// The class of each record; none where all records are of one class.
    classes: Vec<u16>,
    /// For each node and each class the place of the next node; at the last level what is made, or [`NOTHING`].
    rows: Vec<Vec<u32>>,
}

/// Makes the diagram of one group: a node is what is left of the tree when the components above are known.
struct Maker<'t, 'w, K> {
    trees: &'t mut Trees<'w, K>,
    effort: u64,
    spent: u64,
    /// For each tree what is left of it, and of which class of records that is told.
    left: Vec<(u32, Tree)>,
    class: u32,
}

impl<'t, 'w, K: Key> Maker<'t, 'w, K> {
    fn new(trees: &'t mut Trees<'w, K>, effort: u64) -> Self {
        Maker { trees, effort, spent: 0, left: Vec::new(), class: 0 }
    }

    /// The levels, the highest component first; none if the effort does not do.
    fn levels(&mut self, group: usize, components: usize) -> Option<Vec<Level>> {
        let mut levels = Vec::with_capacity(components);
        let mut nodes = vec![self.trees.roots[group]];
        for component in (0..components).rev() {
            let (classes, firsts) = self.classes(&nodes, component)?;
            let mut below: FxHashMap<Tree, u32> = FxHashMap::default();
            let mut next = Vec::new();
            let mut rows: Vec<Vec<u32>> = nodes.iter().map(|_| Vec::with_capacity(firsts.len())).collect();
            for record in firsts {
                self.class += 1;
                for (row, node) in rows.iter_mut().zip(&nodes) {
                    let left = self.restrict(*node, component, record)?;
                    row.push(*below.entry(left).or_insert_with(|| {
                        next.push(left);
                        next.len() as u32 - 1
                    }));
                }
            }
            levels.push(Level { classes, rows });
            nodes = next;
        }
        let ends: Vec<u32> = nodes.iter().map(|end| self.end(*end)).collect();
        minimise(&mut levels, &ends);
        Some(levels)
    }

    fn end(&self, tree: Tree) -> u32 {
        match self.trees.node(tree) {
            Node::Leaf(made) => made,
            Node::Unknown | Node::Test(..) => NOTHING,
        }
    }

    /// The classes of a component's records, and the first record of each. Records are told apart by the values of the
    /// projections tested, values by where they lead.
    fn classes(&mut self, nodes: &[Tree], component: usize) -> Option<(Vec<u16>, Vec<usize>)> {
        let mut values: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let (mut seen, mut open) = (FxHashSet::default(), nodes.to_vec());
        while let Some(tree) = open.pop() {
            if self.trees.asks(tree, component)
                && seen.insert(tree)
                && let Node::Test(table, children) = self.trees.node(tree)
            {
                self.spent += children.len() as u64;
                open.extend(children);
                if self.trees.tables[table as usize].0 == component {
                    let values =
                        values.entry(table).or_insert_with(|| vec![0; self.trees.values[table as usize] as usize]);
                    let children = children.iter().copied().chain(std::iter::repeat(UNKNOWN));
                    number(values.iter_mut().zip(children));
                }
            }
        }
        let Some(table) = values.keys().next() else { return Some((Vec::new(), vec![0])) };
        let mut classes = vec![0; self.trees.tables[*table as usize].1.len()];
        self.spent += (classes.len() * values.len()) as u64;
        for (table, values) in &values {
            let of = self.trees.tables[*table as usize].1.iter().map(|value| values[*value as usize]);
            number(classes.iter_mut().zip(of));
        }
        let mut firsts = Vec::new();
        for (record, class) in classes.iter().enumerate() {
            if *class as usize == firsts.len() {
                firsts.push(record);
            }
        }
        let classes: Result<Vec<u16>, _> = classes.into_iter().map(u16::try_from).collect();
        Some((classes.ok()?, firsts))
    }

    /// What is left of a tree if a component's record is known.
    fn restrict(&mut self, tree: Tree, component: usize, record: usize) -> Option<Tree> {
        self.spent += 1;
        if !self.trees.asks(tree, component) {
            return Some(tree);
        }
        if let Some((class, left)) = self.left.get(tree as usize)
            && *class == self.class
        {
            return Some(*left);
        }
        let Node::Test(table, children) = self.trees.node(tree) else { return Some(tree) };
        let (of, values) = &self.trees.tables[table as usize];
        let left = if *of == component {
            let child = children.get(values[record] as usize).copied().unwrap_or(UNKNOWN);
            self.restrict(child, component, record)?
        } else {
            if self.spent > self.effort {
                return None;
            }
            let mut children = children.to_vec();
            for child in &mut children {
                *child = self.restrict(*child, component, record)?;
            }
            self.trees.test(table, &children)
        };
        if self.left.len() <= tree as usize {
            self.left.resize(self.trees.count(), (0, UNKNOWN));
        }
        self.left[tree as usize] = (self.class, left);
        Some(left)
    }
}

/// Numbers what differs by the number that it had or by what comes with it, in order.
fn number<'n>(all: impl Iterator<Item = (&'n mut u32, u32)>) {
    let mut numbers: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    for (number, with) in all {
        let next = numbers.len() as u32;
        *number = *numbers.entry((*number, with)).or_insert(next);
    }
}

/// Makes nodes one that lead to the same, from the last level up, and then the classes that no node tells apart.
fn minimise(levels: &mut [Level], ends: &[u32]) {
    let mut places = ends.to_vec();
    for level in levels.iter_mut().rev() {
        let mut rows: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut kept = Vec::new();
        let mut own = Vec::with_capacity(level.rows.len());
        for mut row in std::mem::take(&mut level.rows) {
            row.iter_mut().for_each(|to| *to = places[*to as usize]);
            own.push(*rows.entry(row).or_insert_with_key(|row| {
                kept.push(row.clone());
                kept.len() as u32 - 1
            }));
        }
        let width = kept.first().map_or(0, Vec::len);
        let mut columns: FxHashMap<Vec<u32>, u16> = FxHashMap::default();
        let mut firsts = Vec::new();
        let mut merged = Vec::with_capacity(width);
        for class in 0..width {
            let column: Vec<u32> = kept.iter().map(|row| row[class]).collect();
            merged.push(*columns.entry(column).or_insert_with(|| {
                firsts.push(class);
                firsts.len() as u16 - 1
            }));
        }
        level.rows = kept.iter().map(|row| firsts.iter().map(|class| row[*class]).collect()).collect();
        level.classes.iter_mut().for_each(|class| *class = merged[usize::from(*class)]);
        places = own;
    }
}
