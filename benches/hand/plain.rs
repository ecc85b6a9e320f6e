//! The rules of the world by hand: a state is one integer, and what may happen next is read off its bits.
//!
//! Everything is player A's: the three cards are, B has none and only lets things happen to them, and nothing changes
//! controller. Mana is unlimited. A turn that A passes never comes back, since B is not let pass. While something is on the
//! stack it resolves and nothing else may be done, so there is one thing on it at most.
//!
//! | bits | what |
//! | --- | --- |
//! | 9 for each of three slots | face (3), three damage (1), card (2), zone (3) |
//! | 1 | it is B's turn |
//! | 6 | the stack: what is on it (2), its slot (2), the slot that it aims at (2) |
//! | 6 | the library, top first: two bits a card, its slot and one more; nothing is 0 |
//!
//! Of what is off the battlefield, phased out or on the stack the face is up and there is no damage. A card that is a
//! permanent has zone 0, so that its nine bits are the place of its row in a table.

use super::numbers::{DIES_DOWN, DIES_UP, Numbers, OfPermanent, OfText, STANDS};

/// Cards in the world.
pub const SLOTS: usize = 3;
/// Something for each of them.
pub type Slots<T> = [T; SLOTS];

/// Kinds of cards.
pub const CARDS: usize = 4;
/// A 3/3 with nothing else.
pub const BEAST: usize = 0;
/// A 4/4 with morph, the only one that outlives a bolt.
pub const MORPHER: usize = 1;
/// A 3/1 with disguise; its controller draws a card as it is turned up.
pub const DISGUISED: usize = 2;
/// An instant that deals 3 damage to a creature.
pub const BOLT: usize = 3;

/// Ways in which a card lies: one face up, the others with the look and the cause that they have.
pub const FACES: usize = 7;
/// Face up.
pub const UP: usize = 0;
/// Manifested.
pub const MANIFEST: usize = 1;
/// Cloaked.
pub const CLOAK: usize = 2;
/// Cast by morph.
pub const MORPH: usize = 3;
/// Cast by disguise.
pub const DISGUISE: usize = 4;
/// Turned down by an effect.
pub const EFFECT: usize = 5;
/// Turned down by an effect that makes it a Cyberman.
pub const CYBER: usize = 6;

const SLOT_BITS: u32 = 9;
const FACE: u64 = 0b111;
const DAMAGED: u64 = 1 << 3;
const CARD_AT: u32 = 4;
const ZONE_AT: u32 = 6;
const ZONE: u64 = 0b111 << ZONE_AT;
/// The rows of permanents: face, damage and card.
const ROWS: usize = 1 << ZONE_AT;
/// A card wherever it is, with nothing told of it.
const CARD_ALONE: u64 = 0b11 << CARD_AT;

const BATTLEFIELD: u64 = 0;
const PHASED: u64 = 1 << ZONE_AT;
const HAND: u64 = 2 << ZONE_AT;
const LIBRARY: u64 = 3 << ZONE_AT;
const GRAVEYARD: u64 = 4 << ZONE_AT;
const EXILE: u64 = 5 << ZONE_AT;
const STACK: u64 = 6 << ZONE_AT;

const EVERY_DAMAGE: u64 = DAMAGED | DAMAGED << SLOT_BITS | DAMAGED << (2 * SLOT_BITS);
const TURN_OF_B: u64 = 1 << 27;
const STACK_AT: u32 = 28;
const ON_STACK: u64 = 0b11_1111 << STACK_AT;
const ABILITY: u64 = 1;
const CREATURE_SPELL: u64 = 2;
const BOLT_SPELL: u64 = 3;
const LIBRARY_AT: u32 = 34;
const LIBRARY_CARD_BITS: u32 = 2;
const IN_LIBRARY: u64 = 0b11_1111 << LIBRARY_AT;

/// Where a slot's bits begin.
const fn at(slot: usize) -> u32 {
    slot as u32 * SLOT_BITS
}

/// What is on the stack: its kind, its slot, and the slot aimed at.
const fn entry(kind: u64, slot: usize, aim: usize) -> u64 {
    (kind | (slot as u64) << 2 | (aim as u64) << 4) << STACK_AT
}

/// A step of a permanent: what it adds to the state, and its number.
#[derive(Clone, Copy, Default, Debug)]
struct Step {
    adds: u64,
    event: u64,
}

/// What may happen to a permanent: of moves the number alone, for where they lead is plain. It fills two lines of the
/// cache, and begins with one.
#[derive(Clone, Copy, Default, Debug)]
#[repr(align(128))]
struct Row {
    up: Step,
    down: Step,
    cyber: Step,
    kill: u64,
    tuck: u64,
    bounce: u64,
    exile: u64,
    phase: u64,
    /// Special actions that turn it up, and how many there are.
    ways: [Step; 2],
    ways_count: usize,
}

