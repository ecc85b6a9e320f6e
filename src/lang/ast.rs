//! The syntax tree, as parsed: names are still names. It knows the grammar and nothing of what a name means.

/// A stretch of one source file, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Span {
    /// Index of the file in its [`crate::lang::source::Sources`].
    pub file: u16,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that holds both, in the file of `self`.
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A name with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name, or the text of a string without its quotes.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A day, ordered as days are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Date {
    /// Year.
    pub year: u16,
    /// Month, 1 to 12.
    pub month: u8,
    /// Day, 1 to 31.
    pub day: u8,
}

/// What one file holds.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// The items, in the order in which they stand (an order that means nothing).
    pub items: Vec<Item>,
}

/// A top-level item.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "a program has a few hundred items, each read once")]
pub enum Item {
    /// `rule name … { … }`
    Rule(Rule),
    /// `keyword name …`
    Keyword(Keyword),
    /// `card "…"` or `archetype name`
    Card(Card),
    /// `reading name { … }`
    Reading(Reading),
    /// `edition 2022-04-29, …`
    Editions(Vec<(Date, Span)>),
    /// `subtype a, b`
    Subtypes(Vec<Ident>),
    /// `counter plus +1/+1, loyalty`: a counter may say how it changes power and toughness.
    Counters(Vec<(Ident, Option<(i32, i32)>)>),
    /// `world …`
    World(World),
    /// `ghost …`
    Ghost(Ghost),
    /// `property`, `witness` or `conjecture`
    Property(Property),
    /// `ruling …`
    Ruling(Ruling),
}

/// `cites`, `since`, `until`, `under`, `from`, `in`.
#[derive(Clone, Debug, Default)]
pub struct Header {
    /// Rule numbers, as `708.2b`.
    pub cites: Vec<Ident>,
    /// First day in force.
    pub since: Option<(Date, Span)>,
    /// First day no longer in force.
    pub until: Option<(Date, Span)>,
    /// `under reading is value`, any number of them.
    pub under: Vec<(Ident, Ident)>,
    /// Seed sentences or case names.
    pub from: Vec<Ident>,
    /// Worlds that a property speaks of; empty: all.
    pub worlds: Vec<Ident>,
}

/// `says en "…"`.
#[derive(Clone, Debug)]
pub struct Says {
    /// `en` or `it`.
    pub language: Ident,
    /// The sentence.
    pub text: Ident,
}

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name, which is its identity.
    pub name: Ident,
    /// Citations, dates, reading.
    pub header: Header,
    /// What it means.
    pub says: Vec<Says>,
    /// Its clauses.
    pub clauses: Vec<Clause>,
    /// The whole.
    pub span: Span,
}

/// A keyword, or a list of keywords with no rule of their own.
#[derive(Clone, Debug)]
pub struct Keyword {
    /// One name, or several when there is no body.
    pub names: Vec<Ident>,
    /// `(toll: Cost)`: the name of its cost inside the clauses.
    pub param: Option<Ident>,
    /// Citations, dates, reading.
    pub header: Header,
    /// What it means.
    pub says: Vec<Says>,
    /// Its clauses.
    pub clauses: Vec<Clause>,
    /// The whole.
    pub span: Span,
}

/// A reading: a place where the text of the law leaves a choice.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Its name.
    pub name: Ident,
    /// Its values, each with what it means and whether it is the default.
    pub values: Vec<(Ident, Ident, bool)>,
}

/// A card or an archetype.
#[derive(Clone, Debug)]
pub struct Card {
    /// Its name; an archetype's is a word, a card's a string.
    pub name: Ident,
    /// Whether it was declared with `archetype`.
    pub archetype: bool,
    /// What it is.
    pub body: CardBody,
}

/// What a card is.
#[derive(Clone, Debug)]
pub enum CardBody {
    /// `like NAME`: the same faces under another name.
    Like(Ident),
    /// Its faces.
    Faces {
        /// The front face.
        front: Face,
        /// The other face of a double-faced card.
        back: Option<Face>,
    },
}

/// One face: a look and clauses.
#[derive(Clone, Debug)]
pub struct Face {
    /// The look.
    pub look: Look,
    /// The abilities.
    pub clauses: Vec<Clause>,
}

