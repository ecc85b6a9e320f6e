//! The referee on tiny programs in text: one idea of the meaning page a test.
#![allow(clippy::unwrap_used, clippy::panic)]

use super::{Fault, Label, Obj, Referee, Report, RulingResult, Steps, explore, run_ruling};
use crate::lang::check::{Options, check};
use crate::lang::diag::Code;
use crate::lang::parse::parse;
use crate::lang::tracked::tracked;
use crate::lang::tree::Program;

/// A law that every test starts from.
const LAW: &str = r#"
edition 2026-08-07
counter mark
rule looks { view card = front  view now = printed, joined, copied, listed, typed, coloured, granted, sized
  profile plain = creature 2/2 }
rule resolving { procedure resolve(s: Object) { run(s) if s.ability: { cease(s) } else move(s, to: graveyard) } }
rule moving { event enters(o) = move(o, to: battlefield)  event dies(o) = move(o, from: battlefield, to: graveyard)
  look_back dies as now
  procedure enter(by p: Player) { choose c by p where c in hand and c.owner == p: move(c, to: battlefield) }
  procedure kill(by p: Player) { choose o by p where o in battlefield: move(o, to: graveyard) }
  procedure both(by p: Player) { each o where o in battlefield: move(o, to: graveyard) } }
archetype bear: {1}{G} creature 2/2
archetype wolf: {2}{G} creature 3/2
"#;

/// What a law may say of merged permanents, and cards to merge.
const MERGING: &str = r#"
keyword flying, howling
rule views { view up = printed, joined, copied  view all_of_it = printed, joined, unseen, copied }
rule turning { as turn_up(o): each c where c.pile == o and c.lies_down: bare(c)
  as turn_down(o): each c where c.pile == o and not c.lies_down: cover(c, look: o.listed, by: o.face_down_by) }
rule leaving { before move(o): renew(o)
  as move(o, to: z) when z != battlefield and z != stack: { bare(o) each c where c.pile == o and c != o: move(c, to: z) } }
rule tools { procedure make(by p: Player) { create(new t, look: plain) move(t, to: battlefield, under: p) }
  procedure double(by p: Player) { create(new t, look: plain, back: other) move(t, to: battlefield, under: p) }
  profile other = artifact
  procedure copy(o: Object, of x: Object) { become_copy(o, look: x.up, of: x) } }
archetype bird: {U} creature 1/1 flying
archetype hound: {R} creature 3/3 howling
archetype hearer: {W} creature 4/4 { whenever tap(self): untap(self) }
archetype coin: {2} creature 2/3 flying back artifact creature 5/5
"#;

fn program(text: &str) -> Program {
    let (file, mut diags) = parse(0, &format!("{LAW}{text}"));
    if diags.is_empty() {
        match check(&[file], &Options::default()) {
            Ok(program) => return program,
            Err(more) => diags = more,
        }
    }
    panic!("{diags:#?}")
}

fn run(text: &str) -> Result<Report, Fault> {
    let program = program(text);
    explore(&Referee::new(&program, 0, tracked(&program, 0)), 10_000)
}

fn counts(text: &str) -> (usize, usize, usize, bool) {
    let r = run(text).unwrap();
    (r.unique_states, r.steps, r.depth, r.complete)
}

/// The steps from the first initial state.
fn first(text: &str) -> Steps {
    let program = program(text);
    let r = Referee::new(&program, 0, tracked(&program, 0));
    r.steps(&r.initial().unwrap()[0]).unwrap()
}

fn ruling(text: &str) -> RulingResult {
    run_ruling(&program(text), 0)
}

#[test]
fn deals_are_ordered_in_a_library_alone() {
    let of = |zone: &str| {
        let program = program(&format!("world w {{ players A, B start A {zone}: any 2 of bear | wolf }}"));
        Referee::new(&program, 0, tracked(&program, 0)).initial().unwrap().len()
    };
    assert_eq!((of("library"), of("hand")), (4, 3));
}

#[test]
fn an_effect_that_is_a_choice_needs_a_candidate() {
    // Hand, battlefield, graveyard: one step each, and none from the last.
    let text = "world w { players A, B start A hand: bear allow enter, kill by A }";
    assert_eq!(counts(text), (3, 2, 2, true));
}

#[test]
fn a_forbid_beats_an_effect() {
    let text = "rule no { forbid move(o, to: battlefield) when o is creature }
        world w { players A, B start A hand: bear allow enter by A }";
    assert_eq!(counts(text), (1, 1, 0, true));
}

