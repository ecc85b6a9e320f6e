//! What happens in each kind of step of the world, in the words that a number of events is made of, and the tables of those
//! numbers. A kind of step is told by what it depends on: a slot, its card, how it lies, what is in the hand. It knows
//! the order of nothing, for a number has none, and it is asked once, before any state is.

use super::plain::{
    BEAST, BOLT, CARDS, CLOAK, CYBER, DISGUISE, DISGUISED, EFFECT, FACES, MANIFEST, MORPH, MORPHER, UP,
};
use super::plain::{SLOTS, Slots};

/// What becomes of a creature that a bolt hits.
pub const STANDS: usize = 0;
/// It dies, and lay face up.
pub const DIES_UP: usize = 1;
/// It dies, and lay face down.
pub const DIES_DOWN: usize = 2;

/// The number of a text: SHA-256, of which the first eight bytes count.
pub type OfText<'a> = &'a dyn Fn(&str) -> u64;

/// What a permanent does in a world where anything may happen to it, by its card and face.
#[derive(Clone, Copy, Default, Debug)]
pub struct OfPermanent {
    /// `turn_any_up`.
    pub up: u64,
    /// `turn_any_down`, and the same of one that has three damage and so dies of it.
    pub down: [u64; 2],
    /// `cyber_any`, likewise.
    pub cyber: [u64; 2],
    /// `kill_any`.
    pub kill: u64,
    /// `tuck_any`.
    pub tuck: u64,
    /// `bounce_any`.
    pub bounce: u64,
    /// `exile_any`.
    pub exile: u64,
    /// `phase_any`, out or in.
    pub phase: u64,
    /// Turned up for its mana cost, if it was manifested or cloaked.
    pub for_mana: u64,
    /// Turned up for the cost of its morph or disguise.
    pub for_toll: u64,
}

/// The numbers of every kind of step.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// By slot, card and face.
    pub permanents: Slots<[[OfPermanent; FACES]; CARDS]>,
    /// `manifest_top`: first with no library, then by the slot on top.
    pub manifest: [u64; SLOTS + 1],
    /// `cloak_top`, likewise.
    pub cloak: [u64; SLOTS + 1],
    /// `pass_turn` when it is the player's turn, and when it is not and nothing follows.
    pub pass: [u64; 2],
    /// A creature card is cast face up: by slot and card.
    pub cast_up: Slots<[u64; CARDS]>,
    /// One is cast face down: by slot, card, and the slots that are in hand, a bit each.
    pub cast_down: Slots<[[u64; 1 << SLOTS]; CARDS]>,
    /// A bolt is cast: by its slot and the one aimed at.
    pub cast_bolt: Slots<Slots<u64>>,
    /// A creature spell resolves.
    pub enter: Slots<u64>,
    /// A bolt resolves: by its slot, the one aimed at, and what becomes of that.
    pub hit: Slots<Slots<[u64; 3]>>,
    /// The trigger of a disguised card resolves: first with no library, then by the slot on top.
    pub draw: [u64; SLOTS + 1],
}

const PLAIN_LOOK: &str = r#"nameless; no cost; ["creature"]; Some((2, 2)); []; 0 more"#;
const WARDED_LOOK: &str =
    r#"nameless; no cost; ["creature"]; Some((2, 2)); ["ward(2 [0, 0, 0, 0, 0, 0] 0 [])"]; 0 more"#;
const CYBER_LOOK: &str = r#"nameless; no cost; ["artifact", "creature", "cyberman"]; Some((2, 2)); []; 0 more"#;
/// The cost of casting a card face down.
const THREE: &str = "3 [0, 0, 0, 0, 0, 0] 0 []";

/// The look and the way of a face, as an event tells them.
fn face_words(face: usize) -> (&'static str, &'static str) {
    match face {
        MANIFEST => (PLAIN_LOOK, "manifest"),
        CLOAK => (WARDED_LOOK, "cloak"),
        MORPH => (PLAIN_LOOK, "morph"),
        DISGUISE => (WARDED_LOOK, "disguise"),
        CYBER => (CYBER_LOOK, "effect"),
        _ => (PLAIN_LOOK, "effect"),
    }
}

/// The mana cost of a card.
fn mana(card: usize) -> &'static str {
    match card {
        BEAST => "2 [0, 0, 0, 0, 1, 0] 0 []",
        MORPHER => "3 [0, 0, 0, 1, 0, 0] 0 []",
        DISGUISED => "2 [0, 0, 1, 0, 0, 0] 0 []",
        _ => "0 [0, 0, 0, 1, 0, 0] 0 []",
    }
}