impl Row {
    /// The row of a slot's bits less its zone.
    fn new(numbers: &Numbers, slot: usize, bits: usize) -> Row {
        let (face, card) = (bits & FACE as usize, bits >> CARD_AT);
        let damaged = bits as u64 & DAMAGED != 0;
        let Some(of): Option<&OfPermanent> = numbers.permanents[slot][card].get(face) else {
            return Row::default();
        };
        let step = |to: u64, event| Step { adds: to.wrapping_sub(bits as u64) << at(slot), event };
        let card_alone = bits as u64 & CARD_ALONE;
        let is_down = face != UP;
        let turned_up = |event| {
            let mut step = step(card_alone, event);
            if card == DISGUISED {
                step.adds = step.adds.wrapping_add(entry(ABILITY, slot, 0));
            }
            step
        };
        // Face down it is a 2/2, and dies of three damage.
        let turned_down = |face: usize, events: [u64; 2]| match (is_down, damaged) {
            (true, _) => Step { adds: 0, event: events[0] },
            (false, false) => step(card_alone | face as u64, events[0]),
            (false, true) => step(card_alone | GRAVEYARD, events[1]),
        };
        let mut row = Row {
            up: if is_down && card != BOLT { turned_up(of.up) } else { Step { adds: 0, event: of.up } },
            down: turned_down(EFFECT, of.down),
            cyber: turned_down(CYBER, of.cyber),
            kill: of.kill,
            tuck: of.tuck,
            bounce: of.bounce,
            exile: of.exile,
            phase: of.phase,
            ways: [Step::default(); 2],
            ways_count: 0,
        };
        let offered = [
            ((face == MANIFEST || face == CLOAK) && card != BOLT, of.for_mana),
            (is_down && (card == MORPHER || card == DISGUISED), of.for_toll),
        ];
        for (_, event) in offered.iter().filter(|(is, _)| *is) {
            row.ways[row.ways_count] = turned_up(*event);
            row.ways_count += 1;
        }
        row
    }
}

/// The world: its rules, with the tables that they read.
pub struct Plain {
    rows: Box<Slots<[Row; ROWS]>>,
    numbers: Box<Numbers>,
}

impl Plain {
    /// The rules; the numbers of events are made with a hash of texts.
    pub fn new(of_text: OfText) -> Plain {
        let numbers = Numbers::new(of_text);
        let rows = std::array::from_fn(|slot| std::array::from_fn(|bits| Row::new(&numbers, slot, bits)));
        Plain { rows: Box::new(rows), numbers: Box::new(numbers) }
    }

    /// Every deal of three cards, in the library as dealt.
    pub fn starts() -> Vec<u64> {
        let ordered = (0..SLOTS).fold(0, |library, o| library | (o as u64 + 1) << (o as u32 * LIBRARY_CARD_BITS));
        let deal = |n: usize| {
            let cards = (0..SLOTS).map(|o| (n / CARDS.pow(o as u32) % CARDS, o));
            cards.fold(ordered << LIBRARY_AT, |state, (card, o)| state | (LIBRARY | (card as u64) << CARD_AT) << at(o))
        };
        (0..CARDS.pow(SLOTS as u32)).map(deal).collect()
    }

    /// Every step from a state: the state after it, and the number of its events.
    #[inline(always)]
    pub fn successors(&self, state: u64, found: &mut impl FnMut(u64, u64)) {
        if state & ON_STACK != 0 {
            let (next, event) = self.resolve(state);
            return found(next, event);
        }
        let top = top(state);
        let rest = without_top(state);
        found(rest ^ entering(top, MANIFEST), self.numbers.manifest[top]);
        found(rest ^ entering(top, CLOAK), self.numbers.cloak[top]);
        // As a turn begins what B has out of phase comes back, which is nothing.
        let passed = if state & TURN_OF_B == 0 { state & !EVERY_DAMAGE | TURN_OF_B } else { state };
        found(passed, self.numbers.pass[usize::from(state & TURN_OF_B != 0)]);
        self.of_slot::<0>(state, found);
        self.of_slot::<1>(state, found);
        self.of_slot::<2>(state, found);
    }

    /// What may happen to the card of a slot while the stack is empty.
    #[inline(always)]
    fn of_slot<const O: usize>(&self, state: u64, found: &mut impl FnMut(u64, u64)) {
        let bits = state >> at(O);
        match bits & ZONE {
            BATTLEFIELD => self.of_permanent::<O>(state, found),
            PHASED => found(state ^ PHASED << at(O), self.numbers.permanents[O][0][0].phase),
            HAND => self.of_hand::<O>(state, found),
            _ => {}
        }
    }

    #[inline(always)]
    fn of_permanent<const O: usize>(&self, state: u64, found: &mut impl FnMut(u64, u64)) {
        let row = &self.rows[O][(state >> at(O)) as usize % ROWS];
        let gone = state & !((FACE | DAMAGED) << at(O));
        let below = (gone & IN_LIBRARY) << LIBRARY_CARD_BITS;
        let on_top = (LIBRARY << at(O)) | (O as u64 + 1) << LIBRARY_AT;
        found(state.wrapping_add(row.up.adds), row.up.event);
        found(state.wrapping_add(row.down.adds), row.down.event);
        found(state.wrapping_add(row.cyber.adds), row.cyber.event);
        found(gone | GRAVEYARD << at(O), row.kill);
        found(gone & !IN_LIBRARY | below | on_top, row.tuck);
        found(gone | HAND << at(O), row.bounce);
        found(gone | EXILE << at(O), row.exile);
        found(state | PHASED << at(O), row.phase);
        if row.ways_count > 0 {
            found(state.wrapping_add(row.ways[0].adds), row.ways[0].event);
            if row.ways_count > 1 {
                found(state.wrapping_add(row.ways[1].adds), row.ways[1].event);
            }
        }
    }

