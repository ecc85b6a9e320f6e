//! The checked program: every name resolved to a small number, every expression typed. The fast path and the referee
//! both start from here and share nothing else. It knows no game state.
//!
//! **Frames.** A clause, procedure, define, named cost or property has a *frame*: numbered variables, each with a name
//! and a type. In a clause carried by an object (a card's, or a keyword's that says `self`, `you` or its toll) variable
//! 0 is `self`, 1 is `you` (the controller of self at the time), and a keyword's toll is 2 if it has one. Procedures,
//! defines and named costs have their parameters first, in order.
//!
//! **Verbs.** Arguments of a call and of a pattern stand in the order of the verb's signature, [`Verb::signature`] or a
//! procedure's parameters; `None` in a pattern means "any". In a call every argument is there but those with a
//! default that depends on the state (see the signature), which are `None`.

use super::ast::{CmpOp, Date, PropertyKind, QuantKind, Span, Stage};

/// Index of a frame variable.
pub type Slot = u8;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
        pub struct $name(pub u16);
        impl $name {
            /// The place in its table.
            pub fn index(self) -> usize { usize::from(self.0) }
        }
    )* };
}
ids! {
    /// A word: type, supertype, colour or subtype, in [`Program::words`].
    WordId,
    /// A keyword, in [`Program::keywords`].
    KeywordId,
    /// A counter kind, in [`Program::counters`].
    CounterId,
    /// A way up or down, in [`Program::ways`].
    WayId,
    /// A card name, in [`Program::names`].
    NameId,
    /// A profile (a listed look), in [`Program::profiles`].
    ProfileId,
    /// A named cost, in [`Program::named_costs`].
    NamedCostId,
    /// A define, in [`Program::defines`].
    DefineId,
    /// A procedure, in [`Program::procedures`].
    ProcedureId,
    /// A named event, in [`Program::events`].
    EventId,
    /// A view, in [`Program::views`].
    ViewId,
    /// A marker or ghost, in [`Program::markers`].
    MarkerId,
    /// A clause, in [`Program::clauses`].
    ClauseId,
    /// A rule, keyword, card, profile of the law: what a clause belongs to, in [`Program::rules`].
    RuleId,
    /// A card or archetype, in [`Program::cards`].
    CardId,
    /// A modification, in [`Program::mods`].
    ModId,
}

/// The types of the language.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum Ty { Bool, Number, Player, Object, Look, Cost, Name, Way, Zone, Duration, Place, Counter, Event }

/// Zones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[allow(missing_docs)]
pub enum Zone { Battlefield, Stack, Hand, Library, Graveyard, Exile, Phased, Outside, Beneath }

/// How long an effect lasts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[allow(missing_docs)]
pub enum Duration { Forever, EndOfTurn, TurnedDown }

/// Where a part is put.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[allow(missing_docs)]
pub enum Place { OnTop, AtBottom }

/// The checked program, for one edition and one choice of readings.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The edition, as a day.
    pub edition: Option<Date>,
    /// Every reading with the value chosen, sorted.
    pub readings: Vec<(String, String)>,
    /// Words: the built-in ones first.
    pub words: Vec<Word>,
    /// Keywords.
    pub keywords: Vec<Keyword>,
    /// Counter kinds.
    pub counters: Vec<Counter>,
    /// Names of ways: `effect` first, then keywords, then procedures.
    pub ways: Vec<String>,
    /// Card names. Equal names are one entry.
    pub names: Vec<String>,
    /// Profiles.
    pub profiles: Vec<Profile>,
    /// Named costs.
    pub named_costs: Vec<NamedCost>,
    /// Defines.
    pub defines: Vec<Define>,
    /// Procedures.
    pub procedures: Vec<Procedure>,
    /// The procedure `resolve(s: Object)` of the law.
    pub resolve: Option<ProcedureId>,
    /// Named events.
    pub events: Vec<Event>,
    /// Verbs and procedures whose `whenever`s look back (`look_back sacrifice as now`), with the view, sorted.
    pub verb_look_back: Vec<(Verb, ViewId)>,
    /// Views.
    pub views: Vec<View>,
    /// The view `now`, through which plain `o` is read.
    pub now: Option<ViewId>,
    /// Markers, then ghosts.
    pub markers: Vec<Marker>,
    /// All clauses, of the law and of cards, in canonical order: by name of rule, then place in it. This order (never
    /// the order of files) is the order in which both engines list instances.
    pub clauses: Vec<Clause>,
    /// What clauses belong to.
    pub rules: Vec<Rule>,
    /// Cards and archetypes.
    pub cards: Vec<Card>,
    /// All modifications of `give`, `static`, `but`, so that a given effect is a number.
    pub mods: Vec<Mod>,
    /// Worlds.
    pub worlds: Vec<World>,
    /// Properties.
    pub properties: Vec<Property>,
    /// Rulings.
    pub rulings: Vec<Ruling>,
    /// What is not in force in this edition or reading: kind (`rule`, `property`, `ruling`, …), name, reason.
    pub left_out: Vec<(String, String, String)>,
}