#[test]
fn a_forbidden_call_within_a_procedure_takes_the_offer_away() {
    let offered = |guard: &str| {
        first(&format!(
            "rule offers {{ permit p on c when c in hand and c.owner == p: go(c)
               procedure go(c: Object) {{ tap(c) move(c, to: battlefield) }} }}
             rule no {{ forbid move(c, to: battlefield) when {guard} }}
             world w {{ players A, B start A hand: bear }}"
        ))
        .outcomes
        .len()
    };
    // It is judged in the state that the calls before it would make.
    assert_eq!((offered("c.tapped"), offered("not c.tapped")), (0, 1));
}

#[test]
fn befores_that_do_not_commute_are_put_into_every_order() {
    let text = "rule two { before tap(o): add_counter(o, mark)
          before tap(o) when o.counters(mark) == 0: add_counter(o, mark) }
        rule t { procedure t(by p: Player) { each o where o in battlefield: tap(o) } }
        world w { players A, B start A battlefield: bear allow t by A budget counters 2 }";
    assert_eq!(first(text).outcomes.len(), 2);
}

#[test]
fn an_event_is_replaced_once_by_the_same_clause() {
    let text = "rule r { instead tap(o): { add_counter(o, mark) tap(o) } }
        rule t { procedure t(by p: Player) { each o where o in battlefield: tap(o) else move(o, to: exile) } }
        property p in w { always every o where o.tapped: o in battlefield and o.counters(mark) == 1 }
        world w { players A, B start A battlefield: bear allow t by A budget counters 1 }";
    let report = run(text).unwrap();
    // The second time the counter would be one too many: that outcome is left out.
    assert_eq!((report.unique_states, report.steps, report.complete), (2, 1, true));
    assert_eq!((report.properties.reached, report.properties.violated), (vec![true], vec![false]));
}

#[test]
fn as_clauses_found_through_an_earlier_one_are_done_too() {
    let text = "rule r { as tap(o) when o.counters(mark) == 0: add_counter(o, mark)
          as tap(o) when o.counters(mark) == 1: move(o, to: exile) }
        rule t { procedure t(by p: Player) { each o where o in battlefield: tap(o) } }
        witness gone in w { possible some o where o in exile }
        world w { players A, B start A battlefield: bear allow t by A budget counters 1 }";
    assert_eq!(run(text).unwrap().properties.reached, [true]);
}

#[test]
fn ghosts_come_after_the_law_and_make_no_orders() {
    let text = "ghost one(o: Object) lasts object { as tap(o): set one(o) = o.counters(mark) == 1 }
        ghost two(o: Object) lasts object { as tap(o): set two(o) = o.counters(mark) == 1 }
        rule m { as tap(o): add_counter(o, mark) }
        rule t { procedure t(by p: Player) { each o where o in battlefield: tap(o) } }
        property p in w { always every o where o.tapped: one(o) and two(o) }
        world w { players A, B start A battlefield: bear allow t by A budget counters 1 }";
    assert_eq!(first(text).outcomes.len(), 1);
    let report = run(text).unwrap();
    assert_eq!((report.properties.reached, report.properties.violated), (vec![true], vec![false]));
}

#[test]
fn triggers_of_one_player_come_in_every_distinct_order() {
    let card = |a: &str, b: &str| {
        first(&format!(
            "archetype one: {{1}} creature 1/1 {{ whenever enters(self): {a} whenever enters(self): {b} }}
             world w {{ players A, B start A hand: one allow enter by A }}"
        ))
        .outcomes
        .len()
    };
    assert_eq!(card("tap(self)", "untap(self)"), 2);
}

#[test]
fn what_dies_is_heard_as_it_was() {
    let text = |face: &str| {
        format!(
            "archetype mourner: {{1}} creature 1/1 {{ whenever dies(self): shuffle(you) }}
             rule faces {{ as move(o, to: z) when z != battlefield: bare(o) }}
             ruling r {{ given m: mourner in battlefield of A{face} when do kill(by: B) choosing m
               then trigger(m, on: dies), m in graveyard }}"
        )
    };
    assert!(ruling(&text("")).passes);
    let silent = ruling(&text(", face_down as plain by effect"));
    assert_eq!(silent.failure.map(|f| f.1), Some(None));
}

