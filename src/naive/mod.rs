//! The referee: a second opinion, slow and short. It walks the checked program over plain structs and shares no code
//! with the fast path but [`crate::lang`]. This header is the meaning that it gives a program; `docs/MEANING.md` says
//! the same at length, and where the two differ one of them is wrong.
//!
//! **States.** A state s is a list of slots (cards, then token slots), each player's library, the stack, the active
//! player, the players' own records, and whether the game is over ([`state`]). Stamps are kept as an order.
//!
//! **Looks.** A view is a list of layers, and a layer is a function from the look so far to a look ([`looks`]):
//!
//! ```text
//! view(s, o, [l1 … ln])       = ln(s, o, … l1(s, o, nothing))
//! typed(s, o, k), granted, …  = the mods of that layer, applied to k one after the other, of
//!                               { statics (source, clause) : it works in s; source carries it in seen(source); guard }
//!                               by stamp of the source, then clause; then of what was given to o, by age
//!     seen(x)                 = k if x is o, else view(s, x, the layers of `now` before this one)
//! sized                       = setting, then adding, then counters
//! printed, listed, the status = those of top(s, o): the first part of a merged permanent, else o; the rest is o's own
//! joined, unseen              = abilities added of the parts below the top: seen with a top that lies up are those that do
//! carries(s, o)               = the clauses of o's look `now` and of its keywords, where they work
//! ```
//!
//! **Expressions** ([`expr`]). `eval(e)` in a *scene* (s, and for properties the states of `was` and `ends`, and the
//! records) under a binding. What is asked of no object is no, 0, `none`, the empty look.
//!
//! **Matching** ([`stages`]). M(K, x, s) is the list of (clause, carrier, binding) of kind K for an event x = verb(args),
//! sorted by clause, then carrier; of the patterns of one head the first that fits with its guard.
//!
//! **Doing** ([`run`], [`verbs`]). Every `or` of results is a choice; A is what was already applied to the event.
//!
//! ```text
//! do(x, s, A)   if M(forbid, x, s) ≠ ∅, or x is a payment that can't be made:  (s, tried x)
//!               else if R = M(instead, x, s) \ A ≠ ∅:   or over r in first(R) of body(r) with A ∪ {r}, then tried x
//!               else  s1 = bodies of M(before, x, s), in an order (any order, unless all commute)
//!                     s2 = the change of x in s1 (of a procedure: its body)
//!                     s3 = settle(s2, ∅)
//!                     (s3, happened x from s to s3), and the triggers T(x)
//! settle(s, D)  = s if N = M(as, x, s) \ D = ∅, else one a of N (any of first(N), unless all commute): settle(body(a)(s), D ∪ {a})
//! first(R)      = those of R that make a copy, if there are any, else R
//! T(x)          = M(whenever, x, s3); by a name with a look-back: M(whenever, x, s) with the view it says, s being the
//!                 state in which the outermost `each` began, if there is one
//! ```
//!
//! `body` runs statements in order; `choose` is an or over candidates in slot order, `may` of yes and no, `shuffle` over
//! orders. A call of the same verb on the same object while an `instead` of it is being done is do(x, s, A).
//!
//! **Offers** ([`offers`]).
//!
//! ```text
//! offers(s, p)  = { (clause, o, C) : p is in the game, the game is not over, the guard holds,
//!                   a dry run of take, activate (abilities), and the body meets no forbid at an outermost call (or, in it,
//!                   at an outermost call of a procedure or the move of a cast) and no spell or ability without a target,
//!                   C = pay + the prices of those calls (more, then less) can be paid }
//! ```
//!
//! **Steps** ([`step`]).
//!
//! ```text
//! step(s)       = resolve(top)  or  an offer taken  or  an effect of the world;      nothing when the game is over,
//!                 only the first when the stack is at its budget
//! next(s)       = know(place(T, check*(step(s))))
//! check*        = rounds of { all checks that match, found first, done in order } until a round changes nothing
//! place         = triggers onto the stack, the active player's first, each player's in any distinct order; what `target`
//!                 triggers is placed after, in the same way
//! ```
//!
//! The model is the least set that holds the initial states and is closed under next ([`mod@explore`]).
//!
//! **Choices.** A run is straight-line code that asks an [`oracle`]; running it with every script of answers, in
//! lexicographic order, gives the outcomes in the order of the branches.

pub mod explore;
mod expr;
mod looks;
pub mod offers;
pub mod oracle;
pub mod props;
pub mod ruling;
mod run;
mod spells;
pub mod stages;
pub mod start;
pub mod state;
pub mod step;
pub mod sums;
#[cfg(test)]
mod tests;
mod verbs;

use std::collections::HashMap;

pub use explore::{Report, explore};
pub use offers::OfferFound;
pub use oracle::Choice;
pub use props::Verdicts;
pub use ruling::{RulingResult, run_ruling};
pub use stages::{Event, Record};
pub use state::{Entry, Obj, Piece, Seat, Snap, State, Value, What};
pub use step::{Label, Outcome, Steps};

use crate::lang::ast::Span;
use crate::lang::diag::Code;
use crate::lang::tracked::{Tracked, speaks_of};
use crate::lang::tree::{Block, CardId, ClauseId, ClauseKind, Layer, Limits, ModId, Program, Stmt, Verb};