/// What kind of word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum WordKind { Type, Supertype, Colour, Subtype }

/// A type, supertype, colour or subtype. At most 128 of them.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Word { pub name: String, pub kind: WordKind }

/// A keyword.
#[derive(Clone, Debug)]
pub struct Keyword {
    /// Its name.
    pub name: String,
    /// Whether it has a cost.
    pub toll: bool,
    /// Its clauses that are carried by each object that has it ([`Clause::carried`]).
    pub carried: Vec<ClauseId>,
    /// What it belongs to.
    pub rule: RuleId,
}

/// A counter kind.
#[derive(Clone, Debug)]
pub struct Counter {
    /// Its name.
    pub name: String,
    /// What each counter adds to power and toughness, in layer `sized`.
    pub size: (i32, i32),
}

/// A constant look with its name.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Profile { pub name: String, pub look: Look, pub rule: RuleId }

/// Characteristics. A look is a value: two with equal fields are one look.
#[derive(Clone, PartialEq, Eq, Debug, Hash, PartialOrd, Ord, Default)]
pub struct Look {
    /// None: no name, which equals nothing but itself.
    pub name: Option<NameId>,
    /// None: no mana cost, which can't be paid.
    pub mana: Option<Mana>,
    /// One bit a word of [`Program::words`]. Colours are set from the mana cost when a card is checked.
    pub words: u128,
    /// Power and toughness, if any.
    pub size: Option<(i32, i32)>,
    /// Keywords with their costs, sorted, each pair once.
    pub keywords: Vec<(KeywordId, Option<Cost>)>,
    /// Clauses of the text, sorted (those of keywords are found through the keywords).
    pub clauses: Vec<ClauseId>,
}

/// An amount of mana by symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord, Default)]
pub struct Mana {
    /// Generic.
    pub generic: u8,
    /// White, blue, black, red, green, colourless.
    pub symbols: [u8; 6],
    /// Number of {X}.
    pub x: u8,
}

impl Mana {
    /// The mana value (X counts as 0).
    pub fn value(&self) -> i32 {
        i32::from(self.generic) + self.symbols.iter().map(|&n| i32::from(n)).sum::<i32>()
    }
    /// Both amounts together.
    #[must_use]
    pub fn plus(mut self, more: &Mana) -> Mana {
        self.generic = self.generic.saturating_add(more.generic);
        for (a, b) in self.symbols.iter_mut().zip(more.symbols) {
            *a = a.saturating_add(b);
        }
        self.x = self.x.saturating_add(more.x);
        self
    }
    /// This amount with generic mana (and equal symbols) taken off, never below nothing (118.7).
    #[must_use]
    pub fn less(mut self, off: &Mana) -> Mana {
        self.generic = self.generic.saturating_sub(off.generic);
        for (a, b) in self.symbols.iter_mut().zip(off.symbols) {
            *a = a.saturating_sub(b);
        }
        self
    }
}