#[test]
fn within_each_everything_is_heard_as_it_began() {
    let text = "archetype watcher: {1} creature 1/1 { whenever dies(o) when o != self: shuffle(you) }
        ruling r { given a: watcher in battlefield of A given b: watcher in battlefield of A when do both(by: A)
          then trigger(a, on: dies), trigger(b, on: dies) }";
    assert_eq!(ruling(text).failure, None);
}

#[test]
fn checks_that_undo_each_other_are_a_fault() {
    let text = "rule up { check o when o in battlefield and o.tapped: untap(o) }
        rule down { check o when o in battlefield and not o.tapped: tap(o) }
        world w { players A, B start A hand: bear allow enter by A }";
    assert_eq!(run(text).unwrap_err().code, Code::L405);
}

#[test]
fn a_check_that_is_refused_settles() {
    let text = "rule stay { forbid move(o, to: graveyard) when o is creature }
        rule die { check o when o in battlefield and o is creature: move(o, to: graveyard) }
        world w { players A, B start A hand: bear allow enter by A }";
    assert_eq!(counts(text), (2, 1, 1, true));
}

#[test]
fn a_shuffle_is_any_order() {
    let text = "rule s { procedure s(by p: Player) { shuffle(p) } }
        world w { players A, B start A library: bear start A library: wolf allow s by A }";
    assert_eq!(counts(text), (2, 4, 1, true));
}

#[test]
fn a_spell_needs_a_target_and_resolves_if_it_is_right() {
    let text = |then: &str| {
        format!(
            "rule casts {{ permit p on c when c in hand and c.owner == p pay c.mana_cost: cast(c, by: p) }}
             rule renewed {{ before move(o): renew(o) }}
             archetype bolt: {{R}} instant {{ spell target o where o is creature: tap(o) }}
             ruling r {{ given s: bolt in hand of A {then} }}"
        )
    };
    assert!(ruling(&text("then not (A may cast(s))")).passes);
    let bear = "given b: bear in battlefield of B when A does cast(s) paying {R} choosing b";
    assert_eq!(
        ruling(&text(&format!("{bear} then s.aims_at(b) when resolve then b.tapped, s in graveyard"))).failure,
        None
    );
    let gone = "when do kill(by: B) choosing b when resolve then not b.tapped, s in graveyard";
    assert_eq!(ruling(&text(&format!("{bear} {gone}"))).failure, None);
}

#[test]
fn what_a_ruling_leaves_open_or_refuses_has_a_code() {
    let law = "rule casts { permit p on c when c in hand and c.owner == p pay c.mana_cost: cast(c, by: p) }
        rule no-bears { forbid cast(c) when c is creature } ";
    let code = |then: &str| {
        let given = "given b: bear in hand of A given c: bear in hand of A";
        ruling(&format!("{law} ruling r {{ {given} {then} }}")).failure.and_then(|f| f.1)
    };
    assert_eq!(code("when A does cast(b)"), Some(Code::L402));
    assert_eq!(code("when A does tap(b)"), Some(Code::L401));
    assert_eq!(code("when do enter(by: A)"), Some(Code::L406));
    assert_eq!(code("when do enter(by: A) choosing b, c"), Some(Code::L406));
    assert_eq!(code("when do kill(by: A) choosing b"), Some(Code::L406));
    assert_eq!(code("when do enter(by: A) choosing yes"), Some(Code::L404));
    assert_eq!(code("then A may not cast(b) because no-bears"), None);
}

#[test]
fn statics_are_read_layer_by_layer() {
    let text = "keyword flying
        archetype humble: {1} enchantment { static o when o is creature and o in battlefield: loses abilities, sized 1/1 }
        archetype bird: {1} creature 3/3 flying
        ruling r { given b: bird in battlefield of A given h: humble in battlefield of A given l: bird in hand of A
          then b has no flying, b.power == 1, l has flying, l.power == 3, b.card has flying }";
    assert_eq!(ruling(text).failure, None);
}

#[test]
fn a_full_stack_leaves_only_its_top_but_offers_still_stand() {
    let text = "archetype caller: {1} creature 1/1 { permit you ability when self in battlefield: tap(self) }
        property p in w { always every o where o in battlefield: o.controller may activate(o) }
        world w { players A, B start A battlefield: caller budget stack 1 }";
    let report = run(text).unwrap();
    assert_eq!((report.unique_states, report.steps), (4, 4));
    assert_eq!(report.properties.violated, [false]);
}