/// The events of one step, while they are told.
struct Telling<'a> {
    of_text: OfText<'a>,
    deed: u64,
    events: u64,
}

impl<'a> Telling<'a> {
    fn new(of_text: OfText<'a>, deed: &str) -> Self {
        Telling { of_text, deed: of_text(deed), events: 0 }
    }

    /// An effect that a player has by the world: player 0 or 1.
    fn effect(of_text: OfText<'a>, name: &str, by: usize) -> Self {
        Telling::new(of_text, &format!("effect {name} {by}")).and(&format!("{name} 0=player {by}"))
    }

    /// What the first player does with a slot for a cost.
    fn offer(of_text: OfText<'a>, o: usize, cost: &str) -> Self {
        Telling::new(of_text, &format!("offer 0 slot {o} {cost}"))
            .and(&format!("take 0=slot {o} 1=player 0"))
            .and(&format!("pay 0=player 0 1={cost}"))
    }

    fn and(mut self, event: &str) -> Self {
        self.events = self.events.wrapping_add((self.of_text)(event));
        self
    }

    fn and_if(self, happens: bool, event: &str) -> Self {
        if happens { self.and(event) } else { self }
    }

    /// A move, with the new object that it makes; whatever comes to neither the battlefield nor the stack is bare there.
    fn moved(self, o: usize, from: &str, to: &str) -> Self {
        self.and(&format!("renew 0=slot {o}"))
            .and_if(to != "battlefield" && to != "stack", &format!("bare 0=slot {o}"))
            .and(&format!("move 0=slot {o} 1={to} 2=player 0 3={from}"))
    }

    /// A permanent leaves, and is shown if it lies face down.
    fn leaves(self, o: usize, to: &str, down: bool) -> Self {
        self.and_if(down, &format!("reveal 0=slot {o} 1=player 0")).moved(o, "battlefield", to)
    }

    fn destroyed(self, o: usize, down: bool) -> Self {
        self.leaves(o, "graveyard", down).and(&format!("destroy 0=slot {o}"))
    }

    fn turned_down(self, o: usize, face: usize) -> Self {
        let (look, way) = face_words(face);
        self.and(&format!("turn_down 0=slot {o} 1={look} 2={way}"))
    }

    /// Turned up in a way; the trigger of a disguised card sees it.
    fn turned_up(self, o: usize, card: usize, way: &str) -> Self {
        self.and(&format!("turn_up 0=slot {o} 1={way}"))
            .and_if(card == DISGUISED, &format!("trigger 0=slot {o} 1=turn_up 2=turn_up"))
    }

    /// The top card enters face down by a procedure of the same name as its way.
    fn entered_down(self, o: usize, face: usize) -> Self {
        let (look, way) = face_words(face);
        self.turned_down(o, face)
            .moved(o, "library", "battlefield")
            .and(&format!("enter_face_down 0=slot {o} 1=player 0 2={look} 3={way}"))
            .and(&format!("{way} 0=player 0 1=slot {o}"))
    }

    fn cast(self, o: usize) -> Self {
        self.moved(o, "hand", "stack").and(&format!("cast 0=slot {o} 1=player 0"))
    }

    /// A hand of several cards, of which one goes unseen: nobody else can tell which.
    fn mixed(self, hand: usize) -> Self {
        if hand.count_ones() < 2 {
            return self;
        }
        let cards = (0..SLOTS).filter(|o| hand >> o & 1 == 1);
        cards
            .fold(self, |telling, o| {
                telling.and(&format!("forget 0=slot {o}")).and(&format!("show 0=slot {o} 1=player 0"))
            })
            .and("mix_hand 0=player 0")
    }

    fn number(&self) -> u64 {
        (self.of_text)(&format!("{:016x}{:016x}", self.deed, self.events))
    }
}