/// A cost: mana and named costs, both perhaps empty.
#[derive(Clone, PartialEq, Eq, Debug, Hash, PartialOrd, Ord, Default)]
#[allow(missing_docs)]
pub struct Cost { pub mana: Mana, pub named: Vec<NamedCostId> }

/// `cost c(p: Player, o: Object) { … }`: variable 0 is the payer, 1 the object paid for.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct NamedCost { pub name: String, pub frame: Frame, pub body: Block, pub rule: RuleId }

/// Variables of a body.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Name and type of each.
    pub vars: Vec<(String, Ty)>,
}

/// A define.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Define { pub name: String, pub params: usize, pub frame: Frame, pub ty: Ty, pub body: Expr, pub rule: RuleId }

/// A procedure: a verb whose change is a body.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: String,
    /// Its parameters: label, if any, and type; they are variables 0 .. of the frame.
    pub params: Vec<(Option<String>, String, Ty)>,
    /// The frame.
    pub frame: Frame,
    /// The body.
    pub body: Block,
    /// What it belongs to.
    pub rule: RuleId,
}

/// A named event: a name for any of its patterns.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// The view in which its `whenever`s look back, if `look_back` says so.
    pub look_back: Option<ViewId>,
    /// What it belongs to.
    pub rule: RuleId,
}

/// The layers of views.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Layer { Front, Printed, Copied, Listed, Typed, Coloured, Granted, Sized }

/// A view.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct View { pub name: String, pub layers: Vec<Layer>, pub rule: RuleId }

/// A marker or ghost: a yes or no of an object or a player.
#[derive(Clone, Debug)]
pub struct Marker {
    /// Its name.
    pub name: String,
    /// `Ty::Object` or `Ty::Player`.
    pub on: Ty,
    /// Ends with the turn (else with `renew`).
    pub turn: bool,
    /// Declared by `ghost`: read by properties alone.
    pub ghost: bool,
    /// What it belongs to.
    pub rule: RuleId,
}

/// What a rule, keyword, card, ghost or other item is called and cites.
#[derive(Clone, Debug, Default)]
pub struct Rule {
    /// `rule`, `keyword`, `card`, `archetype`, `ghost`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Rule numbers.
    pub cites: Vec<String>,
    /// `(language, sentence)`.
    pub says: Vec<(String, String)>,
    /// Where it stands.
    pub span: Span,
}

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

/// A set of attributes, one bit each of [`Attr`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct AttrSet(pub u64);

/// What can be read or written, for commutation and for leaving out what nothing reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Attr {
    Zone, Owner, Controller, Home, FaceDown, Way, Listed, Tapped, Transformed, Damage, Host, Stamp, Copies, Gives,
    Counters, Known, Marks, Stack, Libraries, Active, InGame, Mana, Exists,
}

impl AttrSet {
    /// With one more.
    pub fn add(&mut self, a: Attr) { self.0 |= 1 << a as u8; }
    /// Whether it holds one.
    pub fn has(self, a: Attr) -> bool { self.0 >> (a as u8) & 1 == 1 }
    /// Whether the two share one.
    pub fn meets(self, other: AttrSet) -> bool { self.0 & other.0 != 0 }
    /// Both together.
    pub fn join(&mut self, other: AttrSet) { self.0 |= other.0; }
}

impl Program {
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
    /// What a spell does as it resolves.
    Spell(Option<Target>, Block),
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
pub struct Target { pub var: Slot, pub filter: Expr }

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

/// A call of a verb.
#[derive(Clone, Debug)]
pub struct Call {
    /// The verb.
    pub verb: Verb,
    /// The arguments in the order of the signature.
    pub args: Vec<Option<Expr>>,
    /// `create(new t, …)`: the variable that becomes the new object.
    pub fresh: Option<Slot>,
    /// Where it stands.
    pub span: Span,
}

/// The verbs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Verb {
    Move, Create, Cease, Run, Cast, TurnDown, TurnUp, Bare, Renew, Reveal, Show, Forget, Shuffle, BecomeCopy, Attach,
    Detach, Tap, Untap, AddCounter, Deal, Control, Phase, Transform, Target, Take, Activate, Trigger, Apply, Pay,
    EndTurn, Quit, EndGame, Procedure(ProcedureId),
}

