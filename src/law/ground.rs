//! A program laid out for one world (or one ruling): which clauses can ever matter there, found by verb and kind, and
//! which projections of a component its runs may read.

use crate::game::looks::Looks;
use crate::game::record::{CostId, LookId, NO_OBJECT, Obj, PlayerRec, SlotRec, State, Table};
use crate::lang::ast::Stage;
use crate::lang::tracked::Tracked;
use crate::lang::tree::{
    ArgPattern, Block, CardId, ClauseId, ClauseKind, Expr, Field, Function, Layer, Limits, Look, ModKind, ProcedureId,
    Program, Stmt, Verb, ViewId, Zone,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

/// Kinds of clause that are found by verb.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Kind {
    /// `forbid`
    Forbid,
    /// `instead`, `before`, `as`, `whenever`
    Stage(Stage),
    /// `price`
    Price,
}

/// A clause with a head, as found by one verb.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The clause.
    pub clause: ClauseId,
    /// Which of its patterns are of this verb.
    pub patterns: Vec<usize>,
    /// Each of these has `self` as an argument, at this place: only that object can be the carrier.
    pub self_at: Option<usize>,
}

/// A card or other thing that a slot starts with.
#[derive(Clone, Debug)]
pub struct Dealt {
    /// Its card.
    pub card: CardId,
    /// Where.
    pub zone: Zone,
    /// Whose.
    pub owner: u8,
}

/// What a run needs to know of the world.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Number of slots that hold cards.
    pub cards: usize,
    /// Names of the players.
    pub players: Vec<String>,
    /// Budgets and caps.
    pub limits: Limits,
    /// Mana of each player, if limited.
    pub mana: Option<u16>,
    /// Effects of the world: procedure and players.
    pub allows: Vec<(ProcedureId, Vec<u8>)>,
    /// What is part of its states.
    pub tracked: Tracked,
    /// Cards that can be there.
    pub deck: Vec<CardId>,
}

/// Projections of a slot, beside [`crate::game::memory::FULL`].
pub mod projection {
    #![allow(missing_docs)]
    pub const ZONE: u8 = 1;
    pub const OWNER: u8 = 2;
    pub const CONTROLLER: u8 = 3;
    pub const HOME: u8 = 4;
    pub const FACE_DOWN: u8 = 5;
    pub const WAY: u8 = 6;
    pub const LISTED: u8 = 7;
    pub const TAPPED: u8 = 8;
    pub const TRANSFORMED: u8 = 9;
    pub const DAMAGE: u8 = 10;
    pub const HOST: u8 = 11;
    pub const CARD: u8 = 12;
    pub const KNOWN: u8 = 13;
    pub const MARKS: u8 = 14;
    pub const STATIC_SOURCE: u8 = 15;
    pub const GATES: u8 = 16;
    pub const EXISTS: u8 = 17;
    /// The views, a bit each, in which its own record has a static ability that works.
    pub const OWN_STATICS: u8 = 37;
    /// How many views have a projection.
    pub const VIEWS: u16 = 11;
    /// Whether it is merged; of what is, the whole is read.
    pub const PARTS: u8 = 38;
    /// Whether the end of a turn changes it.
    pub const ENDS_WITH_TURN: u8 = 39;
    /// Counters of kind k: `COUNTERS + k`, at most [`COUNTER_KINDS`]; more are read as a whole.
    pub const COUNTERS: u8 = 18;
    /// How many kinds of counters have a projection.
    pub const COUNTER_KINDS: u16 = 7;
    /// With which permanent it left.
    pub const LEFT_WITH: u8 = 25;
    /// Own look through view v: `LOOK + v`, at most [`VIEWS`] views; more are read as a whole.
    pub const LOOK: u8 = 26;
    /// Carries reachable clause number i: `CARRIES + i`.
    pub const CARRIES: u8 = 40;
    /// One past the last.
    pub const END: u8 = 127;
    // Of a player.
    pub const IN_GAME: u8 = 1;
    pub const MANA: u8 = 2;
    pub const TOP: u8 = 3;
    pub const SECOND: u8 = 4;
    pub const PLAYER_MARKS: u8 = 5;
    // Of the stack.
    pub const LENGTH: u8 = 1;
    // Of the table.
    pub const ACTIVE: u8 = 1;
    pub const OVER: u8 = 2;
}

