//! One test for each error, what is left out, and that order means nothing.

use super::{Options, check, dump};
use crate::lang::ast::Date;
use crate::lang::source::Sources;
use crate::lang::tree::{ArgPattern, Attr, AttrSet, ClauseKind, Expr, Program, Verb};
use crate::lang::{ast, parse};

/// A small law that every test may stand on.
const LAW: &str = r#"
edition 2022-01-01, 2026-01-01
subtype beast, aura
counter plus +1/+1
keyword flash, flying
keyword morph(toll: Cost) {
  permit p on c when c in hand and c.owner == p and c has morph pay {3}: down(c, by: p, look: plain)
  permit p on o when o.face_down and o.controller == p and o.if_face_up has morph pay o.if_face_up.morph:
    turn_up(o, by: morph)
}
keyword ward(toll: Cost) {
  whenever target(self, by: s) when s.controller != you: s.controller may { pay(s.controller, toll) } else { cease(s) }
}
rule looks {
  view now = printed, copied, listed, typed, coloured, granted, sized
  view if_face_up = printed, copied, typed, coloured, granted, sized
  view card = front
  profile plain = creature 2/2
}
rule moves {
  procedure resolve(s: Object) { run(s) move(s, to: graveyard) }
  procedure down(c: Object, by p: Player, look l: Look) { turn_down(c, look: l, by: effect) cast(c, by: p) }
  procedure drop(by p: Player) { let c = top(p) if c != none: move(c, to: graveyard) }
  event enters(o) = move(o, to: battlefield)
  event changes(o) = move(o) or phase(o)
  define big(o: Object): Bool = o.power > 4
}
archetype bear: {1}{G} creature beast 2/2 morph({G})
card "Bear King" like bear
"#;

fn files(texts: &[&str]) -> (Sources, Vec<ast::File>) {
    let mut sources = Sources::default();
    let mut files = Vec::new();
    for (i, text) in texts.iter().enumerate() {
        let id = sources.add(format!("{i}"), *text);
        let (file, diags) = parse::parse(id, text);
        assert!(diags.is_empty(), "{diags:#?}");
        files.push(file);
    }
    (sources, files)
}

fn options(edition: (u16, u8, u8), readings: &[(&str, &str)]) -> Options {
    let (year, month, day) = edition;
    let readings = readings.iter().map(|(a, b)| ((*a).to_string(), (*b).to_string())).collect();
    Options { edition: Some(Date { year, month, day }), readings }
}