#[test]
fn blind_sees_an_offer_that_depends_on_a_hidden_card() {
    let blind = |guard: &str| {
        let text = format!(
            "rule leak {{ permit p on o when o in battlefield and {guard}: tap(o) }}
             rule down {{ procedure down(by p: Player) {{ choose o by p where o in battlefield: turn_down(o, look: plain, by: effect) }} }}
             property b in w {{ blind p to o when o.face_down and not o.known_to(p): offers }}
             world w {{ players A, B start A battlefield: any 1 of bear | wolf allow down by A }}"
        );
        run(&text).unwrap().properties.violated[0]
    };
    assert!(blind("o.card.power == 2"));
    assert!(!blind("o.power == 2"));
}

#[test]
fn limits_of_an_effect_leave_it_out_and_of_a_resolution_tell() {
    let text = |body: &str| {
        format!(
            "rule t {{ procedure t(by p: Player) {{ {body} }} }}
             archetype counted: {{1}} creature 1/1 {{ whenever tap(self): {{ add_counter(self, mark) add_counter(self, mark) }} }}
             property m in w {{ always every o where o in battlefield: o.counters(mark) < 2 }}
             world w {{ players A, B start A battlefield: counted allow t by A budget counters 1 }}"
        )
    };
    let effect = counts(&text("each o where o in battlefield: { add_counter(o, mark) add_counter(o, mark) }"));
    assert_eq!(effect, (1, 0, 0, true));
    let resolution = counts(&text("each o where o in battlefield: tap(o)"));
    assert!(!resolution.3);
}

#[test]
fn labels_say_what_was_taken() {
    let text = "rule offers { permit p on c when c in hand and c.owner == p pay {2}: tap(c) }
        rule tax { price tap(_): more {1} price tap(_): less {5} }
        world w { players A, B start A hand: bear }";
    let steps = first(text);
    let Label::Offer { player, object, cost, .. } = &steps.outcomes[0].label else { panic!("an offer was taken") };
    assert_eq!((*player, *object, cost.mana.value()), (0, Obj::Slot(0), 0));
}

fn merging(text: &str) {
    assert_eq!(ruling(&format!("{MERGING} ruling r {{ {text} }}")).failure, None);
}

#[test]
fn a_card_on_top_lies_face_up_and_nothing_was_turned_up() {
    merging(
        "given d: hound in battlefield of A, face_down as plain by effect, tapped given x: bird in hand of B
         then d.face_down, not d.merged, d.topmost == d, d.pile == d
         when do merge(x, with: d, at: on_top)
         then merge(x, with: d, at: on_top), not turn_up(d), not bare(d), not move(x), x in beneath, d in battlefield
         then d.merged, d.topmost == x, x.topmost == x, not x.merged, x.pile == d, d.pile == d
         then not d.face_down, d.face_down_by == none, d.listed.power == 0, d.lies_down, not x.lies_down, d.tapped
         then d.name == \"bird\", d.power == 1, d has flying, d has no howling, d.all_of_it has howling
         then d.card.name == \"hound\", d.owner == A, x.controller == B, (count o where o in battlefield) == 1
         when do turn_down(d, look: plain, by: effect)
         then d.face_down, x.lies_down, d.lies_down, d has no flying, d.up.name == \"bird\", d.up has howling
         when do turn_up(d)
         then turn_up(d), not x.lies_down, not d.lies_down, d.name == \"bird\", d has flying, d has howling",
    );
}

#[test]
fn a_card_underneath_leaves_it_face_down() {
    merging(
        "given d: hound in battlefield of A, face_down as plain by effect given x: bird in hand of A
         when do merge(x, with: d, at: at_bottom)
         then d.face_down, d.face_down_by == effect, d.topmost == d, x.pile == d, d.merged
         then d.name == none, d.power == 2, d has no flying, d.up has howling, d.up has flying
         when do turn_up(d)
         then turn_up(d), d.name == \"hound\", d has flying, d has howling, not d.lies_down, not x.lies_down
         when do turn_down(d, look: plain, by: effect)
         then d.face_down, x.lies_down, x.listed == plain, not cover(d), cover(x, by: effect)",
    );
}

#[test]
fn a_component_keeps_the_face_that_it_came_with() {
    merging(
        "given d: hound in battlefield of A given x: bird in hand of A, face_down as plain by effect
         when do merge(x, with: d, at: at_bottom)
         then not d.face_down, x.lies_down, x.face_down, d has no flying, d.all_of_it has flying, d.up has no flying
         when do bare(d) then d.topmost == d
         when do cover(d, look: plain, by: effect)
         then d.face_down, not turn_down(d), d.up has flying, d.all_of_it has flying",
    );
}

