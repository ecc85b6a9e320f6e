//! The parser, the formatter and the shown diagnostics: text in, text out. It knows no meaning of any name.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use facedown::lang::ast::{ClauseKind, Item};
use facedown::lang::diag::{Diag, render};
use facedown::lang::source::Sources;
use facedown::lang::{fmt, lex, parse};
use proptest::prelude::*;

const FIXTURE: &str = include_str!("fixtures/every_production.rules");

/// What a user is shown for a text.
fn shown(text: &str) -> String {
    let mut sources = Sources::default();
    let file = sources.add("a.rules", text);
    let (_, diags) = parse::parse(file, text);
    render(&sources, &diags, false)
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let shown = shown(text);
    assert_eq!(shown.trim_end(), expected.trim_matches('\n'), "\n{shown}");
}

/// One line for each finding: line, column, code, message and help.
#[track_caller]
fn check_brief(text: &str, expected: &[&str]) {
    let mut sources = Sources::default();
    let file = sources.add("a.rules", text);
    let line = |d: &Diag| {
        let (line, column) = sources.line_column(d.span.file, d.span.start);
        let help = d.help.as_ref().map_or(String::new(), |h| format!("; {h}"));
        format!("{line}:{column} {} {}{help}", d.code.as_str(), d.message)
    };
    let found: Vec<String> = parse::parse(file, text).1.iter().map(line).collect();
    assert_eq!(found, expected, "\n{found:#?}");
}

