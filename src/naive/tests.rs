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
rule looks { view card = front  view now = printed, copied, listed, typed, coloured, granted, sized
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
