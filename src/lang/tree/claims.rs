//! Worlds, properties and rulings.

use super::*;
use crate::lang::ast::{PropertyKind, Span};

/// A world.
#[derive(Clone, Debug)]
pub struct World {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The players; the first is active at the start.
    pub players: Vec<String>,
    /// Where cards start, in order of slots.
    pub starts: Vec<Start>,
    /// Procedures that may happen at any time, and by whom (places in `players`).
    pub allows: Vec<(ProcedureId, Vec<u8>)>,
    /// None: mana without limit; else what each player may spend in the whole play.
    pub mana: Option<i32>,
    /// Budgets and caps.
    pub limits: Limits,
    /// Where it stands.
    pub span: Span,
}

/// What a world starts with in one place.
#[derive(Clone, Debug)]
pub struct Start {
    /// Whose.
    pub player: u8,
    /// Where.
    pub zone: Zone,
    /// How many.
    pub count: u8,
    /// Out of these, with repetition; in a library every order counts, elsewhere not.
    pub options: Vec<CardId>,
}

/// Budgets (part of the position) and caps (storage) of a world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// While the stack holds so many objects, only its top is offered.
    pub stack_budget: u8,
    /// So many tokens and copies of spells at once: slots beside the cards.
    pub tokens_budget: u8,
    /// So many counters of one kind on one object.
    pub counters_budget: u8,
    /// The stack never holds more (a storage limit).
    pub stack_cap: u8,
}

/// A property.
#[derive(Clone, Debug)]
pub struct Property {
    /// Which kind.
    pub kind: PropertyKind,
    /// Its name.
    pub name: String,
    /// Rule numbers.
    pub cites: Vec<String>,
    /// Seed sentences and case names.
    pub from: Vec<String>,
    /// Worlds (places in [`Program::worlds`]); empty: all.
    pub worlds: Vec<usize>,
    /// What it means.
    pub says: Vec<(String, String)>,
    /// Its variables.
    pub frame: Frame,
    /// What it claims.
    pub claim: Claim,
    /// Where it stands.
    pub span: Span,
}

/// What a property claims.
#[derive(Clone, Debug)]
pub enum Claim {
    /// Of every state between steps. An outermost `every x where P: Q` has P as its premise.
    Always(Expr),
    /// Of every such event.
    Whenever(Head, Expr),
    /// Some state.
    PossibleState(Expr),
    /// Some event.
    PossibleEvent(Head),
    /// For each player p (variable 0) and object o (variable 1) with the guard: another card in place of o changes
    /// nothing in what p is offered.
    Blind(Expr),
}

/// A ruling.
#[derive(Clone, Debug)]
pub struct Ruling {
    /// Its name.
    pub name: String,
    /// Rule numbers.
    pub cites: Vec<String>,
    /// The cases it encodes.
    pub from: Vec<String>,
    /// What it means.
    pub says: Vec<(String, String)>,
    /// Its variables: the given objects first, then what is bound by events.
    pub frame: Frame,
    /// The active player.
    pub active: u8,
    /// The given objects, in order of slots.
    pub given: Vec<Given>,
    /// What is done and claimed, in order.
    pub steps: Vec<RulingStep>,
    /// Where it stands.
    pub span: Span,
}

/// A given object.
#[derive(Clone, Debug)]
pub struct Given {
    /// Its variable.
    pub var: Slot,
    /// Its card.
    pub card: CardId,
    /// Where.
    pub zone: Zone,
    /// Whose.
    pub owner: u8,
    /// Who controls it.
    pub controller: u8,
    /// Face down, with this look, in this way.
    pub face_down: Option<(ProfileId, WayId)>,
    /// Tapped.
    pub tapped: bool,
    /// Counters.
    pub counters: Vec<(CounterId, i32)>,
}

/// A line of a ruling.
#[derive(Clone, Debug)]
pub enum RulingStep {
    /// A player takes the offer that matches.
    Does {
        /// Who.
        player: u8,
        /// Which offer.
        pattern: Pattern,
        /// At which cost.
        paying: Option<CostExpr>,
        /// The choices in order.
        choosing: Vec<Expr>,
        /// Where it stands.
        span: Span,
    },
    /// A verb or procedure happens.
    Do(Call, Vec<Expr>, Span),
    /// The top of the stack resolves.
    Resolve(Vec<Expr>, Span),
    /// What must be true now.
    Then(Expr, Span),
}