/// A program laid out for a world.
pub struct Law<'p> {
    /// The program.
    pub program: &'p Program,
    /// Looks and costs met.
    pub looks: Looks,
    /// The world.
    pub setting: Setting,
    /// All slots: cards, then tokens.
    pub slots: usize,
    found: FxHashMap<(Kind, Verb), Vec<Candidate>>,
    /// `check` clauses with their parts.
    pub checks: Vec<Check>,
    /// `permit` clauses of the law, in canonical order, and carried ones that can be there.
    pub permits: Vec<ClauseId>,
    /// Standing permissions to look, and whether the guard speaks of its object alone.
    pub may_look: Vec<(ClauseId, bool)>,
    /// `static` clauses that can be there.
    pub statics: Vec<ClauseId>,
    /// Carried clauses that can be there, by number for projections.
    pub carried: FxHashMap<ClauseId, u8>,
    /// The view `now`.
    pub now: ViewId,
    /// Procedures whose body, all the way down, calls `become_copy`.
    pub copying: FxHashSet<ClauseId>,
    /// What is worked out once for each record of a slot, and for each look.
    pub memo: Memo,
    /// What is at work, where that is asked for.
    pub coverage: Option<Box<super::coverage::Recorder>>,
    /// Where the time goes, where that is asked for.
    pub profile: Option<Box<super::profile::Profile>>,
}

/// An ability of a look: its clause, and its keyword's cost.
pub type Ability = (ClauseId, Option<CostId>);

/// Of a record: whether it is a source of a static ability that works, and its gates, once known.
type OfRecord = (Option<bool>, Option<u64>);

/// What is worked out once.
#[derive(Default)]
pub struct Memo {
    /// The abilities of a look, by its number.
    pub abilities: RefCell<FxHashMap<LookId, Rc<[Ability]>>>,
    /// By record: whether it is a source of a static ability that works, and its gates.
    pub records: RefCell<FxHashMap<Rc<SlotRec>, OfRecord>>,
    /// Looks with statics at work.
    pub full: RefCell<super::views::FullLooks>,
}

/// A check with what is known of its guard.
#[derive(Clone, Debug)]
pub struct Check {
    /// The clause.
    pub clause: ClauseId,
    /// One or two variables.
    pub variables: usize,
    /// The guard speaks of its variables' own records alone.
    pub own: bool,
    /// For each variable, the conjuncts in front that speak of its own record alone.
    pub gates: Vec<Vec<Expr>>,
}