fn program_with(texts: &[&str], options: &Options) -> Result<Program, String> {
    let (sources, files) = files(texts);
    check(&files, options).map_err(|diags| {
        let line = |d: &crate::lang::diag::Diag| {
            let text = &sources.files[usize::from(d.span.file)].text;
            let at = text.get(d.span.start as usize..d.span.end as usize).unwrap_or("?");
            let at = at.split_whitespace().collect::<Vec<_>>().join(" ");
            let help = d.help.as_ref().map_or(String::new(), |h| format!("; {h}"));
            format!("{} {}{help} | {at}", d.code.as_str(), d.message)
        };
        diags.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}

fn program(text: &str) -> Program {
    program_with(&[LAW, text], &Options::default()).unwrap()
}

/// "ok", or one line for each finding.
fn findings(texts: &[&str]) -> String {
    program_with(texts, &Options::default()).map_or_else(|e| e, |_| "ok".to_string())
}

/// A text on top of the small law gives exactly these findings.
#[track_caller]
fn wrong(text: &str, expected: &str) {
    assert_eq!(findings(&[LAW, text]), expected);
}

#[track_caller]
fn fine(text: &str) {
    wrong(text, "ok");
}

#[test]
fn the_small_law_is_right() {
    fine("");
    fine("rule a { as enters(o) when o is creature | beast and o has no flying: tap(o) }");
    fine(
        "ruling r { given a: bear in hand of A  then A may down(a) paying {3}, not phase(a), create(t, of: a), t in stack }",
    );
    fine("witness w { possible turn_up(o) when was(o.face_down) }");
}

#[test]
fn l201_unknown_names() {
    wrong("rule a { forbid mvoe(_) }", "L201 no verb is named `mvoe`; did you mean `move`? | mvoe");
    wrong(
        "rule a { forbid tap(o) when o.face_dwon }",
        "L201 an Object has no attribute `face_dwon`; did you mean `face_down`? | face_dwon",
    );
    wrong(
        "property p { always every o where o in hnad: o.tapped }",
        "L201 there is no zone `hnad`; did you mean `hand`? | hnad",
    );
    wrong("rule a under choice is x { }", "L201 no reading is named `choice` | choice");
    wrong("witness w in here { possible some o where o.tapped }", "L201 no world is named `here` | here");
    wrong("rule a { as tap(_): move(x, to: hand) }", "L201 nothing of type Object is named `x` | x");
}

#[test]
fn l201_names_not_in_force() {
    let later =
        "rule later since 2024-01-01 { procedure dig(by p: Player) { shuffle(p) } marker dug(p: Player) lasts turn }";
    let then = options((2023, 1, 1), &[]);
    let said = |text: &str| program_with(&[LAW, later, text], &then);
    let error = said("rule a { as tap(o): dig(by: o.controller) }").unwrap_err();
    let help = "it belongs to rule later: since 2024-01-01";
    assert_eq!(error, format!("L201 `dig` is not in force in the edition 2023-01-01; {help} | dig"));
    let p = said(
        "archetype digger: land { whenever tap(self): dig(by: you) } card \"Other\" like digger
         world w { players A, B allow dig, drop }
         ruling r { when do dig(by: A) then no } ruling s since 2024-01-01 { then yes }
         property q { whenever dig(by: p): p.in_game } witness ways { possible turn_up(o, by: dig) }",
    )
    .unwrap();
    let out: Vec<String> = p.left_out.iter().map(|(kind, name, _)| format!("{kind} {name}")).collect();
    let all = [
        "allow w: dig",
        "archetype digger",
        "card Other",
        "property q",
        "property ways",
        "rule later",
        "ruling r",
        "ruling s",
    ];
    assert_eq!(out, all);
    assert_eq!(p.worlds[0].allows.len(), 1);
    assert!(program_with(&[LAW, later, "rule a { as tap(o): dig(by: o.controller) }"], &Options::default()).is_ok());
}

#[test]
fn l202_two_of_one_name() {
    wrong("card \"X\": land card \"X\": land", "L202 two cards are named `X` | \"X\"");
    wrong("subtype beast", "L202 two words are named `beast` | beast");
    wrong(
        "rule a { procedure drop(o: Object) { tap(o) } }",
        "L202 two things that can be called are named `drop` | drop",
    );
    wrong("rule a { profile plain = land }", "L202 two profiles are named `plain` | plain");
    wrong("rule a { view morph = front }", "L202 two attributes of objects are named `morph` | morph");
    wrong("witness w { possible tap(o) } witness w { possible untap(o) }", "L202 two properties are named `w` | w");
}

#[test]
fn l203_wrong_types() {
    wrong("rule a { forbid tap(o) when o.damage }", "L203 expected a Bool, found a Number | o.damage");
    wrong("rule a { as tap(o): move(o, to: hand, under: o) }", "L203 expected a Player, found an Object | o");
    wrong(
        "rule a { forbid tap(o) when o.owner < o.controller }",
        "L203 expected a Number, found a Player | o.owner < o.controller",
    );
    wrong("rule a { as tap(o): big(o) }", "L203 expected a verb, found `big`, which does nothing | big");
}

#[test]
fn l204_never_equal() {
    wrong(
        "rule a { forbid tap(o) when o.damage == none }",
        "L204 a Number is never equal to `none` | o.damage == none",
    );
    wrong(
        "rule a { forbid tap(o) when o.owner == o.host }",
        "L204 a Player and an Object are never equal | o.owner == o.host",
    );
    fine(
        "rule a { forbid tap(o) when o.host == none or none == o.face_down_by or o.mana_cost == none or o.name != none }",
    );
}

#[test]
fn l205_to_l207_arguments() {
    wrong("rule a { as tap(o): move(o, too: hand) }", "L205 `move` has no label `too:`; did you mean `to`? | too");
    wrong(
        "rule a { as tap(o): move(o, to: hand, from: stack) }",
        "L205 `from:` of `move` can be asked only in a head | from",
    );
    wrong("rule a { as tap(o): cast(o) }", "L206 `cast` needs its argument `by:` | cast(o)");
    wrong("rule a { as tap(o): untap(o, o) }", "L207 `untap` takes 1 unlabelled argument | untap(o, o)");
    wrong("rule a { forbid tap(o) when big(o, o) }", "L207 `big` takes 1 unlabelled argument | big(o, o)");
    fine("rule a { as tap(o): add_counter(o, plus) }");
}

#[test]
fn l208_bound_and_never_used() {
    wrong(
        "rule a { forbid turn_up(_, by: mroph) }",
        "L208 `mroph` is bound and never used; did you mean `morph`? | mroph",
    );
    fine("rule a { forbid turn_up(_, by: morph) }");
    fine("rule a { as tap(o) or untap(o): reveal(o) }");
}

#[test]
fn l209_events_are_not_done() {
    wrong("rule a { as tap(o): enters(o) }", "L209 `enters` is an event, and can't be done | enters");
}

#[test]
fn l210_l211_rings() {
    wrong(
        "rule a { procedure f(o: Object) { g(o) } procedure g(o: Object) { f(o) } }",
        "L210 procedures call each other in a ring: f, g, f | f",
    );
    wrong(
        "rule a { procedure f(p: Player) { pay(p, c) } cost c(p: Player, o: Object) { if o.tapped: f(p) } }",
        "L210 procedures call each other in a ring: f, c, f | f",
    );
    wrong("rule a { define f(o: Object): Bool = not f(o) }", "L211 definitions need each other in a ring: f, f | f");
    let rings =
        "L211 cards are like each other in a ring: x, y, x | x\nL211 cards are like each other in a ring: y, x, y | y";
    let found = findings(&[LAW, "archetype x like y archetype y like x"]);
    let mut lines: Vec<&str> = found.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines.join("\n"), rings);
}

#[test]
fn l212_to_l217_words_keywords_costs_cards() {
    let word = "is no type, supertype, colour or subtype";
    wrong(
        "rule a { forbid tap(o) when o is craeture }",
        &format!("L212 `craeture` {word}; did you mean `creature`? | craeture"),
    );
    wrong(
        "rule a { forbid tap(o) when o has flyng }",
        "L213 the keyword `flyng` is not declared; did you mean `flying`? | flyng",
    );
    wrong("card \"X\": creature morph 1/1", "L214 `morph` needs its cost in brackets | morph");
    wrong("rule a { forbid tap(o) when o.flying == none }", "L214 the keyword `flying` has no cost | flying");
    wrong("rule a { permit p on o when o.owner == p pay o.owner: tap(o) }", "L215 a Player is no cost | o.owner");
    wrong("rule a { permit p on o when o.owner == p pay gold: tap(o) }", "L215 `gold` is no cost | gold");
    wrong(
        "rule a { forbid tap(o) when o.name == \"Bear Kin\" }",
        "L216 a card `Bear Kin` is not there; did you mean `Bear King`? | \"Bear Kin\"",
    );
    wrong("card \"X\" like baer", "L217 an archetype `baer` is not there; did you mean `bear`? | baer");
    fine("rule a { forbid tap(o) when o.name == \"bear\" and o.morph == none }");
}

#[test]
fn l218_self_and_you() {
    wrong("rule a { forbid tap(self) }", "L218 `self` means nothing outside a card or keyword | self");
    wrong(
        "rule a { as tap(o) when o.owner == you: untap(o) }",
        "L218 `you` means nothing outside a card or keyword | you",
    );
    fine("card \"X\": land { forbid tap(self) when active == you }");
}

#[test]
fn l219_to_l223_declarations() {
    wrong(
        "rule a { view v = front, lsited }",
        "L219 the layer or view `lsited` does not exist; did you mean `listed`? | lsited",
    );
    wrong("rule a { } rule a { }", "L220 two rules named `a` are in force in one edition | a");
    wrong(
        "rule a until 2024-01-01 { } rule a since 2023-01-01 { }",
        "L220 two rules named `a` are in force in one edition | a",
    );
    fine("rule a until 2024-01-01 { } rule a since 2024-01-01 { }");
    let reading = "reading r { x \"one\" default y \"two\" }";
    fine(&format!("{reading} rule a under r is x {{ }} rule a under r is y {{ }}"));
    wrong(&format!("{reading} rule a under r is z {{ }}"), "L222 the reading `r` has no value `z` | z");
    wrong("rule a since 2024-01-01 until 2024-01-01 { }", "L223 2024-01-01 is not after 2024-01-01 | 2024-01-01");
}

#[test]
fn l221_citations() {
    let (_, mut files) = files(&["rule a cites 708.2b { }"]);
    assert!(check(&files, &Options::default()).is_ok());
    for item in &mut files[0].items {
        if let ast::Item::Rule(r) = item {
            r.header.cites[0].text = "78.2".to_string();
        }
    }
    let diags = check(&files, &Options::default()).unwrap_err();
    assert_eq!(diags[0].message, "`78.2` is no number of a rule");
    assert_eq!(diags[0].code.as_str(), "L221");
}

#[test]
fn l224_to_l226_bodies() {
    let help = "call a verb in the body, outside `if`, `choose` and `may`, or say `ability`";
    let text = "rule a { permit p on o when o.owner == p: if o.tapped: untap(o) }";
    wrong(text, &format!("L224 a permit does nothing that can be judged; {help} | {}", &text[9..text.len() - 2]));
    wrong("rule a { as tap(o): look(o) }", "L225 `look` is only permitted, never done; use `show` | look");
    fine("rule a { permit p on o when o.owner == p: look(o) }");
    let create = "L226 `create` needs `new` and a fresh name as its first argument";
    wrong("rule a { as tap(o): create(o, look: plain) }", &format!("{create} | create(o, look: plain)"));
    wrong("rule a { as tap(o): create(new o, look: plain) }", "L226 `o` is in use already | o");
    fine("rule a { as tap(_): { create(new t, look: plain) tap(t) } }");
}

#[test]
fn l227_l228_ghosts() {
    let ghost = "ghost seen(o: Object) lasts object { as tap(o): set seen(o) = yes }";
    wrong("ghost seen(o: Object) lasts object { as tap(o): tap(o) }", "L227 a ghost only sets itself | tap(o)");
    wrong(
        &format!("{ghost} rule a {{ forbid tap(o) when seen(o) }}"),
        "L228 the law can't read the ghost `seen`; declare it with `marker` in a rule | seen",
    );
    wrong(
        &format!("{ghost} rule a {{ as tap(o): set seen(o) = no }}"),
        "L228 the law can't set the ghost `seen` | seen",
    );
    fine(&format!("{ghost} witness w {{ possible some o where seen(o) }}"));
}

#[test]
fn l229_l230_questions_of_properties() {
    let where_ = "can be asked only in a property or ruling";
    wrong("rule a { forbid tap(o) when was(o.tapped) }", &format!("L229 `was` {where_} | was(o.tapped)"));
    wrong("rule a { forbid tap(o) when ends(o.tapped) }", &format!("L229 `ends` {where_} | ends(o.tapped)"));
    wrong("rule a { forbid tries tap(_) }", &format!("L229 `tries` {where_} | tap(_)"));
    wrong(
        "rule a { forbid tap(o) when o.owner may cast(o) }",
        &format!("L229 an offer {where_} | o.owner may cast(o)"),
    );
    let help = "set a marker as it happens, and ask the marker";
    wrong(
        "rule a { forbid tap(o) when untap(o) }",
        &format!("L230 the law can't ask whether `untap` happened; {help} | untap(o)"),
    );
}

#[test]
fn l231_guards_of_statics() {
    let found = "L231 the guard of a static asks for a whole view; ask plain `o`, which means the look so far";
    let clause = "static o when o.now is land: has flying";
    wrong(&format!("card \"X\": land {{ {clause} }}"), &format!("{found} | {clause}"));
    let through = "static o when hidden(o): has flying";
    let define = "rule a { define hidden(o: Object): Bool = o.card is land }";
    wrong(&format!("{define} card \"X\": land {{ {through} }}"), &format!("{found} | {through}"));
    fine("card \"X\": land { static o when o is land and o != self: has flying, is red, gets +1/+1 }");
}

#[test]
fn l232_allowed_procedures() {
    wrong(
        "world w { players A allow down }",
        "L232 a world can't allow `down`: it has not the one parameter `by p: Player` | down",
    );
}

#[test]
fn l233_patterns_of_an_or() {
    wrong("rule a { as tap(o) or move(x, to: hand): untap(o) }", "L233 `x` is not bound by the first pattern | x");
    wrong(
        "rule a { as tap(o) or shuffle(o): untap(o) }",
        "L233 `o` is a Player here and an Object in the first pattern | o",
    );
    wrong(
        "rule a { as tap(o) or end_game(): untap(o) }",
        "L233 `o` is bound by the first pattern, and not by this one | end_game()",
    );
}

#[test]
fn l234_markers_without_a_writer() {
    let marker = "marker worn(o: Object) lasts turn";
    wrong(&format!("rule a {{ {marker} forbid tap(o) when worn(o) }}"), "L234 `worn` is read and never set | worn");
    fine(&format!("rule a {{ {marker} forbid tap(o) when worn(o) as tap(o): set worn(o) = yes }}"));
}

#[test]
fn l235_refusals_name_their_cause() {
    let given = "given a: bear in hand of A";
    let help = "name the rule or card that refuses, or say `unpermitted` or `unpayable`";
    wrong(
        &format!("ruling r {{ {given} then A may not cast(a) }}"),
        &format!("L235 a ruling refuses without saying because of what; {help} | A may not cast(a)"),
    );
    fine(&format!(
        "ruling r {{ {given} then A may not cast(a) because \"Bear King\", A may not look(a) because unpermitted }}"
    ));
    wrong(
        &format!("ruling r {{ {given} then A may not cast(a) because mvoes }}"),
        "L201 no rule or card is named `mvoes`; did you mean `moves`? | mvoes",
    );
}

#[test]
fn l236_premises() {
    let help = "say `every x where …: …`, or `whenever …: …`";
    wrong(
        "property p { always not (some o where o.tapped) }",
        &format!("L236 the property has no premise that can be witnessed; {help} | not (some o where o.tapped)"),
    );
}

#[test]
fn l237_a_law_that_can_be_played() {
    let found = findings(&["world w { players A }"]);
    let codes: Vec<&str> = found.lines().map(|l| &l[..4]).collect();
    assert_eq!(codes, ["L237", "L237"]);
}

#[test]
fn l238_l239_l302_worlds() {
    wrong("world w { players A budget counters 99 }", "L238 99 is not between 0 and 15 | counters");
    let help = "a cap is of `stack`; `tokens` and `counters` have a budget";
    wrong("world w { players A cap objects 3 }", &format!("L239 there is no cap of `objects`; {help} | objects"));
    wrong(
        "world w { players A start A library: any 16 of bear, bear }",
        "L302 the world has 17 slots of cards and tokens, the limit is 16 | w",
    );
    wrong("world w { players A, B, C, D, E }", "L302 a world has at most 4 players | E");
    wrong(
        "witness w { always every o where o.tapped: o.tapped }",
        "L239 a witness claims what can be reached; write `possible …` | w",
    );
    fine(
        "world w { players A, B start A hand: bear, any 2 of archetypes allow drop by A mana 3 budget stack 2, tokens 1 cap stack 6 }",
    );
}

#[test]
fn all_findings_are_told() {
    let found = findings(&[LAW, "rule a { forbid tap(o) when o.x as tap(o): cast(o) } card \"X\": flog"]);
    let codes: Vec<&str> = found.lines().map(|l| &l[..4]).collect();
    assert_eq!(codes, ["L201", "L206", "L212"]);
}

#[test]
fn order_of_files_and_items_means_nothing() {
    let extra = "card \"Y\": {2} artifact { static o when o == self: sized (count x where x.tapped) }
        world w { players A start A hand: any 1 of archetypes }
        ruling r { given a: bear in hand of A then a in hand }";
    let (_, mut forward) = files(&[LAW, extra]);
    let one = dump(&check(&forward, &Options::default()).unwrap());
    let (_, mut backward) = files(&[extra, LAW]);
    for file in forward.iter_mut().chain(&mut backward) {
        file.items.reverse();
    }
    assert_eq!(one, dump(&check(&forward, &Options::default()).unwrap()));
    assert_eq!(one, dump(&check(&backward, &Options::default()).unwrap()));
    assert!(!one.contains("Span"));
}

#[test]
fn clauses_of_keywords_are_carried_if_they_say_so() {
    let p = program("");
    let of = |name: &'static str| {
        let p = &p;
        p.clauses.iter().filter(move |c| p.rules[c.rule.index()].name == name)
    };
    assert!(of("morph").all(|c| !c.carried && !c.toll));
    let ward: Vec<_> = of("ward").collect();
    assert!(ward.iter().all(|c| c.carried && c.toll && c.about_self && c.zones.is_empty()));
    assert_eq!(ward[0].frame.vars.iter().map(|v| v.0.as_str()).collect::<Vec<_>>(), ["self", "you", "toll", "s"]);
}

