//! Bad input, and what is told of it: every text ends in a program or in errors with codes, never in a panic or a hang,
//! and nonsense is never taken for sense.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use facedown::lang::ast::File;
use facedown::lang::check::{Options, check};
use facedown::lang::diag::{Diag, render};
use facedown::lang::fmt::format;
use facedown::lang::lex::FILE_BYTES_MAX;
use facedown::lang::parse::parse;
use facedown::lang::source::Sources;

/// A law that worlds and rulings can stand on.
const LAW: &str = r#"
subtype beast
counter plus +1/+1
keyword flying
keyword morph(toll: Cost)
rule law {
  view now = printed, copied, listed, typed, coloured, granted, sized
  view card = front
  profile plain = creature 2/2
  procedure resolve(s: Object) { run(s) }
  procedure nap(by p: Player) { choose o by p where o.controller == p: tap(o) }
  procedure both(by p: Player, card c: Object) { tap(c) untap(top(p)) }
  cost sacrifice(p: Player, o: Object) { move(o, to: graveyard) }
}
archetype bear: {1}{G} creature beast 2/2
archetype forest: land
archetype giant: {3}{R} creature 3/3
"#;

/// The model files of the repository: paths and texts.
fn rulebook() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> = vec![root.join("model"), root.join("properties")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().display().to_string();
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    assert!(found.len() > 20);
    found
}

/// All findings about some files taken as one program, and their text.
fn told(texts: &[&str]) -> (Vec<Diag>, String) {
    let mut sources = Sources::default();
    let (mut files, mut diags) = (Vec::<File>::new(), Vec::new());
    for (i, text) in texts.iter().enumerate() {
        let id = sources.add(i.to_string(), *text);
        let (file, mut wrong) = parse(id, text);
        diags.append(&mut wrong);
        files.push(file);
    }
    if diags.is_empty() {
        diags = check(&files, &Options::default()).err().unwrap_or_default();
    }
    let shown = render(&sources, &diags, false);
    (diags, shown)
}

/// The codes told of a text that stands beside the law, in order.
fn codes(text: &str) -> Vec<&'static str> {
    told(&[LAW, text]).0.iter().map(|d| d.code.as_str()).collect()
}