/// Characteristics, as listed: mana cost, words, keywords, power and toughness.
#[derive(Clone, Debug)]
pub struct Look {
    /// The mana symbols in front (several symbols are one cost), or none for no mana cost.
    pub mana: Option<Ident>,
    /// The words and numbers after it.
    pub parts: Vec<LookPart>,
    /// The whole.
    pub span: Span,
}

/// A part of a look.
#[derive(Clone, Debug)]
pub enum LookPart {
    /// A type, supertype, colour, subtype or a keyword without a cost.
    Word(Ident),
    /// A keyword with its cost.
    Keyword(Ident, Cost),
    /// Power and toughness.
    Size(i32, i32, Span),
}

/// A clause of a rule, keyword or card.
#[derive(Clone, Debug)]
pub struct Clause {
    /// What kind of clause, with its parts.
    pub kind: ClauseKind,
    /// The whole of it.
    pub span: Span,
}

/// The kinds of clause.
#[derive(Clone, Debug)]
pub enum ClauseKind {
    /// `permit p on o ability when G pay C target t where W: body`
    Permit {
        /// Who is permitted (`you` for a card's own).
        player: Ident,
        /// On what; left out: on `self`.
        object: Option<Ident>,
        /// Whether it goes onto the stack.
        ability: bool,
        /// The guard.
        when: Option<Expr>,
        /// The cost.
        pay: Option<Cost>,
        /// The target.
        target: Option<Target>,
        /// What is done.
        body: Block,
    },
    /// `forbid head`
    Forbid(Head),
    /// `instead`, `before`, `as`, `whenever`: a head, perhaps a target, a body.
    Stage(Stage, Head, Option<Target>, Block),
    /// `check a, b when G: body`
    Check(Vec<Ident>, Expr, Block),
    /// `price head: more C`
    Price {
        /// Which verb.
        head: Head,
        /// More or less.
        more: bool,
        /// By what.
        cost: Cost,
    },
    /// `static o when G: mods`
    Static(Ident, Option<Expr>, Vec<Mod>),
    /// `spell when G target t where W: body`
    Spell(Option<Expr>, Option<Target>, Block),
    /// `define f(a: T): R = E`
    Define(Ident, Vec<Param>, Ident, Expr),
    /// `view v = l1, l2`
    View(Ident, Vec<Ident>),
    /// `event e(o) = head`
    Event(Ident, Vec<Ident>, Vec<Pattern>),
    /// `look_back e as v`
    LookBack(Ident, Ident),
    /// `procedure f(by p: Player, …) { … }`
    Procedure(Ident, Vec<Param>, Block),
    /// `cost c(p: Player, o: Object) { … }`
    NamedCost(Ident, Vec<Param>, Block),
    /// `profile n = look`
    Profile(Ident, Look),
    /// `marker m(o: Object) lasts turn`
    Marker(Ident, Vec<Param>, Ident),
}

/// The stages that carry a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// Takes the verb's place.
    Instead,
    /// Goes before the change.
    Before,
    /// Goes with the change.
    As,
    /// Triggers on the event.
    Whenever,
}

/// A parameter: a label, if it has one, a name and a type.
#[derive(Clone, Debug)]
pub struct Param {
    /// The label before `:` in a call; none: by position.
    pub label: Option<Ident>,
    /// The name inside.
    pub name: Ident,
    /// The type's name.
    pub ty: Ident,
}

/// Patterns joined by `or`, and a guard.
#[derive(Clone, Debug)]
pub struct Head {
    /// At least one.
    pub patterns: Vec<Pattern>,
    /// The guard.
    pub when: Option<Expr>,
}

/// A call as a pattern; `tries` asks for attempts too.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// `tries`.
    pub tries: bool,
    /// The call.
    pub call: Call,
}

/// `name(args)`.
#[derive(Clone, Debug)]
pub struct Call {
    /// The verb, procedure, event, define or built-in function.
    pub name: Ident,
    /// The arguments.
    pub args: Vec<Arg>,
    /// The whole.
    pub span: Span,
}

/// An argument.
#[derive(Clone, Debug)]
pub struct Arg {
    /// `label:`.
    pub label: Option<Ident>,
    /// What is given.
    pub value: ArgValue,
}

/// What an argument is.
#[derive(Clone, Debug)]
pub enum ArgValue {
    /// `new t`.
    New(Ident),
    /// An expression; a lone name may be a fresh binder, `_` matches anything.
    Expr(Expr),
}

/// `target t where E`.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its name in the body.
    pub name: Ident,
    /// What it must be.
    pub filter: Expr,
}

