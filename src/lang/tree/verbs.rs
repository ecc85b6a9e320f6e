//! The verbs of physics and their signatures.

use super::*;

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
    Move,
    Create,
    Cease,
    Run,
    Cast,
    TurnDown,
    TurnUp,
    Bare,
    Cover,
    Renew,
    Reveal,
    Show,
    Forget,
    Shuffle,
    BecomeCopy,
    Attach,
    Detach,
    Tap,
    Untap,
    AddCounter,
    RemoveCounter,
    Deal,
    Control,
    Phase,
    Transform,
    TurnOver,
    Merge,
    Target,
    Take,
    Activate,
    Trigger,
    Apply,
    Pay,
    EndTurn,
    Quit,
    EndGame,
    Procedure(ProcedureId),
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

const fn p(label: Option<&'static str>, ty: Ty) -> Param {
    Param { label, ty, optional: false, head_only: false }
}
const fn d(label: Option<&'static str>, ty: Ty) -> Param {
    Param { label, ty, optional: true, head_only: false }
}
const fn h(label: Option<&'static str>, ty: Ty) -> Param {
    Param { label, ty, optional: true, head_only: true }
}

impl Verb {
    /// The built-in verbs with their names, in order.
    pub const BUILT_IN: &'static [(&'static str, Verb)] = &[
        ("move", Verb::Move),
        ("create", Verb::Create),
        ("cease", Verb::Cease),
        ("run", Verb::Run),
        ("cast", Verb::Cast),
        ("turn_down", Verb::TurnDown),
        ("turn_up", Verb::TurnUp),
        ("bare", Verb::Bare),
        ("cover", Verb::Cover),
        ("renew", Verb::Renew),
        ("reveal", Verb::Reveal),
        ("show", Verb::Show),
        ("forget", Verb::Forget),
        ("shuffle", Verb::Shuffle),
        ("become_copy", Verb::BecomeCopy),
        ("attach", Verb::Attach),
        ("detach", Verb::Detach),
        ("tap", Verb::Tap),
        ("untap", Verb::Untap),
        ("add_counter", Verb::AddCounter),
        ("remove_counter", Verb::RemoveCounter),
        ("deal", Verb::Deal),
        ("control", Verb::Control),
        ("phase", Verb::Phase),
        ("transform", Verb::Transform),
        ("turn_over", Verb::TurnOver),
        ("merge", Verb::Merge),
        ("target", Verb::Target),
        ("take", Verb::Take),
        ("activate", Verb::Activate),
        ("trigger", Verb::Trigger),
        ("apply", Verb::Apply),
        ("pay", Verb::Pay),
        ("end_turn", Verb::EndTurn),
        ("quit", Verb::Quit),
        ("end_game", Verb::EndGame),
    ];

    /// Whether it is of cards and tokens alone: of an ability on the stack it does not happen.
    pub fn needs_slot(self) -> bool {
        use Verb::*;
        match self {
            Move | Cast | TurnDown | TurnUp | Bare | Cover | Renew | Reveal | Show | Forget | BecomeCopy | Attach
            | Detach | Tap | Untap | AddCounter | RemoveCounter | Deal | Control | Phase | Transform | TurnOver
            | Merge => true,
            Create | Cease | Run | Shuffle | Target | Take | Activate | Trigger | Apply | Pay | EndTurn | Quit
            | EndGame | Procedure(_) => false,
        }
    }

    /// The arguments of a built-in verb, in the order in which calls, patterns and events hold them.
    ///
    /// Defaults: `move` under: the owner; from: filled in with the zone before. `turn_up` by: `effect`. `reveal` by:
    /// the controller. `add_counter`, `remove_counter` number: 1. `become_copy` until: `forever`. `create` of:
    /// `none`; back: the empty look. `deal` by: `none`.
    /// `trigger` and `apply`: o, on: the event name or verb name, because: the verb's own name; both are moments made by
    /// physics. `Ty::Event` values are [`EventName`]s.
    pub fn signature(self) -> &'static [Param] {
        use Ty::*;
        const O: Param = p(None, Object);
        match self {
            Verb::Move => const { &[O, p(Some("to"), Zone), d(Some("under"), Player), h(Some("from"), Zone)] },
            Verb::Create => const { &[O, p(Some("look"), Look), d(Some("of"), Object), d(Some("back"), Look)] },
            Verb::Cease
            | Verb::Run
            | Verb::Bare
            | Verb::Renew
            | Verb::Forget
            | Verb::Detach
            | Verb::Tap
            | Verb::Untap
            | Verb::Phase
            | Verb::Transform
            | Verb::TurnOver => const { &[O] },
            Verb::Cast => const { &[O, p(Some("by"), Player)] },
            Verb::TurnDown | Verb::Cover => const { &[O, p(Some("look"), Look), p(Some("by"), Way)] },
            Verb::TurnUp => const { &[O, d(Some("by"), Way)] },
            Verb::Reveal => const { &[O, d(Some("by"), Player)] },
            Verb::Show => const { &[O, p(Some("to"), Player)] },
            Verb::Shuffle | Verb::EndTurn | Verb::Quit => const { &[p(None, Player)] },
            Verb::BecomeCopy => {
                const { &[O, p(Some("look"), Look), p(Some("of"), Object), d(Some("until"), Duration)] }
            }
            Verb::Attach => const { &[O, p(Some("to"), Object)] },
            Verb::AddCounter | Verb::RemoveCounter => const { &[O, p(None, Counter), d(None, Number)] },
            Verb::Merge => const { &[O, p(Some("with"), Object), p(Some("at"), Place)] },
            Verb::Deal => const { &[O, p(None, Number), d(Some("by"), Object)] },
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