#[test]
fn events_are_expanded() {
    let p = program("rule z { as changes(o): untap(o) }");
    let clause = p.clauses.iter().find(|c| p.rules[c.rule.index()].name == "z").unwrap();
    let ClauseKind::Stage(_, head, ..) = &clause.kind else { panic!("{:?}", clause.kind) };
    let verbs: Vec<Verb> = head.patterns.iter().map(|p| p.verb).collect();
    assert_eq!(verbs, [Verb::Move, Verb::Phase]);
    assert!(head.patterns.iter().all(|p| matches!(p.args[0], ArgPattern::Bind(0)) && p.event.is_some()));
}

#[test]
fn names_in_heads_are_constants_first_then_bound_then_fresh() {
    let p = program("rule z { forbid move(o, to: hand, under: active) when o.tapped forbid attach(o, to: o) }");
    let heads: Vec<_> = p
        .clauses
        .iter()
        .filter_map(|c| match &c.kind {
            ClauseKind::Forbid(h) => Some(&h.patterns[0]),
            _ => None,
        })
        .collect();
    assert!(matches!(heads[0].args[1], ArgPattern::Is(Expr::Const(_))));
    assert!(matches!(heads[0].args[2], ArgPattern::Is(Expr::Active)));
    assert!(matches!(heads[0].args[3], ArgPattern::Any));
    assert!(matches!(heads[1].args[1], ArgPattern::Is(Expr::Var(0))));
}