#[test]
fn what_is_beneath_comes_out_of_the_pile_as_it_moves() {
    merging(
        "given d: bear in battlefield of A given x: bird in hand of A given y: hound in hand of A
         given z: wolf in graveyard of A
         when do merge(x, with: d, at: on_top) when do merge(y, with: d, at: on_top)
         when do merge(z, with: d, at: at_bottom)
         then d.topmost == y, (count c where c.pile == d) == 4, d.power == 3, d has flying
         when do move(y, to: hand) then d.topmost == x, y in hand, y.pile == y, d.name == \"bird\", d.merged
         when do move(x, to: exile) then d.topmost == d, d.merged, d.name == \"bear\", d has no flying
         when do cease(z) then not d.merged, d.topmost == d, z in outside, z.pile == z",
    );
}

#[test]
fn a_pile_leaves_as_the_law_has_it() {
    merging(
        "given d: bear in battlefield of A given x: hearer in hand of A given y: bird in hand of B
         when do merge(x, with: d, at: at_bottom) when do merge(y, with: d, at: on_top)
         when do kill(by: A) choosing d
         then move(d, from: battlefield), move(x, from: beneath, to: graveyard), move(y, from: beneath, to: graveyard)
         then not d.merged, x.pile == x, y.pile == y, y in graveyard, d.name == \"bear\"",
    );
    // Where the law says nothing the others stay, and the pile is known by what left.
    let text = "ruling r { given d: bear in battlefield of A given x: wolf in hand of A
        when do merge(x, with: d, at: on_top) when do kill(by: A) choosing d
        then d in graveyard, d.merged, d.topmost == d, d.name == \"bear\", x in beneath, x.pile == d
        when do move(x, to: graveyard) then not d.merged }";
    assert_eq!(ruling(text).failure, None);
}

#[test]
fn copies_are_covered_by_what_comes_on_top_and_joined_by_what_comes_below() {
    let given = "given d: bear in battlefield of A given h: hound in battlefield of A given x: bird in hand of A
         when do copy(d, of: h) then d.name == \"hound\", d has howling";
    merging(&format!(
        "{given} when do merge(x, with: d, at: on_top) then d.name == \"bird\", d has no howling
         when do copy(d, of: h) then d.name == \"hound\", d has no flying, d.topmost == x
         when do copy(h, of: d) then h.name == \"hound\", not h.merged"
    ));
    merging(&format!(
        "{given} when do merge(x, with: d, at: at_bottom) then d.name == \"hound\", d has howling, d has flying
         when do move(x, to: hand) then d has flying
         when do copy(h, of: d) then h has flying, h has howling, not h.merged"
    ));
    merging(
        "given d: bear in battlefield of A given h: hearer in battlefield of A given x: bird in hand of A
         when do merge(x, with: d, at: at_bottom) when do copy(h, of: d) then h.name == \"bear\", h has flying",
    );
}

#[test]
fn a_clause_of_a_component_is_the_permanents() {
    merging(
        "given d: bear in battlefield of A given x: hearer in hand of A
         when do merge(x, with: d, at: at_bottom)
         when do tap(d) then trigger(d, on: tap) when resolve then not d.tapped
         when do tap(x) then tap(x), not (some s where s in stack), x.tapped",
    );
}

#[test]
fn what_merges_is_made_new_and_leaves_the_stack_and_library() {
    merging(
        "given d: bear in battlefield of A given x: bird in library of A given y: hearer in hand of B, 2 mark
         when do merge(x, with: d, at: on_top) then top(A) == none
         when do move(y, to: stack, under: A) then y.controller == A
         when do merge(y, with: d, at: at_bottom)
         then y.controller == B, y.home == B, y.counters(mark) == 0, not (some s where s in stack), y in beneath",
    );
    let law = "rule gifts { procedure gift(o: Object) { give o gets +1/+1 until end_of_turn } }";
    let text = "ruling r { given d: bear in battlefield of A given x: wolf in hand of A
        when do gift(x) when do merge(x, with: d, at: on_top) then d.power == 4, x.power == 3
        when do end_turn(A) then d.power == 3 }";
    assert_eq!(ruling(&format!("{law} {text}")).failure, None);
}