/// Statements in order.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
}

/// A statement with its place.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// The whole.
    pub span: Span,
}

/// The kinds of statement.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// A call, with what follows if it happened and if not.
    Call(Call, Option<Block>, Option<Block>),
    /// `choose x by p among a, b where E: body`
    Choose {
        /// What is chosen.
        name: Ident,
        /// By whom.
        by: Expr,
        /// Out of these; empty: all objects.
        among: Vec<Expr>,
        /// With this quality.
        filter: Option<Expr>,
        /// Then.
        body: Block,
    },
    /// `each x among a, b where E: body`
    Each {
        /// The name.
        name: Ident,
        /// Out of these; empty: all objects.
        among: Vec<Expr>,
        /// With this quality.
        filter: Option<Expr>,
        /// For each.
        body: Block,
    },
    /// `if E: body else body`
    If(Expr, Block, Option<Block>),
    /// `p may { } else { }`
    May(Expr, Block, Option<Block>),
    /// `let x = E`
    Let(Ident, Expr),
    /// `give o mods until d`
    Give(Expr, Vec<Mod>, Option<Ident>),
    /// `set m(o) = E`
    Set(Call, Expr),
    /// `nothing`
    Nothing,
}

/// A modification of a look.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "a program has a few dozen, each read once")]
pub enum Mod {
    /// `has k` or `has k(cost)`
    Has(Ident, Option<Cost>),
    /// `loses abilities`
    LosesAbilities(Span),
    /// `loses text`
    LosesText(Span),
    /// `is w`: a type, colour or subtype more
    IsAlso(Ident),
    /// `becomes w w`: these types and subtypes instead
    Becomes(Vec<Ident>),
    /// `gets +1/+0`
    Gets(i32, i32, Span),
    /// `sized a/b` or `sized a`
    Sized(Expr, Option<Expr>),
}

/// A cost: mana and other parts.
#[derive(Clone, Debug)]
pub struct Cost {
    /// The parts joined by `+`: expressions of type `Cost` or names of costs.
    pub parts: Vec<Expr>,
    /// The whole.
    pub span: Span,
}

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The whole.
    pub span: Span,
}

/// Comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum CmpOp {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// Which quantifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum QuantKind {
    /// `some x where E`
    Some,
    /// `every x where P: Q`
    Every,
    /// `count x where E`
    Count,
}

/// The kinds of expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number.
    Number(i32),
    /// A string: the name of a card.
    Str(String),
    /// Mana symbols, as `{2}{G}`.
    Mana(String),
    /// A name (`yes`, `no`, `none`, `_`, `self`, `you` and `active` are names here).
    Name(String),
    /// A call.
    Call(Call),
    /// `tries v(…)` as an expression of a property.
    Tries(Call),
    /// `e.name`
    Field(Box<Expr>, Ident),
    /// `e.name(args)`
    Method(Box<Expr>, Ident, Vec<Arg>),
    /// `a and b and …`
    And(Vec<Expr>),
    /// `a or b or …`
    Or(Vec<Expr>),
    /// `not e`
    Not(Box<Expr>),
    /// A comparison.
    Cmp(CmpOp, Box<Expr>, Box<Expr>),
    /// `some`, `every`, `count`.
    Quant {
        /// Which.
        kind: QuantKind,
        /// The variable.
        name: Ident,
        /// Its type; left out: `Object`.
        ty: Option<Ident>,
        /// After `where`.
        filter: Box<Expr>,
        /// After `:`, of `every` only.
        body: Option<Box<Expr>>,
    },
    /// `e is [not] w | w`
    Is(Box<Expr>, bool, Vec<Ident>),
    /// `e has [no] k`; the flag says `no`
    Has(Box<Expr>, bool, Ident),
    /// `e [not] in z`; the flag says `not`
    In(Box<Expr>, bool, Ident),
    /// `e but mod`
    But(Box<Expr>, Box<Mod>),
    /// `p may [not] call [paying C] [because X]`
    May {
        /// Who.
        player: Box<Expr>,
        /// `not`.
        negated: bool,
        /// The offer.
        call: Call,
        /// Its whole cost.
        paying: Option<Cost>,
        /// The rule or card that refuses, or `unpermitted`, `unpayable`.
        because: Option<Ident>,
    },
    /// `was(e)`
    Was(Box<Expr>),
    /// `ends(e)`
    Ends(Box<Expr>),
}