    /// A card in hand: creatures are cast in A's own turn, a bolt at any time if there is something to aim at.
    #[inline(always)]
    fn of_hand<const O: usize>(&self, state: u64, found: &mut impl FnMut(u64, u64)) {
        let card = (state >> (at(O) + CARD_AT)) as usize % CARDS;
        let cast = state ^ (HAND ^ STACK) << at(O);
        if card == BOLT {
            for x in (0..SLOTS).filter(|x| is_in(state, *x, BATTLEFIELD)) {
                found(cast | entry(BOLT_SPELL, O, x), self.numbers.cast_bolt[O][x]);
            }
        } else if state & TURN_OF_B == 0 {
            let spell = cast | entry(CREATURE_SPELL, O, 0);
            found(spell, self.numbers.cast_up[O][card]);
            if card != BEAST {
                let hand = (0..SLOTS).fold(0, |hand, x| hand | usize::from(is_in(state, x, HAND)) << x);
                let face = (if card == MORPHER { MORPH } else { DISGUISE }) as u64;
                found(spell | face << at(O), self.numbers.cast_down[O][card][hand]);
            }
        }
    }

    /// The one thing on the stack is done, and what follows from it.
    #[inline(always)]
    fn resolve(&self, state: u64) -> (u64, u64) {
        let on_stack = state >> STACK_AT;
        let (kind, slot, aim) = (on_stack & 3, (on_stack >> 2 & 3) as usize, (on_stack >> 4 & 3) as usize);
        let done = state & !ON_STACK;
        let numbers = &*self.numbers;
        match kind {
            ABILITY => {
                let top = top(state);
                (without_top(done) ^ drawing(top), numbers.draw[top])
            }
            CREATURE_SPELL => (done & !(ZONE << at(slot)), numbers.enter.get(slot).copied().unwrap_or_default()),
            _ => {
                let hit = done ^ (STACK ^ GRAVEYARD) << at(slot);
                let target = state >> at(aim);
                let undamaged = (MORPHER as u64) << CARD_AT;
                let fate = match target & (FACE | DAMAGED | CARD_ALONE) {
                    bits if bits == undamaged => STANDS,
                    bits if bits & FACE == UP as u64 => DIES_UP,
                    _ => DIES_DOWN,
                };
                let next = if fate == STANDS {
                    hit | DAMAGED << at(aim)
                } else {
                    hit & !((FACE | DAMAGED) << at(aim)) | GRAVEYARD << at(aim)
                };
                let event = numbers.hit.get(slot).and_then(|of| of.get(aim)).map_or(0, |fates| fates[fate]);
                (next, event)
            }
        }
    }
}

/// The top card of the library as the library tells it: 0, or its slot and one more.
#[inline(always)]
fn top(state: u64) -> usize {
    (state >> LIBRARY_AT) as usize % (SLOTS + 1)
}

/// The same without the top card of its library, if there is one.
#[inline(always)]
fn without_top(state: u64) -> u64 {
    state & !IN_LIBRARY | (state & IN_LIBRARY) >> LIBRARY_CARD_BITS & IN_LIBRARY
}

/// What changes in the bits of the top card, if there is one, as it goes from the library to a zone, with a face.
#[inline(always)]
const fn from_top(top: usize, to: u64, face: usize) -> u64 {
    if top == 0 { 0 } else { (LIBRARY ^ to | face as u64) << at(top - 1) }
}

#[inline(always)]
fn entering(top: usize, face: usize) -> u64 {
    const CHANGES: [[u64; SLOTS + 1]; 2] = [
        [
            from_top(0, BATTLEFIELD, MANIFEST),
            from_top(1, BATTLEFIELD, MANIFEST),
            from_top(2, BATTLEFIELD, MANIFEST),
            from_top(3, BATTLEFIELD, MANIFEST),
        ],
        [
            from_top(0, BATTLEFIELD, CLOAK),
            from_top(1, BATTLEFIELD, CLOAK),
            from_top(2, BATTLEFIELD, CLOAK),
            from_top(3, BATTLEFIELD, CLOAK),
        ],
    ];
    CHANGES[usize::from(face == CLOAK)][top]
}

#[inline(always)]
fn drawing(top: usize) -> u64 {
    const CHANGES: [u64; SLOTS + 1] =
        [from_top(0, HAND, UP), from_top(1, HAND, UP), from_top(2, HAND, UP), from_top(3, HAND, UP)];
    CHANGES[top]
}

/// Whether a slot's card is in a zone.
#[inline(always)]
fn is_in(state: u64, slot: usize, zone: u64) -> bool {
    state >> at(slot) & ZONE == zone
}