/// One argument of a verb: label (none: by position), name, type, and whether a call may leave it out.
pub struct Param {
    /// The label.
    pub label: Option<&'static str>,
    /// The type.
    pub ty: Ty,
    /// May be left out of a call: the default is in the comment of [`Verb::signature`].
    pub optional: bool,
    /// Only in heads, never in calls (the physics fills it in).
    pub head_only: bool,
}

const fn p(label: Option<&'static str>, ty: Ty) -> Param { Param { label, ty, optional: false, head_only: false } }
const fn d(label: Option<&'static str>, ty: Ty) -> Param { Param { label, ty, optional: true, head_only: false } }
const fn h(label: Option<&'static str>, ty: Ty) -> Param { Param { label, ty, optional: true, head_only: true } }

impl Verb {
    /// The built-in verbs with their names, in order.
    pub const BUILT_IN: &'static [(&'static str, Verb)] = &[
        ("move", Verb::Move), ("create", Verb::Create), ("cease", Verb::Cease), ("run", Verb::Run), ("cast", Verb::Cast),
        ("turn_down", Verb::TurnDown), ("turn_up", Verb::TurnUp), ("bare", Verb::Bare), ("renew", Verb::Renew),
        ("reveal", Verb::Reveal), ("show", Verb::Show), ("forget", Verb::Forget), ("shuffle", Verb::Shuffle),
        ("become_copy", Verb::BecomeCopy), ("attach", Verb::Attach), ("detach", Verb::Detach), ("tap", Verb::Tap),
        ("untap", Verb::Untap), ("add_counter", Verb::AddCounter), ("deal", Verb::Deal), ("control", Verb::Control),
        ("phase", Verb::Phase), ("transform", Verb::Transform), ("target", Verb::Target), ("take", Verb::Take),
        ("activate", Verb::Activate), ("trigger", Verb::Trigger), ("apply", Verb::Apply), ("pay", Verb::Pay),
        ("end_turn", Verb::EndTurn), ("quit", Verb::Quit), ("end_game", Verb::EndGame),
    ];

    /// The arguments of a built-in verb, in the order in which calls, patterns and events hold them.
    ///
    /// Defaults: `move` under: the owner; from: filled in with the zone before. `turn_up` by: `effect`. `reveal` by:
    /// the controller. `add_counter` number: 1. `become_copy` until: `forever`. `create` of: `none`.
    /// `trigger` and `apply`: o, on: the event name or verb name, because: the verb's own name; both are moments made by
    /// physics. `Ty::Event` values are [`EventName`]s.
    pub fn signature(self) -> &'static [Param] {
        use Ty::*;
        const O: Param = p(None, Object);
        match self {
            Verb::Move => const { &[O, p(Some("to"), Zone), d(Some("under"), Player), h(Some("from"), Zone)] },
            Verb::Create => const { &[O, p(Some("look"), Look), d(Some("of"), Object)] },
            Verb::Cease | Verb::Run | Verb::Bare | Verb::Renew | Verb::Forget | Verb::Detach | Verb::Tap | Verb::Untap
            | Verb::Phase | Verb::Transform => const { &[O] },
            Verb::Cast => const { &[O, p(Some("by"), Player)] },
            Verb::TurnDown => const { &[O, p(Some("look"), Look), p(Some("by"), Way)] },
            Verb::TurnUp => const { &[O, d(Some("by"), Way)] },
            Verb::Reveal => const { &[O, d(Some("by"), Player)] },
            Verb::Show => const { &[O, p(Some("to"), Player)] },
            Verb::Shuffle | Verb::EndTurn | Verb::Quit => const { &[p(None, Player)] },
            Verb::BecomeCopy => const { &[O, p(Some("look"), Look), p(Some("of"), Object), d(Some("until"), Duration)] },
            Verb::Attach => const { &[O, p(Some("to"), Object)] },
            Verb::AddCounter => const { &[O, p(None, Counter), d(None, Number)] },
            Verb::Deal => const { &[O, p(None, Number)] },
            Verb::Control => const { &[O, p(Some("to"), Player)] },
            Verb::Target => const { &[O, p(Some("by"), Object)] },
            Verb::Take | Verb::Activate => const { &[O, p(Some("by"), Player)] },
            Verb::Trigger | Verb::Apply => const { &[O, p(Some("on"), Event), p(Some("because"), Event)] },
            Verb::Pay => const { &[p(None, Player), p(None, Cost)] },
            Verb::EndGame => const { &[] },
            Verb::Procedure(_) => const { &[] },
        }
    }
}