/// The variables of a frame.
pub(super) type Vars = Vec<Value>;

/// So many clauses or triggers are put into every order; more are a fault.
const ORDERED_MAX: usize = 5;

/// Something wrong with the rulebook, the world or the ruling, found by running it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What.
    pub code: Code,
    /// Where.
    pub span: Span,
    /// One lowercase sentence.
    pub message: String,
}

/// The referee of one world, or of one ruling.
pub struct Referee<'a> {
    /// The program.
    pub program: &'a Program,
    /// What the states hold.
    pub tracked: Tracked,
    /// Budgets and caps.
    pub limits: Limits,
    /// The world, if it is one.
    world: Option<usize>,
    ruling: Option<usize>,
    /// The properties that speak of the world.
    properties: Vec<usize>,
    /// The cards that can be dealt, each once.
    deal: Vec<CardId>,
    /// Law clauses with a head, by verb, in canonical order.
    law_heads: HashMap<Verb, Vec<ClauseId>>,
    law_permits: Vec<ClauseId>,
    law_looks: Vec<ClauseId>,
    law_checks: Vec<ClauseId>,
    law_statics: Vec<ClauseId>,
    /// The layers for which a carried static has something to say.
    static_layers: Vec<Layer>,
    /// For each clause, whether its body makes a copy.
    makes_copy: Vec<bool>,
}

impl<'a> Referee<'a> {
    /// The referee of a world.
    pub fn new(program: &'a Program, world: usize, tracked: Tracked) -> Referee<'a> {
        let of = &program.worlds[world];
        let mut r = Referee::of(program, of.limits, tracked);
        r.world = Some(world);
        r.properties = (0..program.properties.len()).filter(|&i| speaks_of(program, i, world)).collect();
        for &card in of.starts.iter().flat_map(|s| &s.options) {
            if !r.deal.contains(&card) {
                r.deal.push(card);
            }
        }
        r
    }

    /// The referee of a ruling: everything tracked, four token slots, room on the stack.
    pub fn for_ruling(program: &'a Program, ruling: usize) -> Referee<'a> {
        let limits = Limits { stack_budget: u8::MAX, tokens_budget: 4, counters_budget: 99, stack_cap: 12 };
        Referee { ruling: Some(ruling), ..Referee::of(program, limits, Tracked::ALL) }
    }

    fn of(program: &'a Program, limits: Limits, tracked: Tracked) -> Referee<'a> {
        let mut r = Referee {
            program,
            tracked,
            limits,
            world: None,
            ruling: None,
            properties: Vec::new(),
            deal: Vec::new(),
            law_heads: HashMap::new(),
            law_permits: Vec::new(),
            law_looks: Vec::new(),
            law_checks: Vec::new(),
            law_statics: Vec::new(),
            static_layers: Vec::new(),
            makes_copy: Vec::new(),
        };
        for (id, clause) in (0u16..).zip(&program.clauses).map(|(i, c)| (ClauseId(i), c)) {
            let mut copies = false;
            let law = !clause.carried;
            match &clause.kind {
                ClauseKind::Forbid(head) | ClauseKind::Price(head, ..) | ClauseKind::Stage(_, head, ..) => {
                    for p in head.patterns.iter().filter(|_| law) {
                        let ids = r.law_heads.entry(p.verb).or_default();
                        if ids.last() != Some(&id) {
                            ids.push(id);
                        }
                    }
                    if let ClauseKind::Stage(_, _, _, body) = &clause.kind {
                        copies = makes_copy(program, body);
                    }
                }
                ClauseKind::Permit { .. } => r.law_permits.extend(law.then_some(id)),
                ClauseKind::MayLook { .. } => r.law_looks.extend(law.then_some(id)),
                ClauseKind::Check(..) => r.law_checks.extend(law.then_some(id)),
                ClauseKind::Static(_, _, mods) => {
                    r.law_statics.extend(law.then_some(id));
                    r.static_layers.extend(mods.iter().map(|m: &ModId| program.mods[m.index()].layer));
                }
                ClauseKind::Spell(..) => {}
            }
            r.makes_copy.push(copies);
        }
        r
    }
}

/// Whether a body becomes a copy, itself or through a procedure.
fn makes_copy(program: &Program, body: &Block) -> bool {
    let of = |b: &Block| makes_copy(program, b);
    body.stmts.iter().any(|s| match s {
        Stmt::Call(call, a, b) => {
            let itself = match call.verb {
                Verb::BecomeCopy => true,
                Verb::Procedure(p) => of(&program.procedures[p.index()].body),
                _ => false,
            };
            itself || of(a) || of(b)
        }
        Stmt::Choose { body, .. } | Stmt::Each { body, .. } => of(body),
        Stmt::If(_, a, b) | Stmt::May(_, a, b) => of(a) || of(b),
        Stmt::Let(..) | Stmt::Give(..) | Stmt::Set(..) => false,
    })
}

/// The orders of n things, in lexicographic order of their places.
fn permutations(n: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..n {
        let longer = |p: &Vec<usize>| {
            let free: Vec<usize> = (0..n).filter(|i| !p.contains(i)).collect();
            let p = p.clone();
            free.into_iter().map(move |i| p.iter().copied().chain([i]).collect::<Vec<usize>>())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