#[test]
fn what_can_not_merge_is_tried_alone() {
    merging(
        "given d: bear in battlefield of A given h: hound in battlefield of A given x: bird in hand of A
         given y: wolf in hand of A
         when do merge(d, with: h, at: on_top) then tries merge(d), not merge(d), d in battlefield
         when do merge(x, with: y, at: on_top) then tries merge(x), not merge(x), x in hand
         when do merge(x, with: x, at: on_top) then not merge(x), not x.merged
         when do merge(x, with: d, at: on_top) then merge(x)
         when do merge(x, with: h, at: on_top) then not merge(x), x.pile == d
         when do phase(d) then d in phased, d.topmost == x, d.power == 1
         when do merge(y, with: d, at: on_top) then not merge(y), y in hand",
    );
    // Nothing is replaced that can't be.
    let text = "rule r { instead merge(x): tap(x) }
        ruling r { given x: bear in hand of A given y: wolf in hand of A given d: bear in battlefield of A
          when do merge(x, with: y, at: on_top) then tries merge(x), not x.tapped
          when do merge(x, with: d, at: on_top) then x.tapped, x in hand }";
    assert_eq!(ruling(text).failure, None);
}

#[test]
fn a_token_is_known_by_its_top() {
    merging(
        "given x: bird in hand of A given d: bear in battlefield of A
         when do make(by: A) then create(t), t.cardless, not d.cardless
         when do merge(x, with: t, at: on_top) then not t.cardless, t.name == \"bird\"
         when do cease(t) then not (some o where o.cardless), x in beneath, x.pile == x
         when do make(by: A) then create(u), not u.merged, u.cardless
         when do move(u, to: exile) when do merge(u, with: d, at: on_top)
         then d.cardless, not d.card is artifact, d.name == none, d.power == 2
         when do cease(u) then not d.merged, not d.cardless, d.name == \"bear\"",
    );
}

#[test]
fn faces_turn_by_component() {
    merging(
        "given d: coin in battlefield of A given x: coin in hand of A given b: bear in battlefield of A
         when do transform(d) then d.transformed, d.power == 5, d has no flying, d.other_face.power == 2
         when do turn_over(d) then not d.transformed
         when do turn_over(b) then turn_over(b), not b.transformed
         when do transform(b) then b.transformed, b.power == 2
         when do merge(x, with: d, at: on_top)
         when do transform(d) then transform(d), not d.transformed, d.power == 2
         when do turn_over(d) then d.transformed, d.power == 2, d has flying
         when do turn_over(x) then d.power == 5, d.double_faced, d is artifact, d has no flying",
    );
    merging(
        "given b: bear in battlefield of A
         when do double(by: A) then create(t), t.double_faced, t.power == 2, t.other_face is artifact
         when do transform(t) then t is artifact, not t is creature, t.other_face is creature, t.card is creature
         when do turn_over(t) then t is creature
         when do make(by: A) then create(u), not u.double_faced, u.other_face.power == 0
         when do turn_over(u) then u is creature, not u.transformed",
    );
}

#[test]
fn x_is_counted_and_damage_has_a_source() {
    let text = "archetype hydra: {X}{X}{G} creature 0/1
        ruling r { given h: hydra in battlefield of A given b: bear in battlefield of A
          then xs(h.mana_cost) == 2, xs(b.mana_cost) == 0, value(h.mana_cost) == 1
          when do deal(b, 1, by: h) then deal(b, 1, by: h), not deal(b, by: b), b.damage == 1
          when do deal(b, 1) then deal(b, by: s), s == none, b.damage == 2 }";
    assert_eq!(ruling(text).failure, None);
}

#[test]
fn the_order_of_components_makes_states_differ() {
    let text = "rule m {
          procedure over(by p: Player) {
            choose x by p where x in hand: { each h where h in battlefield: merge(x, with: h, at: on_top) } }
          procedure under(by p: Player) {
            choose x by p where x in hand: { each h where h in battlefield: merge(x, with: h, at: at_bottom) } } }
        property p in w { always every o where o.topmost != o: o.merged and o.pile == o and o.topmost.pile == o }
        world w { players A, B start A battlefield: bear start A hand: bear allow over, under by A }";
    assert_eq!(counts(text), (3, 2, 1, true));
    let report = run(text).unwrap();
    assert_eq!((report.properties.reached, report.properties.violated), (vec![true], vec![false]));
}