/// The name of what happened: a verb's, a procedure's or a named event's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum EventName {
    /// A verb or procedure.
    Verb(Verb),
    /// A named event.
    Named(EventId),
}

/// A constant.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum Const {
    /// `yes`, `no`
    Bool(bool),
    /// A number.
    Number(i32),
    /// A player of a world, by place in its `players` (in rulings `A` is 0 and `B` is 1).
    Player(u8),
    /// `none` as an object.
    NoObject,
    /// A profile.
    Profile(ProfileId),
    /// A cost; none: the cost that can't be paid.
    Cost(Option<Cost>),
    /// A card name, or `none`.
    Name(Option<NameId>),
    /// A way, or `none` (the way of what is face up).
    Way(Option<WayId>),
    /// A zone.
    Zone(Zone),
    /// A duration.
    Duration(Duration),
    /// A place.
    Place(Place),
    /// A counter.
    Counter(CounterId),
    /// An event name.
    Event(EventName),
}

/// Attributes of an object that are no look.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum Field {
    Owner, Controller, Home, FaceDown, FaceDownBy, Listed, Tapped, Transformed, Damage, Host, Stamp,
    /// No card: a token or the copy of a spell.
    Cardless,
    /// An ability on the stack.
    Ability,
    /// Its card has two faces.
    DoubleFaced,
    /// The look of its other face (the empty look if it has none).
    OtherFace,
}

/// Attributes of a look.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum LookField { Name, ManaCost, Power, Toughness, Toll(KeywordId) }

/// Functions of physics.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum Function {
    /// The top card of a player's library, or `none`.
    Top,
    /// The second.
    Second,
    /// The mana value of a cost (`none`: 0).
    Value,
    /// Whether a number is even.
    Even,
}