impl<'p> Law<'p> {
    /// Lays a program out for a setting.
    pub fn new(program: &'p Program, setting: Setting) -> Law<'p> {
        let reach = reachable(program, &setting);
        let mut law = Law {
            program,
            looks: Looks::new(),
            slots: setting.cards + usize::from(setting.limits.tokens_budget),
            setting,
            found: FxHashMap::default(),
            checks: Vec::new(),
            permits: Vec::new(),
            may_look: Vec::new(),
            statics: Vec::new(),
            carried: FxHashMap::default(),
            now: program.now.unwrap_or(ViewId(0)),
            copying: FxHashSet::default(),
            memo: Memo::default(),
            coverage: None,
            profile: None,
        };
        for (i, clause) in program.clauses.iter().enumerate() {
            let id = ClauseId(i as u16);
            if clause.carried && !reach.contains(&id) {
                continue;
            }
            if clause.carried {
                let n = law.carried.len().min(255) as u8;
                law.carried.insert(id, n);
            }
            match &clause.kind {
                ClauseKind::Forbid(head) => law.index(id, Kind::Forbid, head),
                ClauseKind::Price(head, ..) => law.index(id, Kind::Price, head),
                ClauseKind::Stage(stage, head, _, body) => {
                    if clause_is_idle_ghost(program, &law.setting.tracked, body) {
                        continue;
                    }
                    law.index(id, Kind::Stage(*stage), head);
                    if body_copies(program, body, 0) {
                        law.copying.insert(id);
                    }
                }
                ClauseKind::Check(vars, guard, _) => {
                    let gates = (0..vars.len() as u8).map(|v| gate(program, guard, v)).collect();
                    let all: Vec<u8> = (0..vars.len() as u8).collect();
                    let own = own_only(program, guard, &all);
                    law.checks.push(Check { clause: id, variables: vars.len(), own, gates });
                }
                ClauseKind::Permit { .. } => law.permits.push(id),
                ClauseKind::MayLook { object, player, guard } => {
                    let own = guard.as_ref().is_none_or(|g| own_only(program, g, &[*object, *player]));
                    law.may_look.push((id, own));
                }
                ClauseKind::Static(..) => law.statics.push(id),
                ClauseKind::Spell(..) => {}
            }
        }
        law
    }

    fn index(&mut self, id: ClauseId, kind: Kind, head: &crate::lang::tree::Head) {
        let carried = self.program.clauses[id.index()].carried;
        let mut by_verb: Vec<(Verb, Vec<usize>)> = Vec::new();
        for (i, p) in head.patterns.iter().enumerate() {
            match by_verb.iter_mut().find(|(v, _)| *v == p.verb) {
                Some((_, list)) => list.push(i),
                None => by_verb.push((p.verb, vec![i])),
            }
        }
        for (verb, patterns) in by_verb {
            let place = |i: &usize| {
                let args = &head.patterns[*i].args;
                args.iter().position(|a| matches!(a, ArgPattern::Is(Expr::Var(0))))
            };
            let self_at = if carried {
                let first = patterns.first().and_then(place);
                first.filter(|_| patterns.iter().all(|i| place(i) == first))
            } else {
                None
            };
            self.found.entry((kind, verb)).or_default().push(Candidate { clause: id, patterns, self_at });
        }
    }

    /// Clauses of a kind with a pattern of a verb, in canonical order.
    pub fn candidates(&self, kind: Kind, verb: Verb) -> &[Candidate] {
        self.found.get(&(kind, verb)).map_or(&[], Vec::as_slice)
    }

    /// The state in which every slot is free, ready for cards to be dealt.
    pub fn blank(&self) -> State {
        let players = self.setting.players.len();
        let seat = PlayerRec { in_game: true, marks: 0, mana: self.setting.mana, library: Vec::new() };
        State {
            slots: (0..self.slots).map(|_| Rc::new(self.free_slot())).collect(),
            players: (0..players).map(|_| Rc::new(seat.clone())).collect(),
            stack: Rc::default(),
            table: Rc::new(Table { active: 0, over: false }),
            stamps: Rc::default(),
        }
    }

    /// A free token slot.
    pub fn free_slot(&self) -> SlotRec {
        SlotRec {
            card: None,
            printed: crate::game::looks::EMPTY,
            back: crate::game::looks::EMPTY,
            zone: None,
            owner: 0,
            controller: 0,
            home: 0,
            face_down: false,
            way: None,
            listed: crate::game::looks::EMPTY,
            tapped: false,
            transformed: false,
            damage: 0,
            host: NO_OBJECT,
            copies: Vec::new(),
            gives: Vec::new(),
            counters: vec![0; self.program.counters.len()],
            known: 0,
            marks: 0,
            parts: Vec::new(),
            left_with: NO_OBJECT,
        }
    }

    /// Puts a card into a slot.
    pub fn deal(&self, state: &mut State, slot: usize, dealt: &Dealt) {
        let rec = Rc::make_mut(&mut state.slots[slot]);
        rec.card = Some(dealt.card);
        rec.printed = self.face(dealt.card);
        rec.zone = Some(dealt.zone);
        rec.owner = dealt.owner;
        rec.controller = dealt.owner;
        rec.home = if self.setting.tracked.home { dealt.owner } else { 0 };
        if dealt.zone == Zone::Library {
            Rc::make_mut(&mut state.players[usize::from(dealt.owner)]).library.push(slot as Obj);
        }
        if dealt.zone == Zone::Battlefield && self.setting.tracked.stamps {
            Rc::make_mut(&mut state.stamps).push(slot as Obj);
        }
    }

    /// The other face of what is in a slot, if it has two.
    pub fn back(&self, rec: &SlotRec) -> Option<LookId> {
        match rec.card {
            Some(card) => self.program.cards[card.index()].back.as_ref().map(|back| self.looks.look(back)),
            None => (rec.back != crate::game::looks::EMPTY).then_some(rec.back),
        }
    }

    /// The number of a card's front face.
    pub fn face(&self, card: CardId) -> LookId {
        self.looks.look(&self.program.cards[card.index()].front)
    }

    /// Component of a player.
    pub fn player_component(&self, p: u8) -> usize {
        self.slots + usize::from(p)
    }
    /// Component of the stack.
    pub fn stack_component(&self) -> usize {
        self.slots + self.setting.players.len()
    }
    /// Component of the table.
    pub fn table_component(&self) -> usize {
        self.stack_component() + 1
    }
    /// Component of the stamps.
    pub fn stamps_component(&self) -> usize {
        self.stack_component() + 2
    }
    /// How many components a state has.
    pub fn components(&self) -> usize {
        self.stack_component() + 3
    }
    /// The layers of a view.
    pub fn layers(&self, view: ViewId) -> &'p [Layer] {
        self.program.views.get(view.index()).map_or(&[], |v| v.layers.as_slice())
    }
}

/// A clause that only sets markers or ghosts that are not tracked does nothing.
fn clause_is_idle_ghost(program: &Program, tracked: &Tracked, body: &Block) -> bool {
    !body.stmts.is_empty()
        && body.stmts.iter().all(|s| match s {
            Stmt::Set(m, ..) => program.markers[m.index()].ghost && tracked.markers >> m.0 & 1 == 0,
            _ => false,
        })
}