/// The tree of an expression without places and wrappers, from the text of its `Debug`.
fn bare(debug: &str) -> String {
    let (mut out, mut rest, mut open) = (String::new(), debug, Vec::new());
    while let Some(next) = rest.chars().next() {
        let wrapper = ["Expr { kind: ", "Ident { text: "].into_iter().find(|w| rest.starts_with(w));
        let span = rest.strip_prefix(", span: Span {").and_then(|r| r.split_once(" }"));
        if let Some((_, after)) = span {
            rest = after;
        } else if let Some(wrapper) = wrapper {
            open.push(false);
            rest = &rest[wrapper.len()..];
        } else if next == '"' {
            let end = rest[1..].find('"').map_or(rest.len(), |at| at + 2);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
        } else if rest.starts_with(" }") {
            if open.pop() == Some(true) {
                out.push_str(" }");
            }
            rest = &rest[2..];
        } else {
            if next == '{' {
                open.push(true);
            }
            out.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    out
}

#[track_caller]
fn check_expr(text: &str, expected: &str) {
    let (file, diags) = parse::parse(0, &format!("rule r {{ define f(): Bool = {text} }}"));
    assert_eq!(diags, [], "{text}");
    let Some(Item::Rule(rule)) = file.items.first() else { panic!("no rule") };
    let Some(ClauseKind::Define(_, _, _, expr)) = rule.clauses.first().map(|c| &c.kind) else { panic!("no define") };
    assert_eq!(bare(&format!("{expr:?}")), expected);
}

#[track_caller]
fn check_format(text: &str, expected: &str) {
    assert_eq!(fmt::format(text).as_deref(), Ok(expected));
    assert_eq!(fmt::format(expected).as_deref(), Ok(expected), "not idempotent");
}

#[test]
fn every_production_parses() {
    assert_eq!(shown(FIXTURE), "");
    let (file, _) = parse::parse(0, FIXTURE);
    assert_eq!(file.items.len(), 20);
    let clauses = file.items.iter().find_map(|i| match i {
        Item::Rule(r) => Some(r.clauses.len()),
        _ => None,
    });
    assert_eq!(clauses, Some(24));
}

#[test]
fn precedence() {
    check_expr("not a and b or c == d", r#"Or([And([Not(Name("a")), Name("b")]), Cmp(Eq, Name("c"), Name("d"))])"#);
    check_expr(
        "some c where a or c.b(d)",
        r#"Quant { kind: Some, name: "c", ty: None, filter: Or([Name("a"), Method(Name("c"), "b", [Arg { label: None, value: Expr(Name("d")) }])]), body: None }"#,
    );
    check_expr(
        "o is not a | b and o not in hand",
        r#"And([Is(Name("o"), true, ["a", "b"]), In(Name("o"), true, "hand")])"#,
    );
    check_expr("o.now but has x but is y", r#"But(But(Field(Name("o"), "now"), Has("x", None)), IsAlso("y"))"#);
}

#[test]
fn mana_is_no_block() {
    check_expr(
        "value({2}{G}) == 3",
        r#"Cmp(Eq, Call(Call { name: "value", args: [Arg { label: None, value: Expr(Mana("{2}{G}")) }] }), Number(3))"#,
    );
    check_brief("rule r { cost c(p: Player) {X} }", &["1:28 L103 expected `{`, found `{X}`"]);
}

#[test]
fn a_misspelt_word_is_named() {
    check(
        "rule r {\n  forbidd turn_down(o)\n}\n",
        r"
error[L103]: expected a clause or `}`, found `forbidd`
 --> a.rules:2:3
  |
2 |   forbidd turn_down(o)
  |   ^^^^^^^
  |
  = help: did you mean `forbid`?",
    );
}

#[test]
fn all_mistakes_of_a_file_are_told() {
    check_brief(
        "rule a cite 708.2b {\n  says en \"unclosed\n  forbid f(o) when o is when\n  permit p on o when (a: look(o)\n  \
         check a when a < b < c: cease(a)\n  as q(p): chose x by p: f()\n  event e(o) = move(o) when x\n}\nforbid f()\n\
         ruling r {\n  given x: \"A\" in stack of A, taped\n  wen resolve\n}\nproperty p { says en \"x\" }\n\
         property q { always a  always b }\nworld w { cap stack 99999999999 }\ncard \"X\": land { view f = front }\n\
         edition 2022-02-30\nrul z { }\n",
        &[
            "1:8 L103 expected `{`, found `cite`; did you mean `cites`?",
            "2:11 L102 this string does not end on its line; close it with `\"`",
            "3:25 L103 expected a type, supertype, colour or subtype, found `when`",
            "4:24 L103 expected `)`, found `:`",
            "5:22 L103 expected the end of the comparison, found `<`; compare two things at a time, and join the comparisons with `and`",
            "6:12 L103 expected a statement, found `chose`; did you mean `choose`?",
            "7:24 L103 expected a clause or `}`, found `when`; an event has no guard: put it into the clauses that name the event",
            "9:1 L103 expected an item, found `forbid`; a clause stands inside `rule NAME { … }`",
            "11:31 L103 expected `face_down as …`, `tapped`, `under …` or counters, found `taped`; did you mean `tapped`?",
            "12:3 L103 expected a line of a ruling or `}`, found `wen`; did you mean `when`?",
            "14:10 L103 expected a claim in `p`, found none; a claim starts with `always`, `whenever`, `possible` or `blind`",
            "15:24 L103 expected `}`, found `always`; a property claims one thing: join claims with `and`, or write another property",
            "16:21 L238 the number `99999999999` is out of range",
            "17:18 L239 `view` can't stand on a card; put it into a rule",
            "18:9 L106 `2022-02-30` is not a day of the calendar; write it as 2026-08-07",
            "19:1 L103 expected an item, found `rul`; did you mean `rule`?",
        ],
    );
}

#[test]
fn a_forgotten_brace_costs_one_item() {
    check_brief(
        "rule a {\n  forbid f()\nrule b {\n  forbid g(\n}\n",
        &[
            "3:1 L103 expected `}`, found `rule`; the `{` of line 1 is not closed",
            "5:1 L103 expected an expression, found `}`",
        ],
    );
    check_brief("rule a {", &["1:9 L103 expected `}`, found the end of the file; the `{` of line 1 is not closed"]);
}

#[test]
fn stray_characters_and_words() {
    check_brief(
        "rule à { }",
        &["1:6 L101 this character belongs to no word: `à`", "1:8 L103 expected the name of a rule, found `{`"],
    );
    check_brief(
        "rule già { }",
        &["1:6 L101 the character `à` belongs to no word; names have letters of ASCII, digits, `_` and `-`"],
    );
    check_brief(
        "rule r cites 708.2bc { }",
        &["1:14 L221 `708.2bc` is no number of the Comprehensive Rules; write it as 708.2b"],
    );
    check_brief("edition 2026-8-7", &["1:9 L106 `2026-8-7` is not a day of the calendar; write it as 2026-08-07"]);
}

#[test]
fn a_large_file_is_refused() {
    let text = " ".repeat(lex::FILE_BYTES_MAX + 1);
    check_brief(&text, &["1:1 L104 the file is larger than the limit 1048576 bytes; split it into several files"]);
    check_brief(&text[1..], &[]);
}

/// Nesting without end is told once, and overflows nothing.
#[test]
fn deep_nesting_is_refused() {
    let bodies =
        ["(", "not ", "f(", "some x where ", "every x where y: ", "count x where ", "was(", "o but has k({1} + f("];
    for part in bodies {
        let text = format!("rule r {{ define f(): Bool = {} }}", part.repeat(10_000));
        let codes: Vec<_> = parse::parse(0, &text).1.iter().map(|d| d.code.as_str()).collect();
        assert!(codes.contains(&"L105") && codes.len() < 3, "{part} {codes:?}");
    }
    for part in ["if a: ", "{ ", "if a: { ", "each x: ", "f() then ", "f() then { ", "p may { "] {
        let text = format!("rule r {{ as f(): {} }}", part.repeat(10_000));
        let codes: Vec<_> = parse::parse(0, &text).1.iter().map(|d| d.code.as_str()).collect();
        assert!(!codes.is_empty() && codes.len() < 3, "{part} {codes:?}");
    }
    for (first, part) in [("a", ".b"), ("a", ".b()"), ("a", " but has k"), ("a", ".b.c(d)")] {
        let text = format!("rule r {{ define f(): Bool = {first}{} }}", part.repeat(10_000));
        let codes: Vec<_> = parse::parse(0, &text).1.iter().map(|d| d.code.as_str()).collect();
        assert_eq!(codes, ["L105"], "{part}");
    }
    let wide = format!("rule r {{ define f(): Bool = a{} }}", " and b".repeat(10_000));
    assert_eq!(parse::parse(0, &wide).1, []);
}

#[test]
fn the_fixture_is_formatted() {
    check_format(FIXTURE, FIXTURE);
}

#[test]
fn spaces_are_put_right() {
    check_format("", "");
    check_format("\u{feff}\r\n\n# only a comment  \r\n\n", "# only a comment\n");
    check_format(
        "rule   r  cites 708.2b{\n\n\n\n    says en   \"x\"\nforbid f( o )when o . x( a,b )==1 and\no is a|b   # why\n\
         as f(_):{\n  # inside\nif(a):\ng( {2} {G} )\n   }\n # last\n}",
        "rule   r cites 708.2b {\n\n  says en   \"x\"\n  forbid f(o) when o.x(a, b) == 1 and\n      o is a | b   # why\n  \
         as f(_): {\n    # inside\n    if (a):\n      g({2}{G})\n  }\n  # last\n}\n",
    );
}

#[test]
fn what_does_not_parse_is_not_formatted() {
    let codes: Vec<_> = fmt::format("rule {").err().into_iter().flatten().map(|d| d.code.as_str()).collect();
    assert_eq!(codes, ["L103"]);
}

#[test]
fn diagnostics_are_shown_in_order_and_in_colour() {
    let mut sources = Sources::default();
    let late = sources.add("b.rules", "rul x");
    let early = sources.add("a.rules", "rule \"é\"\nx");
    let mut diags = parse::parse(late, "rul x").1;
    diags.extend(parse::parse(early, "rule \"é\"\nx").1);
    let plain = render(&sources, &diags, false);
    let places: Vec<_> = plain.lines().filter(|l| l.contains("-->")).map(str::trim).collect();
    assert_eq!(places, ["--> a.rules:1:6", "--> b.rules:1:1"]);
    diags.reverse();
    assert_eq!(render(&sources, &diags, false), plain);
    assert!(render(&sources, &diags, true).contains("\u{1b}["));
}

/// The time to read a file grows with its length, not with its square, however wrong it is.
#[test]
fn a_wrong_file_is_read_in_time() {
    for part in ["rule a {\n", "rule a{x}", "\"\n", "forbid ", "rule a { forbid f(", "card \"a\":\n", "}"] {
        let text = part.repeat(lex::FILE_BYTES_MAX / part.len());
        let started = std::time::Instant::now();
        assert!(!parse::parse(0, &text).1.is_empty(), "{part}");
        assert!(started.elapsed().as_secs() < 20, "{part} took {:?}", started.elapsed());
    }
}

/// Everything that must be true of any text at all.
fn holds_of(text: &str) {
    let (_, diags) = parse::parse(0, text);
    for diag in &diags {
        let (start, end) = (diag.span.start as usize, diag.span.end as usize);
        assert!(start <= end && text.get(start..end).is_some(), "{diag:?}");
    }
    assert_eq!(shown(text).is_empty(), diags.is_empty());
    let Ok(formatted) = fmt::format(text) else { return assert!(!diags.is_empty()) };
    let words = |text| lex::lex(0, text).0.into_iter().map(|t| (t.kind, t.text.to_owned())).collect::<Vec<_>>();
    assert_eq!(words(text), words(&formatted), "the formatter changed a token");
    assert_eq!(fmt::format(&formatted).as_ref(), Ok(&formatted), "not idempotent");
    assert!(!formatted.contains(" \n") && !formatted.contains("\n\n\n"), "{formatted}");
}

/// The tokens of the fixture, and what stands between them.
fn pieces() -> Vec<&'static str> {
    let (tokens, _) = lex::lex(0, FIXTURE);
    let mut pieces = Vec::new();
    for pair in tokens.windows(2) {
        pieces.push(pair[0].text);
        pieces.push(&FIXTURE[pair[0].span.end as usize..pair[1].span.start as usize]);
    }
    pieces
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in any::<String>()) {
        holds_of(&text);
    }

    #[test]
    fn any_soup(picks in prop::collection::vec((0_usize..2000, 0_usize..4), 0..120)) {
        let pieces = pieces();
        let glue = [" ", "", "\n", "  # note\n"];
        let soup: String = picks.iter().flat_map(|(p, g)| [pieces[p % pieces.len()], glue[*g]]).collect();
        holds_of(&soup);
        holds_of(&format!("rule r {{ {soup} }}"));
    }

    #[test]
    fn any_slip(slips in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0_u8..3), 1..4)) {
        let mut pieces = pieces();
        for (at, other, slip) in slips {
            let (at, other) = (at.index(pieces.len()), other.index(pieces.len()));
            match slip {
                0 => pieces[at] = "",
                1 => pieces[at] = pieces[other],
                _ => pieces.swap(at, other),
            }
        }
        holds_of(&pieces.concat());
    }

    #[test]
    fn any_line_breaks(breaks in prop::collection::vec(0_u8..12, 2000)) {
        let text: String = pieces()
            .iter()
            .zip(breaks)
            .enumerate()
            .map(|(at, (piece, breaks))| match breaks {
                0 if at % 2 == 1 => "\n",
                1 if at % 2 == 1 && !piece.is_empty() && !piece.contains('\n') => "    ",
                2 if at % 2 == 1 => " # note\n",
                _ => piece,
            })
            .collect();
        holds_of(&text);
    }
}