/// A typed expression. A question about `none` (an attribute of no object) is no, 0, `none` or the empty look.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A constant.
    Const(Const),
    /// A variable.
    Var(Slot),
    /// The active player.
    Active,
    /// All of them, left to right, the rest unasked after the first no.
    And(Vec<Expr>),
    /// One of them, left to right.
    Or(Vec<Expr>),
    /// Not.
    Not(Box<Expr>),
    /// A comparison (order only of numbers).
    Cmp(CmpOp, Box<Expr>, Box<Expr>),
    /// A quantifier over objects (all slots that hold something, abilities on the stack included) or players.
    Quant {
        /// Which.
        kind: QuantKind,
        /// The variable.
        var: Slot,
        /// `Ty::Object` or `Ty::Player`.
        ty: Ty,
        /// The range.
        filter: Box<Expr>,
        /// Of `every` only.
        body: Option<Box<Expr>>,
    },
    /// An attribute of an object.
    Field(Box<Expr>, Field),
    /// `o.counters(k)`
    Counters(Box<Expr>, Box<Expr>),
    /// `o.known_to(p)`
    KnownTo(Box<Expr>, Box<Expr>),
    /// `s.aims_at(o)`
    AimsAt(Box<Expr>, Box<Expr>),
    /// `o.watches(e)`: its view `now` has a `whenever`, or an `instead`, `before` or `as`, on the event name, about itself.
    Watches(Box<Expr>, EventName),
    /// A marker of an object or player.
    Marker(MarkerId, Box<Expr>),
    /// `p.in_game`
    InGame(Box<Expr>),
    /// An object seen through a view: a look.
    View(Box<Expr>, ViewId),
    /// An object seen plainly: through `now`; inside a `static` guard, the object variables that are the static's object
    /// mean the look so far; inside a look-back, the view of the look-back.
    Plain(Box<Expr>),
    /// The card's front face, untouched by any effect (`o.card`): the view of layers `front` alone.
    Look(Box<Expr>, LookField),
    /// A look has one of the words.
    Is(Box<Expr>, Vec<WordId>),
    /// A look has the keyword.
    Has(Box<Expr>, KeywordId),
    /// A look with a modification.
    But(Box<Expr>, ModId),
    /// An object is in a zone.
    In(Box<Expr>, Zone),
    /// A define.
    Define(DefineId, Vec<Expr>),
    /// A function of physics.
    Function(Function, Box<Expr>),
    /// Asked just before the event's verb began (properties).
    Was(Box<Expr>),
    /// Asked at the end of the step (properties).
    Ends(Box<Expr>),
    /// Such an event happens in this step, or was tried (properties, rulings). In rulings `Bind` binds for what follows.
    Happens(Pattern),
    /// Such an offer stands now (properties, rulings): the outermost calls of the offer's body match the pattern.
    Offer(Box<Offer>),
    /// `p may look(o)`: a standing permission.
    MayLook(Box<Expr>, Box<Expr>),
}

/// A question about offers.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Whose.
    pub player: Expr,
    /// `may not`.
    pub negated: bool,
    /// What it does (`take(o)`: any offer on o).
    pub pattern: Pattern,
    /// Its whole cost, prices included.
    pub paying: Option<CostExpr>,
    /// Why not: of `may not` in a ruling.
    pub because: Option<Because>,
}

/// Why there is no offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// No permit's guard holds.
    Unpermitted,
    /// One holds, but the cost can't be paid.
    Unpayable,
    /// A clause of this rule, keyword or card forbids it.
    Rule(RuleId),
}

/// A modification of a look.
#[derive(Clone, PartialEq, Debug)]
pub struct Mod {
    /// In which layer it applies.
    pub layer: Layer,
    /// What it does.
    pub kind: ModKind,
}

/// The modifications.
#[derive(Clone, Debug)]
pub enum ModKind {
    /// Layer `granted`.
    Has(KeywordId, Option<Cost>),
    /// Layer `granted`: keywords and clauses go.
    LosesAbilities,
    /// Layer `typed` (a colour: layer `coloured`).
    IsAlso(WordId),
    /// Layer `typed`: all types and subtypes go, supertypes stay, these come. A subtype alone keeps the types.
    Becomes(Vec<WordId>),
    /// Layer `sized`, after setting.
    Gets(i32, i32),
    /// Layer `sized`: power and toughness.
    Sized(Expr, Expr),
}

impl PartialEq for ModKind {
    fn eq(&self, other: &ModKind) -> bool {
        match (self, other) {
            (ModKind::Has(a, b), ModKind::Has(c, d)) => a == c && b == d,
            (ModKind::LosesAbilities, ModKind::LosesAbilities) => true,
            (ModKind::IsAlso(a), ModKind::IsAlso(b)) => a == b,
            (ModKind::Becomes(a), ModKind::Becomes(b)) => a == b,
            (ModKind::Gets(a, b), ModKind::Gets(c, d)) => a == c && b == d,
            _ => false,
        }
    }
}

/// A card or archetype.
#[derive(Clone, Debug)]
pub struct Card {
    /// Its name.
    pub name: String,
    /// Declared by `archetype`.
    pub archetype: bool,
    /// The front face.
    pub front: Look,
    /// The other face of a double-faced card.
    pub back: Option<Look>,
    /// What it belongs to.
    pub rule: RuleId,
}

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