impl OfPermanent {
    fn new(of_text: OfText, o: usize, card: usize, face: usize) -> OfPermanent {
        let down = face != UP;
        let effect = |name, by| Telling::effect(of_text, name, by);
        let gone = |name, to| effect(name, 1).leaves(o, to, down);
        // What is down already stays as it is; what is turned down with three damage dies, and is shown.
        let turned = |start: Telling, to: usize, dies: bool| {
            let start = if down { start } else { start.turned_down(o, to) };
            if dies { start.destroyed(o, true).number() } else { start.number() }
        };
        let turn = |dies| turned(effect("turn_any_down", 0), EFFECT, dies);
        let cyber = |dies| turned(effect("cyber_any", 1).and(&format!("convert 0=slot {o}")), CYBER, dies);
        let up = match (down, card) {
            (false, _) => effect("turn_any_up", 0),
            (true, BOLT) => effect("turn_any_up", 0).and(&format!("reveal 0=slot {o} 1=player 0")),
            (true, _) => effect("turn_any_up", 0).turned_up(o, card, "effect"),
        };
        let special = |cost, way| Telling::offer(of_text, o, cost).turned_up(o, card, way).number();
        OfPermanent {
            up: up.number(),
            down: [turn(false), turn(true)],
            cyber: [cyber(false), cyber(true)],
            kill: gone("kill_any", "graveyard").and(&format!("destroy 0=slot {o}")).number(),
            tuck: gone("tuck_any", "library").number(),
            bounce: gone("bounce_any", "hand").and(&format!("bounce 0=slot {o}")).number(),
            exile: gone("exile_any", "exile").and(&format!("exile 0=slot {o}")).number(),
            phase: effect("phase_any", 1).and(&format!("phase 0=slot {o}")).number(),
            for_mana: special(mana(card), face_words(face).1),
            for_toll: match card {
                MORPHER => special("2 [0, 0, 0, 1, 0, 0] 0 []", "morph"),
                _ => special("1 [0, 0, 1, 0, 0, 0] 0 []", "disguise"),
            },
        }
    }
}

impl Numbers {
    /// Tells every kind of step once.
    pub fn new(of_text: OfText) -> Numbers {
        let from_top = |name: &str, face: usize| {
            std::array::from_fn(|top| match top.checked_sub(1) {
                None => Telling::effect(of_text, name, 0).number(),
                Some(o) => Telling::effect(of_text, name, 0).entered_down(o, face).number(),
            })
        };
        let passed = Telling::effect(of_text, "pass_turn", 0);
        let turn_ended = Telling::effect(of_text, "pass_turn", 0)
            .and("end_turn 0=player 0")
            .and("phase_in 0=player 1")
            .and("upkeep 0=player 1");
        let drawn = || {
            let start = Telling::new(of_text, "resolve").and("draw 0=player 0").and("run 0=ability");
            start.and("cease 0=ability").and("resolve 0=ability")
        };
        Numbers {
            permanents: slots(|o| array(|card| array(|face| OfPermanent::new(of_text, o, card, face)))),
            manifest: from_top("manifest_top", MANIFEST),
            cloak: from_top("cloak_top", CLOAK),
            pass: [turn_ended.number(), passed.number()],
            cast_up: slots(|o| array(|card| Telling::offer(of_text, o, mana(card)).cast(o).number())),
            cast_down: slots(|o| array(|card| array(|hand| cast_down(of_text, o, card, hand)))),
            cast_bolt: slots(|o| {
                slots(|x| {
                    let start = Telling::offer(of_text, o, mana(BOLT)).cast(o);
                    start.and(&format!("target 0=slot {x} 1=slot {o}")).number()
                })
            }),
            enter: slots(|o| {
                let start = Telling::new(of_text, "resolve").moved(o, "stack", "battlefield");
                start.and(&format!("resolve 0=slot {o}")).number()
            }),
            hit: slots(|o| slots(|x| array(|fate| hit(of_text, o, x, fate)))),
            draw: array(|top: usize| match top.checked_sub(1) {
                None => drawn().number(),
                Some(o) => drawn().moved(o, "library", "hand").number(),
            }),
        }
    }
}

fn cast_down(of_text: OfText, o: usize, card: usize, hand: usize) -> u64 {
    let face = if card == DISGUISED { DISGUISE } else { MORPH };
    let (look, way) = face_words(face);
    let start = Telling::offer(of_text, o, THREE).turned_down(o, face).mixed(hand).cast(o);
    start.and(&format!("cast_face_down 0=slot {o} 1=player 0 2={look} 3={way}")).number()
}

fn hit(of_text: OfText, o: usize, x: usize, fate: usize) -> u64 {
    let start = Telling::new(of_text, "resolve").and(&format!("deal 0=slot {x} 1=3")).and(&format!("run 0=slot {o}"));
    let done = start.moved(o, "stack", "graveyard").and(&format!("resolve 0=slot {o}"));
    if fate == STANDS { done.number() } else { done.destroyed(x, fate == DIES_DOWN).number() }
}

fn slots<T>(of: impl FnMut(usize) -> T) -> Slots<T> {
    std::array::from_fn(of)
}

fn array<T, const N: usize>(of: impl FnMut(usize) -> T) -> [T; N] {
    std::array::from_fn(of)
}