#[test]
fn effects_count_what_a_call_sets_off() {
    let p = program(
        "rule y { before move(o): renew(o) } rule z { as tap(o): bounce(o) procedure bounce(o: Object) { move(o, to: hand) } }",
    );
    let of = |name: &str| p.clauses.iter().find(|c| p.rules[c.rule.index()].name == name).unwrap();
    let (renew, bounce) = (of("y"), of("z"));
    let has = |set: AttrSet, attr: Attr| {
        let mut one = AttrSet::default();
        one.add(attr);
        set.meets(one)
    };
    assert!(has(renew.writes, Attr::Counters) && !has(renew.writes, Attr::FaceDown) && !has(renew.writes, Attr::Zone));
    assert!(has(bounce.writes, Attr::Zone) && has(bounce.writes, Attr::Counters));
}

#[test]
fn readings_and_editions_choose() {
    let text = "reading r { x \"one\" default y \"two\" } rule a under r is y { profile other = land }";
    assert_eq!(program(text).profiles.len(), 1);
    let other = program_with(&[LAW, text], &options((2026, 1, 1), &[("r", "y")])).unwrap();
    assert_eq!(other.profiles.len(), 2);
    let error = program_with(&[LAW, text], &options((2026, 1, 1), &[("r", "z")])).unwrap_err();
    assert!(error.starts_with("L222"), "{error}");
}