/// Each text must be refused with exactly these codes.
fn refused(cases: &[(&str, &str)]) {
    let mut wrong = String::new();
    for (expected, text) in cases {
        let found = codes(text).join(" ");
        if found != *expected {
            let shown = told(&[LAW, text]).1;
            writeln!(wrong, "expected {expected:?}, found {found:?} in\n{text}\n{shown}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_law_of_this_test_is_right() {
    assert_eq!(told(&[LAW]).1, "");
    refused(&[("", ""), ("", "# nothing\n"), ("", "rule empty { }")]);
}

#[test]
fn nothing_at_all_is_a_program_without_worlds() {
    assert_eq!(told(&[]).1, "");
    assert_eq!(told(&["", "\u{feff}", "\r\n\r\n", "# a comment without an end"]).1, "");
}

#[test]
fn bytes_that_are_no_text() {
    let bytes: Vec<u8> = (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let (diags, shown) = told(&[&String::from_utf8_lossy(&bytes)]);
    assert!(!diags.is_empty() && diags.iter().any(|d| d.code.as_str() == "L101") && !shown.is_empty());
    for text in ["\0", "rule \0 { }", "rule a\u{2028}{ }", "🂠", "rule \u{202e}a { }", "card \"\u{0}\": land"] {
        let _ = told(&[text]);
    }
}

/// A file of the real rulebook that is cut off anywhere is refused or is a program; beside the whole of the others it is
/// checked too.
#[test]
fn truncated_files_of_the_rulebook() {
    for (name, text) in rulebook() {
        for at in (0..text.len()).step_by(97).filter(|at| text.is_char_boundary(*at)) {
            let (diags, shown) = told(&[&text[..at]]);
            assert_eq!(diags.is_empty(), shown.is_empty(), "{name} cut at {at}");
            assert!(diags.iter().all(|d| d.message.len() < 400), "{name} cut at {at}: {shown}");
            if let Ok(formatted) = format(&text[..at]) {
                assert_eq!(format(&formatted).as_ref(), Ok(&formatted), "{name} cut at {at}");
            }
        }
    }
}

/// With one line of one file left out the whole rulebook is a program, or is refused; it never panics.
#[test]
fn lines_left_out_of_the_rulebook() {
    let files = rulebook();
    let parsed = |text: &str, i: usize| parse(u16::try_from(i).unwrap(), text);
    let trees: Vec<File> = files.iter().enumerate().map(|(i, (_, text))| parsed(text, i).0).collect();
    assert!(check(&trees, &Options::default()).is_ok());
    for (i, (_, text)) in files.iter().enumerate() {
        let lines: Vec<&str> = text.lines().collect();
        for gone in (0..lines.len()).step_by(61) {
            let cut: Vec<&str> = lines.iter().enumerate().filter(|(n, _)| *n != gone).map(|(_, l)| *l).collect();
            let mut trees = trees.clone();
            trees[i] = parsed(&cut.join("\n"), i).0;
            let _ = check(&trees, &Options::default());
        }
    }
}

#[test]
fn one_name_for_two_things() {
    refused(&[
        ("L220", "rule law { }"),
        ("L220", "keyword flying"),
        ("L202", "card \"bear\": land"),
        ("L202", "world w { players A } world w { players A }"),
        ("L202", "world w { players A, A }"),
        ("L202", "rule a { define tap(o: Object): Bool = yes }"),
        ("L202", "rule a { procedure look(o: Object) { nothing } }"),
        ("L202", "rule a { define d(o: Object, o: Object): Bool = o.tapped }"),
        ("L202", "rule a { procedure d(by p: Player, by q: Player) { shuffle(p) shuffle(q) } }"),
        ("L202", "rule a { event e(o, o) = tap(o) }"),
        ("L202", "keyword creature"),
        ("L202", "keyword beast"),
        ("L202", "keyword effect"),
        ("L202", "rule a { procedure effect(o: Object) { nothing } }"),
        ("L202", "keyword owner(toll: Cost)"),
        ("L202", "keyword counters(toll: Cost)"),
        ("L202", "rule a { view power = front }"),
        ("L202", "subtype creature"),
        ("L202", "counter plus"),
        ("L202", "ghost nap(o: Object) lasts object { }"),
        // The name of a verb is free for a keyword: keywords follow `has` and a dot, verbs stand before a bracket.
        ("", "keyword tap, move, cast"),
        ("", "keyword turn_up(toll: Cost)"),
    ]);
}

#[test]
fn names_that_mean_something_already() {
    refused(&[
        ("L202", "keyword none"),
        ("L202", "subtype self"),
        ("L202", "counter yes"),
        ("L202", "rule a { profile none = land }"),
        ("L202", "rule a { define no(o: Object): Bool = o.tapped }"),
        ("L202", "rule a { define d(none: Object): Bool = yes }"),
        ("L202", "rule a { as tap(o): choose you by o.owner: untap(you) }"),
        ("L202", "rule a { as tap(o): let active = o }"),
        ("L203", "rule a { forbid tap(yes) }"),
        ("L226", "rule a { as tap(_): create(new self, look: plain) }"),
        ("L202", "rule a { check o, o when o.tapped: untap(o) }"),
        ("L202", "rule a { permit p on p: tap(p) }"),
        ("L202", "rule a { forbid tap(o) when some o where o.tapped }"),
        ("L202", "property p { blind x to x when x.tapped: offers }"),
        // What a block binds is gone after it.
        ("", "rule a { as tap(_): { each x: untap(x)  each x: untap(x) } }"),
    ]);
}

#[test]
fn attributes_and_types() {
    refused(&[
        ("L201", "rule a { forbid tap(o) when o.flipped }"),
        ("L201", "rule a { forbid tap(o) when o.owner.tapped }"),
        ("L201", "rule a { forbid tap(o) when o.watched(tap) }"),
        ("L201", "rule a { forbid tap(o) when o.now.tapped }"),
        ("L201", "rule a { define d(o: Card): Bool = yes }"),
        ("L203", "rule a { define d(o: Object): Bool = o }"),
        ("L203", "rule a { define d(o: Object): Number = o.tapped }"),
        ("L204", "rule a { forbid tap(o) when o < 3 and yes }"),
        ("L203", "rule a { forbid tap(o) when o.host < o }"),
        ("L203", "rule a { forbid tap(o) when some z: Zone where yes }"),
        ("L203", "rule a { forbid tap(o) when not o.power }"),
        ("L203", "rule a { forbid tap(o) when (o.tapped and o) }"),
        ("L203", "rule a { as tap(o): choose x by o: untap(x) }"),
        ("L203", "rule a { as tap(o): o may { untap(o) } }"),
        ("L203", "rule a { marker m(z: Zone) lasts turn }"),
        ("L203", "rule a { marker m(o: Object, p: Player) lasts turn }"),
        ("L201", "rule a { marker m(o: Object) lasts forever }"),
        ("L203", "rule a { cost c(o: Object) { tap(o) } }"),
        ("L204", "rule a { forbid tap(o) when o.owner == hand }"),
        ("L204", "rule a { forbid tap(o) when o.name == o.mana_cost }"),
        ("L207", "rule a { forbid tap(o) when o.known_to() }"),
        ("L103", "rule a { forbid tap(o) when o.power + 1 > 2 }"),
        ("L103", "rule a { forbid tap(o) when o.power == 1 == 2 }"),
        ("L101 L103", "rule a { forbid tap(o) when o.power - 1 > 2 }"),
    ]);
}

#[test]
fn rings_and_chains() {
    let chain = |n: usize, link: fn(usize) -> String| -> String { (0..n).map(link).collect() };
    let procedure = |i: usize| format!("procedure f{i}(o: Object) {{ f{}(o) }}\n", i + 1);
    let define = |i: usize| format!("define d{i}(o: Object): Bool = not d{}(o)\n", i + 1);
    let long = |n: usize, ends: &str, link| format!("rule a {{ {} {ends} }}", chain(n, link));
    let (last_procedure, last_define) = ("procedure f9(o: Object) { tap(o) }", "define d9(o: Object): Bool = o.tapped");
    refused(&[
        ("", &long(9, last_procedure, procedure)),
        ("", &long(9, last_define, define)),
        ("L210", &long(9, "procedure f9(o: Object) { f0(o) }", procedure)),
        ("L210", "rule a { procedure f(o: Object) { if o.tapped: { f(o) } } }"),
        ("L210", "rule a { procedure f(p: Player) { pay(p, c) } cost c(p: Player, o: Object) { f(p) } }"),
        ("L211", &long(9, "define d9(o: Object): Bool = d0(o)", define)),
        ("L211 L211", "archetype a like b archetype b like a"),
        ("L211", "archetype a like a"),
    ]);
    let ends = [
        (last_procedure.replace("f9", "f5000"), procedure as fn(usize) -> String, "L105"),
        (last_define.replace("d9", "d5000"), define, "L105"),
        ("procedure f5000(o: Object) { f0(o) }".to_owned(), procedure, "L210"),
        ("define d5000(o: Object): Bool = d0(o)".to_owned(), define, "L211"),
    ];
    for (end, link, code) in ends {
        let started = Instant::now();
        assert_eq!(codes(&long(5000, &end, link)), [code]);
        assert!(started.elapsed().as_secs() < 60, "{code} took {:?}", started.elapsed());
    }
    // One clause sets off the next, a thousand times: nothing is followed so deep.
    let clauses: String =
        (0..1000).map(|i| format!("procedure g{i}(o: Object) {{ }} as g{i}(o): g{}(o)\n", i + 1)).collect();
    assert_eq!(codes(&format!("rule a {{ {clauses} procedure g1000(o: Object) {{ }} }}")), [""; 0]);
}

#[test]
fn nesting_and_size() {
    for (opens, code) in [("(", "L105"), ("not ", "L105"), ("some x where ", "L105"), ("was(", "L105")] {
        let found = codes(&format!("rule a {{ forbid tap(o) when {} }}", opens.repeat(10_000)));
        assert_eq!(found.first(), Some(&code), "{opens}");
    }
    for part in ["(", "{", "}", "\"", ")", ",", ":", "a ", "rule ", "{1}", "0", "# x\n", "\u{e9}", "-", "."] {
        let text = part.repeat(FILE_BYTES_MAX / part.len());
        let started = Instant::now();
        let (diags, shown) = told(&[&text]);
        assert_eq!(diags.is_empty(), part.starts_with('#'), "{part:?}");
        assert!(diags.len() < 4 && shown.len() < 4096, "{part:?} is told {} times", diags.len());
        assert!(started.elapsed().as_secs() < 20, "{part:?} took {:?}", started.elapsed());
    }
    // Many mistakes are all told, in time.
    let text = "\"\n".repeat(20_000);
    let started = Instant::now();
    assert!(told(&[&text]).0.len() >= 20_000);
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn numbers() {
    refused(&[
        ("L238", "rule a { as tap(o): deal(o, 1000) }"),
        ("L238", "rule a { as tap(o): add_counter(o, plus, 2147483647) }"),
        ("L238", "rule a { as tap(o): deal(o, 99999999999999999999) }"),
        ("L238", "counter big +2147483647/+0"),
        ("L238", "counter big +1/-100"),
        ("L238", "card \"X\": creature 100/1"),
        ("L238", "card \"X\": {100} creature 1/1"),
        ("L238", "card \"X\": {60}{60} creature 1/1"),
        ("L238", "card \"X\": creature 99999999999/1"),
        ("L238", "card \"X\": land { static o: gets +100/+0 }"),
        ("L103", "card \"X\": creature -1/1"),
        ("L103", "rule a { forbid tap(o) when o.power > -1 }"),
        ("", "rule a { as tap(o): deal(o, 999) }"),
    ]);
    let many: String = (0..33).map(|i| format!("k{i}, ")).collect();
    refused(&[("L302", &format!("counter {}", many.trim_end_matches(", ")))]);
    let checks = "check o when o.tapped: untap(o) ".repeat(33);
    refused(&[("L302", &format!("rule a {{ {checks} }}"))]);
    let words: String = (0..200).map(|i| format!("w{i}, ")).collect();
    refused(&[("L302", &format!("subtype {}", words.trim_end_matches(", ")))]);
}

#[test]
fn worlds() {
    let world = |line: &str| format!("world w {{ players A, B {line} }}");
    refused(&[
        ("L239 L201", "world w { start A hand: bear }"),
        ("L302", "world w { players A, B, C, D, E }"),
        ("", "world w { players A }"),
        ("", &world("start A hand: any 1 of bear | forest")),
        ("L238", &world("start A hand: any 0 of bear")),
        ("L238", &world("start A hand: any 99 of bear")),
        ("L302", &world("start A hand: any 16 of bear, bear")),
        ("L302", &world("start A library: any 16 of bear | forest | archetypes")),
        ("L239", &world("start A beneath: bear")),
        ("L239", &world("start A stack: bear")),
        ("L201", &world("start A deck: bear")),
        ("L201", &world("start C hand: bear")),
        ("L217", &world("start A hand: baer")),
        ("L216", &world("start A hand: \"Bear\"")),
        ("L232", &world("allow both")),
        ("L232", &world("allow tap")),
        ("L201", &world("allow snooze")),
        ("L201", &world("allow nap by C")),
        ("L238", &world("budget stack 0")),
        ("", &world("budget tokens 0, counters 0")),
        ("L238", &world("budget counters 1000000000")),
        ("L238", &world("budget tokens 99999999999")),
        ("L239", &world("budget cards 3")),
        ("L239", &world("cap objects 3")),
        ("L238", &world("budget stack 3 cap stack 2")),
        ("L202", &world("budget stack 1 budget stack 2")),
        ("L202", &world("cap stack 3, stack 4")),
        ("L202", &world("mana 1 mana unlimited")),
        ("L238", &world("mana 100")),
        ("L103", &world("mana -1")),
        ("L103", &world("mana lots")),
    ]);
}

#[test]
fn laws_that_can_not_be_played() {
    let told = |text: &str| told(&[text]).0.iter().map(|d| d.code.as_str()).collect::<Vec<_>>();
    assert_eq!(told("world w { players A }"), ["L237", "L237"]);
    assert_eq!(told("ruling r { when resolve }"), ["L237", "L237"]);
    assert_eq!(told("rule a { procedure resolve(by p: Player) { } view now = front } world w { players A }"), ["L237"]);
}

#[test]
fn clauses_where_they_can_not_be() {
    refused(&[
        ("L239", "card \"X\": land { check o when o == self: tap(o) }"),
        ("L239", "card \"X\": land { view v = front }"),
        ("L239", "rule a { spell: nothing }"),
        ("L239", "rule a { check a, b, c when a.tapped: untap(a) }"),
        ("L239", "rule a { as tap(o) target x where x.tapped: untap(x) }"),
        ("L239", "rule a { permit p on o pay {1}: look(o) }"),
        ("L239", "rule a { permit p: shuffle(p) }"),
        ("L239", "card \"X\": land { permit p on o when o == self: tap(o) }"),
        ("L209", "rule a { as tap(o): trigger(o, on: tap, because: tap) }"),
        ("L239", "rule a { forbid trigger(_) }"),
        ("L239", "ghost g(o: Object) lasts object { as apply(o): set g(o) = yes }"),
        ("L239", "card \"\": land"),
        ("L239", "reading r { }"),
        ("L202", "reading r { x \"one\" default y \"two\" default }"),
        ("L202", "reading r { x \"one\" x \"two\" }"),
        ("L202", "rule a since 2020-01-01 since 2024-01-01 { }"),
        ("L215", "rule a { price tap(_): less sacrifice }"),
        ("", "rule a { price tap(_): more sacrifice price untap(_): less {1} }"),
    ]);
}

#[test]
fn sizes() {
    refused(&[
        ("", "card \"X\": creature 1/1 { static self: sized (count o where o.tapped) }"),
        ("", "card \"X\": creature 1/1 { static o: sized o.damage/o.toughness }"),
        ("", "rule a { as tap(o): give o sized 1/1, sized 3 }"),
        ("L239", "rule a { as tap(o): give o sized (count x where x.tapped) }"),
        ("L239", "rule a { as tap(o): give o sized o.power/3 }"),
        ("L203", "card \"X\": creature 1/1 { static o: sized o.owner }"),
        ("L203", "card \"X\": creature 1/1 { static o: sized yes }"),
        ("L231", "card \"X\": creature 1/1 { static o: sized o.card.power }"),
        ("L103", "card \"X\": creature 1/1 { static o: sized }"),
        ("L103", "card \"X\": creature 1/1 { static o: sized 1/ }"),
        ("L238", "card \"X\": creature 1/1 { static o: sized 5000 }"),
    ]);
}

#[test]
fn properties() {
    let small = "world w { players A, B start A hand: bear }";
    let on = |text: &str| format!("{small} {text}");
    refused(&[
        ("L201", "witness p in nowhere { possible tap(_) }"),
        ("", &on("witness p in w { possible tap(_) }")),
        ("L239", "property p { possible tap(_) }"),
        ("L239", "witness p { always every o where o.tapped: no }"),
        ("L236", "property p { always yes }"),
        ("L103", "property p { }"),
        ("L239", "property p { blind p to o when o.tapped: looks }"),
        ("L239", "property p { always every o where o.tapped: o.owner may not tap(o) because law }"),
        ("L239", "property p { always every o where o.tapped: o.owner may look(o) paying {1} }"),
        ("L208", "property p { whenever move(o, to: z): o.tapped }"),
        ("L202", "witness p { possible tap(_) } conjecture p { always yes }"),
    ]);
}

#[test]
fn rulings() {
    refused(&[
        ("L239", "ruling r { given a: bear in stack of A }"),
        ("L239", "ruling r { given a: bear in beneath of A }"),
        ("L202", "ruling r { given a: bear in hand of A given a: bear in hand of B }"),
        ("L202", "ruling r { given active A given active B }"),
        ("L202", "ruling r { given a: bear in battlefield of A, tapped, tapped }"),
        ("L202", "ruling r { given a: bear in battlefield of A, 1 plus, 2 plus }"),
        ("L238", "ruling r { given a: bear in battlefield of A, 99 plus }"),
        ("L201", "ruling r { given a: bear in battlefield of A, face_down as plane by effect }"),
        ("L201", "ruling r { given a: bear in hand of E }"),
        ("L201", "ruling r { given a: bear in hand of A when C does tap(a) }"),
        ("L201", "ruling r { given a: bear in hand of A then C may tap(a) }"),
        ("", "ruling r { given a: bear in hand of C then C may tap(a), B.in_game }"),
        ("L239", "ruling r { when do nap(by: A) given a: bear in hand of A }"),
        ("L239", "ruling r { when do nap(by: A) given active A }"),
        ("L239", "ruling r { when resolve paying {1} }"),
        ("L235", "ruling r { given a: bear in hand of A then A may not tap(a) }"),
        (
            "L302",
            &format!(
                "ruling r {{ {} }}",
                (0..17).map(|i| format!("given g{i}: bear in hand of A ")).collect::<String>()
            ),
        ),
    ]);
}

/// A large program is checked in time that grows with its size, not with its square.
#[test]
fn large_programs() {
    let rule = |i: usize| format!("rule r{i} {{ forbid tap(o) when o.tapped and o.damage == {} }}\n", i % 900);
    let text: String = (0..12_000).map(rule).collect();
    let started = Instant::now();
    assert_eq!(told(&[LAW, &text]).1, "");
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    let same: String = "rule same { }\n".repeat(20_000);
    let started = Instant::now();
    assert_eq!(told(&[&same]).0.len(), 19_999);
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}
