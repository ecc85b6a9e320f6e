//! Clauses, statements, and when two clauses commute.

use super::*;
use crate::lang::ast::Stage;

/// A clause.
#[derive(Clone, Debug)]
pub struct Clause {
    /// What it belongs to.
    pub rule: RuleId,
    /// Where it stands.
    pub span: Span,
    /// Whether an object carries it (a card's clause, or a keyword's that says `self`, `you` or its toll).
    pub carried: bool,
    /// Carried by a keyword with a cost: variable 2 is that cost.
    pub toll: bool,
    /// Where it works (5.3): a pattern of its head has `self` as an argument, so it works wherever its object is.
    pub about_self: bool,
    /// Zones that its guard names as `self in z`; empty: the battlefield.
    pub zones: Vec<Zone>,
    /// Its variables.
    pub frame: Frame,
    /// What it does.
    pub kind: ClauseKind,
    /// Attributes that its guard and body may read, and write: for "do two clauses commute?" (5.1).
    pub reads: AttrSet,
    /// What its body may write.
    pub writes: AttrSet,
}

/// A set of attributes, one bit each of [`Attr`], and of markers, one bit each of [`Program::markers`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct AttrSet {
    attrs: u64,
    markers: u64,
}

/// What can be read or written, for commutation and for leaving out what nothing reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Attr {
    Zone,
    Owner,
    Controller,
    Home,
    FaceDown,
    Way,
    Listed,
    Tapped,
    Transformed,
    Damage,
    Host,
    Stamp,
    Copies,
    Gives,
    Counters,
    Known,
    Stack,
    Libraries,
    Active,
    InGame,
    Mana,
    /// Which components make a permanent.
    Parts,
    Exists,
}

impl AttrSet {
    /// All there is.
    pub const ALL: AttrSet = AttrSet { attrs: u64::MAX, markers: u64::MAX };
    /// With one more attribute.
    pub fn add(&mut self, a: Attr) {
        self.attrs |= 1 << a as u8;
    }
    /// With one more marker or ghost.
    pub fn add_marker(&mut self, m: MarkerId) {
        self.markers |= 1 << m.0;
    }
    /// With every marker and ghost.
    pub fn add_markers(&mut self) {
        self.markers = u64::MAX;
    }
    /// Whether the two share one.
    pub fn meets(self, other: AttrSet) -> bool {
        self.attrs & other.attrs != 0 || self.markers & other.markers != 0
    }
    /// Both together.
    pub fn join(&mut self, other: AttrSet) {
        self.attrs |= other.attrs;
        self.markers |= other.markers;
    }
}

impl Program {
    /// Whether a clause is a ghost's: it watches what happens, and nothing of the law hangs on it.
    pub fn is_ghost(&self, clause: ClauseId) -> bool {
        self.rules[self.clauses[clause.index()].rule.index()].kind == "ghost"
    }

    /// Whether the order of two clauses of one event can't matter: neither writes what the other reads or writes.
    pub fn commute(&self, a: ClauseId, b: ClauseId) -> bool {
        let (x, y) = (&self.clauses[a.index()], &self.clauses[b.index()]);
        !x.writes.meets(y.writes) && !x.writes.meets(y.reads) && !y.writes.meets(x.reads)
    }
}

/// The kinds of clause.
#[derive(Clone, Debug)]
pub enum ClauseKind {
    /// An offer. `player` and `object` are variables (1 and 0 in a carried clause, where the object is the carrier and
    /// the player its controller).
    Permit {
        /// Variable of the player.
        player: Slot,
        /// Variable of the object.
        object: Slot,
        /// Goes onto the stack.
        ability: bool,
        /// The guard.
        guard: Option<Expr>,
        /// The cost; none: free.
        pay: Option<CostExpr>,
        /// The target, of an ability.
        target: Option<Target>,
        /// What is done.
        body: Block,
    },
    /// `permit p on o …: look(o)`: standing, no action.
    MayLook {
        /// Variable of the player.
        player: Slot,
        /// Variable of the object.
        object: Slot,
        /// The guard.
        guard: Option<Expr>,
    },
    /// What can't happen.
    Forbid(Head),
    /// `instead`, `before`, `as`, `whenever`.
    Stage(Stage, Head, Option<Target>, Block),
    /// A state-based action: one or two variables (0 and 1). Of two, each unordered pair of different objects is asked
    /// once, in the first order in which it matches.
    Check(Vec<Slot>, Expr, Block),
    /// A cost more or less.
    Price(Head, bool, CostExpr),
    /// A static ability. `object` is variable; in `static self` it is variable 0.
    Static(Slot, Option<Expr>, Vec<ModId>),
    /// What a spell does as it resolves, if the guard holds (its target is chosen only if it does).
    Spell(Option<Expr>, Option<Target>, Block),
}

/// A cost as written.
#[derive(Clone, Debug)]
pub struct CostExpr {
    /// The parts, each of type `Cost`. A part `LookField(look, Toll(k))` gives one alternative for each `k` that the
    /// look has; any other part gives one.
    pub parts: Vec<Expr>,
}

/// Alternatives and a guard.
#[derive(Clone, Debug)]
pub struct Head {
    /// The patterns; each binds the same variables.
    pub patterns: Vec<Pattern>,
    /// The guard, asked under the binding.
    pub guard: Option<Expr>,
}

/// One pattern of a verb call.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Asks for attempts, whatever came of them.
    pub tries: bool,
    /// The named event through which it was written, if so.
    pub event: Option<EventId>,
    /// The verb.
    pub verb: Verb,
    /// One entry for each argument of the verb, in its order.
    pub args: Vec<ArgPattern>,
}

/// What an argument must be.
#[derive(Clone, Debug)]
pub enum ArgPattern {
    /// Anything.
    Any,
    /// Anything; it is bound to the variable.
    Bind(Slot),
    /// Equal to this (constants, `self`, `you`, variables bound before).
    Is(Expr),
}

/// `target t where E`.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Target {
    pub var: Slot,
    pub filter: Expr,
}

/// Statements in order.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// A call; then, if it happened; else, if not.
    Call(Call, Block, Block),
    /// A choice of a player among objects.
    Choose {
        /// The variable.
        var: Slot,
        /// Who chooses: a player.
        by: Expr,
        /// Out of these objects (`none` is left out); empty: all objects, in order of slots.
        among: Vec<Expr>,
        /// With this quality.
        filter: Option<Expr>,
        /// Then. Without a candidate nothing is done.
        body: Block,
    },
    /// For each, found before any is done, in order of slots (or as listed).
    Each {
        /// The variable.
        var: Slot,
        /// Out of these objects; empty: all.
        among: Vec<Expr>,
        /// With this quality.
        filter: Option<Expr>,
        /// For each.
        body: Block,
    },
    /// A condition.
    If(Expr, Block, Block),
    /// A choice of a player: yes first, then no. Where the first statement of the yes-block is a call of `pay` and the
    /// cost can't be paid, there is no choice: the else-block is done.
    May(Expr, Block, Block),
    /// Keeps a value.
    Let(Slot, Expr),
    /// Gives modifications to an object for a while.
    Give(Expr, Vec<ModId>, Duration),
    /// Sets a marker.
    Set(MarkerId, Expr, Expr),
}
