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

mod claims;
mod clauses;
mod exprs;
mod verbs;

pub use claims::*;
pub use clauses::*;
pub use exprs::*;
pub use verbs::*;

use super::ast::{CmpOp, Date, Span};

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
pub enum Ty {
    Bool,
    Number,
    Player,
    Object,
    Look,
    Cost,
    Name,
    Way,
    Zone,
    Duration,
    Place,
    Counter,
    Event,
}

/// Zones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[allow(missing_docs)]
pub enum Zone {
    Battlefield,
    Stack,
    Hand,
    Library,
    Graveyard,
    Exile,
    Phased,
    Outside,
    Beneath,
}

impl Zone {
    /// Its name, as the language writes it.
    pub fn name(self) -> &'static str {
        match self {
            Zone::Battlefield => "battlefield",
            Zone::Stack => "stack",
            Zone::Hand => "hand",
            Zone::Library => "library",
            Zone::Graveyard => "graveyard",
            Zone::Exile => "exile",
            Zone::Phased => "phased",
            Zone::Outside => "outside",
            Zone::Beneath => "beneath",
        }
    }
}

/// How long an effect lasts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[allow(missing_docs)]
pub enum Duration {
    Forever,
    EndOfTurn,
    TurnedDown,
}

/// Where a part is put.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[allow(missing_docs)]
pub enum Place {
    OnTop,
    AtBottom,
}

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
pub enum WordKind {
    Type,
    Supertype,
    Colour,
    Subtype,
}

/// A type, supertype, colour or subtype. At most 128 of them.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Word {
    pub name: String,
    pub kind: WordKind,
}

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
pub struct Profile {
    pub name: String,
    pub look: Look,
    pub rule: RuleId,
}

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
pub struct Cost {
    pub mana: Mana,
    pub named: Vec<NamedCostId>,
}

/// `cost c(p: Player, o: Object) { … }`: variable 0 is the payer, 1 the object paid for.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct NamedCost {
    pub name: String,
    pub frame: Frame,
    pub body: Block,
    pub rule: RuleId,
}

/// Variables of a body.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Name and type of each.
    pub vars: Vec<(String, Ty)>,
}

/// A define.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Define {
    pub name: String,
    pub params: usize,
    pub frame: Frame,
    pub ty: Ty,
    pub body: Expr,
    pub rule: RuleId,
}

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
pub enum Layer {
    Front,
    Printed,
    Joined,
    Unseen,
    Copied,
    Listed,
    Typed,
    Coloured,
    Granted,
    Sized,
}

/// A view.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct View {
    pub name: String,
    pub layers: Vec<Layer>,
    /// The views that it names, whose layers are among its own.
    pub names: Vec<ViewId>,
    pub rule: RuleId,
}

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
