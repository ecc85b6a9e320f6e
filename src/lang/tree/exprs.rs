//! Expressions and constants.

use super::*;
use crate::lang::ast::QuantKind;

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
    Owner,
    Controller,
    Home,
    FaceDown,
    FaceDownBy,
    Listed,
    Tapped,
    Transformed,
    Damage,
    Host,
    Stamp,
    /// No card: a token or the copy of a spell.
    Cardless,
    /// An ability on the stack.
    Ability,
    /// Its card has two faces.
    DoubleFaced,
    /// The look of its other face (the empty look if it has none).
    OtherFace,
    /// More than one component represents it.
    Merged,
    /// The permanent that it is a component of; itself if it is in no pile.
    Pile,
    /// The topmost component; itself if it is not merged.
    Topmost,
    /// The permanent as one of whose components it left the battlefield (`none` if it did not, or if that has moved on).
    LeftWith,
    /// Its own card lies face down, whatever the permanent shows that it is a component of.
    LiesDown,
}

/// Attributes of a look.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum LookField {
    Name,
    ManaCost,
    Power,
    Toughness,
    Toll(KeywordId),
}

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
    /// How many {X} are in a cost (`none`: 0).
    Xs,
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
    /// A look has the keyword; none: any ability, keyword or clause.
    Has(Box<Expr>, Option<KeywordId>),
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
    /// Layer `granted`, or `typed` as `loses text`: keywords and clauses go.
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