/// Carried clauses that some object of the world can have: those of its cards, of profiles, and of keywords that these
/// have or that a modification gives.
fn reachable(program: &Program, setting: &Setting) -> FxHashSet<ClauseId> {
    let mut set = FxHashSet::default();
    let add = |look: &Look, set: &mut FxHashSet<ClauseId>| {
        set.extend(look.clauses.iter().copied());
        for (k, _) in &look.keywords {
            set.extend(program.keywords[k.index()].carried.iter().copied());
        }
    };
    for card in &setting.deck {
        let card = &program.cards[card.index()];
        add(&card.front, &mut set);
        if let Some(back) = &card.back {
            add(back, &mut set);
        }
    }
    for profile in &program.profiles {
        add(&profile.look, &mut set);
    }
    for m in &program.mods {
        if let ModKind::Has(k, _) = &m.kind {
            set.extend(program.keywords[k.index()].carried.iter().copied());
        }
    }
    set
}

/// Whether a body may call `become_copy`, all the way down.
fn body_copies(program: &Program, body: &Block, depth: usize) -> bool {
    depth < 32
        && body.stmts.iter().any(|s| match s {
            Stmt::Call(c, a, b) => {
                c.verb == Verb::BecomeCopy
                    || matches!(c.verb, Verb::Procedure(p) if body_copies(program, &program.procedures[p.index()].body, depth + 1))
                    || body_copies(program, a, depth + 1)
                    || body_copies(program, b, depth + 1)
            }
            Stmt::Choose { body, .. } | Stmt::Each { body, .. } => body_copies(program, body, depth + 1),
            Stmt::If(_, a, b) | Stmt::May(_, a, b) => body_copies(program, a, depth + 1) || body_copies(program, b, depth + 1),
            Stmt::Let(..) | Stmt::Give(..) | Stmt::Set(..) => false,
        })
}

/// The conjuncts at the front of a guard, or anywhere in its top-level `and`, that speak of one variable's record alone. They
/// are asked of the record in any slot, so which object it is must not matter: `o.host == o` is none.
fn gate(program: &Program, guard: &Expr, var: u8) -> Vec<Expr> {
    let of_record = |e: &&Expr| own(program, e, &[var], Bare::Never);
    match guard {
        Expr::And(list) => list.iter().filter(of_record).cloned().collect(),
        e if of_record(&e) => vec![e.clone()],
        _ => Vec::new(),
    }
}

/// Whether variables may stand for the objects themselves, not only for what they are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bare {
    Allowed,
    Never,
}

/// Whether an expression reads nothing but the own records of the objects in these variables (players may be compared).
pub fn own_only(program: &Program, e: &Expr, vars: &[u8]) -> bool {
    own(program, e, vars, Bare::Allowed)
}

fn own(program: &Program, e: &Expr, vars: &[u8], bare: Bare) -> bool {
    let all = |list: &[Expr]| list.iter().all(|e| own(program, e, vars, bare));
    let object = |e: &Expr| matches!(e, Expr::Var(v) if vars.contains(v));
    match e {
        Expr::Const(_) => true,
        Expr::Var(v) => bare == Bare::Allowed && vars.contains(v),
        Expr::And(l) | Expr::Or(l) => all(l),
        Expr::Not(a) | Expr::Function(Function::Value | Function::Even | Function::Xs, a) => {
            own(program, a, vars, bare)
        }
        Expr::Cmp(_, a, b) => own(program, a, vars, bare) && own(program, b, vars, bare),
        Expr::Field(o, f) => !matches!(f, Field::Stamp | Field::Pile) && object(o),
        Expr::Counters(o, k) => object(o) && own(program, k, vars, bare),
        Expr::KnownTo(o, p) => object(o) && own(program, p, vars, bare),
        Expr::View(o, _) | Expr::Plain(o) => object(o),
        Expr::Look(l, _) | Expr::Is(l, _) | Expr::Has(l, _) => own(program, l, vars, bare),
        Expr::In(o, _) => object(o),
        Expr::Marker(m, o) => program.markers[m.index()].on == crate::lang::tree::Ty::Object && object(o),
        Expr::Define(d, args) => {
            let define = &program.defines[d.index()];
            let inner: Vec<u8> = (0..define.params as u8).collect();
            // What is handed over is asked in the body, whether or not it may stand there alone.
            args.iter().all(|e| object(e) || own(program, e, vars, bare)) && own(program, &define.body, &inner, bare)
        }
        _ => false,
    }
}