/// A world.
#[derive(Clone, Debug)]
pub struct World {
    /// Its name.
    pub name: Ident,
    /// Its title.
    pub title: Option<Ident>,
    /// The lines.
    pub lines: Vec<WorldLine>,
}

/// A line of a world.
#[derive(Clone, Debug)]
pub enum WorldLine {
    /// `players A, B`: the first is active at the start.
    Players(Vec<Ident>),
    /// `start A library: deals`
    Start(Ident, Ident, Vec<Deal>),
    /// `allow p, q by A, B`; without `by`: by all
    Allow(Vec<Ident>, Vec<Ident>),
    /// `mana unlimited` (none) or a number, with its place
    Mana(Option<(i32, Span)>),
    /// `budget stack 1, tokens 1, plus 2`
    Budget(Vec<(Ident, i32)>),
    /// `cap stack 4`
    Cap(Vec<(Ident, i32)>),
}

/// What starts somewhere.
#[derive(Clone, Debug)]
pub struct Deal {
    /// How many, with repetition.
    pub count: i32,
    /// Out of these (`archetypes` stands for all archetypes).
    pub options: Vec<Ident>,
    /// The whole.
    pub span: Span,
}

/// A ghost: a memory of the properties that the law cannot read.
#[derive(Clone, Debug)]
pub struct Ghost {
    /// Its name.
    pub name: Ident,
    /// One parameter.
    pub params: Vec<Param>,
    /// `turn` or `object`
    pub lasts: Ident,
    /// `as …: set …` clauses.
    pub clauses: Vec<Clause>,
}

/// What kind of property.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum PropertyKind {
    /// Must hold.
    Property,
    /// Must be reached.
    Witness,
    /// Must be refuted.
    Conjecture,
}

/// A property.
#[derive(Clone, Debug)]
pub struct Property {
    /// Which kind.
    pub kind: PropertyKind,
    /// Its name.
    pub name: Ident,
    /// Citations, dates, reading, worlds.
    pub header: Header,
    /// What it means.
    pub says: Vec<Says>,
    /// What it claims.
    pub claim: Claim,
    /// The whole.
    pub span: Span,
}

/// What a property claims.
#[derive(Clone, Debug)]
pub enum Claim {
    /// `always E`
    Always(Expr),
    /// `whenever head: E`
    Whenever(Head, Expr),
    /// `possible E when G`: of a state, or of an event if E is a pattern
    Possible(Expr, Option<Expr>),
    /// `blind p to o when G: offers`
    Blind(Ident, Ident, Expr, Vec<Ident>),
}

/// A ruling.
#[derive(Clone, Debug)]
pub struct Ruling {
    /// Its name.
    pub name: Ident,
    /// Citations, dates, reading, the case it encodes.
    pub header: Header,
    /// What it means.
    pub says: Vec<Says>,
    /// The lines.
    pub lines: Vec<RulingLine>,
    /// The whole.
    pub span: Span,
}

/// A line of a ruling.
#[derive(Clone, Debug)]
pub enum RulingLine {
    /// `given active A`
    Active(Ident),
    /// `given o: "Card" in battlefield of A, tapped, …`
    Given {
        /// Its name in the ruling.
        name: Ident,
        /// The card.
        card: Ident,
        /// Where.
        zone: Ident,
        /// Whose.
        player: Ident,
        /// Everything else.
        places: Vec<Place>,
    },
    /// `when …`
    When {
        /// What is done.
        act: RulingAct,
        /// The cost paid.
        paying: Option<Cost>,
        /// The choices, in order.
        choosing: Vec<Expr>,
        /// The whole.
        span: Span,
    },
    /// `then E, E`
    Then(Vec<Expr>),
}

/// How a card stands at the start of a ruling.
#[derive(Clone, Debug)]
pub enum Place {
    /// `face_down as look by way`
    FaceDown(Ident, Ident),
    /// `tapped`
    Tapped(Span),
    /// `under B`: controlled by B
    Under(Ident),
    /// `3 plus`: counters
    Counters(i32, Ident),
}

/// What a ruling does.
#[derive(Clone, Debug)]
pub enum RulingAct {
    /// `A does call`: takes an offer.
    Does(Ident, Call),
    /// `do call`: a procedure or verb happens.
    Do(Call),
    /// `resolve`: the top of the stack.
    Resolve,
}
