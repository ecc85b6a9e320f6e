//! Verdicts and exit status, from made-up results.
#![allow(clippy::unwrap_used)] // A test that can't be set up fails.

use crate::stage::{good, play, program};
use facedown::judge::play::{Finding, RulingResult, WorldResult};
use facedown::judge::verdict::{Judged, Verdict, as_expected, exit_status, is_deep, judge, winning_status};
use facedown::lang::ast::{PropertyKind, Span};
use facedown::lang::diag::Code;
use facedown::lang::tree::Program;

fn world(program: &Program, name: &str) -> usize {
    program.worlds.iter().position(|w| w.name == name).unwrap()
}

/// The result of a world, changed.
fn result(name: &str, change: impl Fn(&mut WorldResult)) -> WorldResult {
    let program = program();
    let mut result = good(&program, world(&program, name));
    change(&mut result);
    result
}

fn set(result: &mut WorldResult, property: &str, finding: Finding) {
    let at = program().properties.iter().position(|p| p.name == property).unwrap();
    result.findings[at] = Some(finding);
}

fn verdict(property: &str, results: &[WorldResult]) -> Judged {
    let program = program();
    let at = program.properties.iter().position(|p| p.name == property).unwrap();
    judge(&program, results).properties.swap_remove(at)
}

fn status(results: &[WorldResult], rulings: &[RulingResult], differences: &[String]) -> u8 {
    let program = program();
    exit_status(&program, &judge(&program, results), results, rulings, differences)
}

fn stopped(result: &mut WorldResult) {
    result.complete = false;
    result.why = Some("stopped at 1000 states".to_owned());
}

fn no_premise(result: &mut WorldResult) {
    set(result, "stays", Finding::default());
}

fn same(_: &mut WorldResult) {}

#[test]
fn all_worlds_complete_and_a_premise_somewhere() {
    let judged = verdict("stays", &[result("other", no_premise), result("tiny", same)]);
    assert_eq!(judged.verdict, Verdict::Holds);
    assert_eq!(judged.worlds, ["other", "tiny"]);
    assert_eq!(judged.missing, [""; 0]);
}

#[test]
fn no_premise_anywhere_is_vacuous() {
    let results = [result("other", no_premise), result("tiny", no_premise)];
    assert_eq!(verdict("stays", &results).verdict, Verdict::Vacuous);
    assert_eq!(status(&results, &[], &[]), 1);
}

#[test]
fn no_premise_where_a_world_was_not_asked_for_is_left_out() {
    let judged = verdict("stays", &[result("tiny", no_premise)]);
    assert_eq!(judged.verdict, Verdict::LeftOut);
    assert_eq!(judged.why.unwrap(), "nothing decides it without the world other, not asked for");
}

#[test]
fn a_violation_wins_over_everything() {
    let broken = |r: &mut WorldResult| {
        stopped(r);
        set(r, "stays", Finding { violated: Some(play("other")), ..Finding::default() });
    };
    let results = [result("other", broken), result("tiny", stopped)];
    let judged = verdict("stays", &results);
    assert_eq!((judged.verdict, judged.trace), (Verdict::Violated, Some(play("other"))));
    assert_eq!(status(&results, &[], &[]), 1);
}

#[test]
fn the_shortest_play_is_shown_and_of_equals_the_first() {
    let mut long = play("other");
    long.steps.push(long.steps[0].clone());
    let violated = |play: &facedown::judge::play::Play| Finding { violated: Some(play.clone()), ..Finding::default() };
    let results = [
        result("other", |r| set(r, "stays", violated(&long))),
        result("tiny", |r| set(r, "stays", violated(&play("tiny")))),
    ];
    assert_eq!(verdict("stays", &results).trace.unwrap().world, "tiny");
}

#[test]
fn an_incomplete_world_leaves_it_open() {
    let results = [result("other", same), result("tiny", stopped)];
    let judged = verdict("stays", &results);
    assert_eq!(judged.verdict, Verdict::Incomplete);
    assert_eq!(judged.why.unwrap(), "world tiny: stopped at 1000 states");
    assert_eq!(status(&results, &[], &[]), 3);
}

#[test]
fn a_property_of_all_worlds_is_judged_on_those_run() {
    let judged = verdict("stays", &[result("tiny", same)]);
    assert_eq!(
        (judged.verdict, judged.worlds, judged.missing),
        (Verdict::Holds, vec!["tiny".into()], vec!["other".into()])
    );
}

#[test]
fn a_property_that_names_its_worlds_needs_all_of_them() {
    assert_eq!(verdict("both", &[result("tiny", same)]).verdict, Verdict::LeftOut);
    assert_eq!(verdict("both", &[result("tiny", same), result("other", same)]).verdict, Verdict::Holds);
    assert_eq!(verdict("both", &[result("deep-one", same)]).why.unwrap(), "its worlds were not asked for");
}

#[test]
fn deep_worlds_are_in_the_scope_only_where_they_were_run() {
    assert!(is_deep("deep") && is_deep("deep-one") && !is_deep("deeper") && !is_deep("tiny"));
    let two = [result("other", same), result("tiny", same)];
    assert_eq!(verdict("stays", &two).missing, [""; 0]);
    let three = [result("deep-one", stopped), result("other", same), result("tiny", same)];
    assert_eq!(verdict("stays", &three).verdict, Verdict::Incomplete);
}

#[test]
fn witnesses() {
    let none = |r: &mut WorldResult| set(r, "goes-up", Finding::default());
    let reached_late = |r: &mut WorldResult| stopped(r);
    let open = |r: &mut WorldResult| {
        none(r);
        stopped(r);
    };
    assert_eq!(verdict("goes-up", &[result("tiny", same)]).verdict, Verdict::Reached);
    assert_eq!(verdict("goes-up", &[result("tiny", reached_late)]).verdict, Verdict::Reached);
    assert_eq!(verdict("goes-up", &[result("tiny", none)]).verdict, Verdict::Unreached);
    assert_eq!(verdict("goes-up", &[result("tiny", open)]).verdict, Verdict::Incomplete);
    assert_eq!(verdict("goes-up", &[result("other", same)]).verdict, Verdict::LeftOut);
    assert_eq!(status(&[result("tiny", none)], &[], &[]), 1);
}

#[test]
fn conjectures() {
    let none = |r: &mut WorldResult| set(r, "never-up", Finding { premise_reached: true, ..Finding::default() });
    let open = |r: &mut WorldResult| {
        none(r);
        stopped(r);
    };
    assert_eq!(verdict("never-up", &[result("other", same)]).verdict, Verdict::Refuted);
    assert_eq!(verdict("never-up", &[result("other", none)]).verdict, Verdict::Holds);
    assert_eq!(verdict("never-up", &[result("other", open)]).verdict, Verdict::Incomplete);
    assert!(!as_expected(PropertyKind::Conjecture, Verdict::Holds));
    assert_eq!(status(&[result("other", none)], &[], &[]), 1);
}

#[test]
fn an_engine_that_tells_nothing_is_a_fault() {
    let silent = [result("tiny", |r| r.findings.clear())];
    assert_eq!(judge(&program(), &silent).faults.len(), 3);
    assert_eq!(status(&silent, &[], &[]), 4);
}

#[test]
fn status_of_rulings_differences_and_interrupts() {
    let all = [result("other", same), result("tiny", same)];
    let fails = RulingResult { name: "r".into(), failure: Some((Code::L402, Span::default(), "no".into())) };
    assert_eq!(status(&all, &[], &[]), 0);
    assert_eq!(status(&all, &[fails], &[]), 1);
    assert_eq!(status(&all, &[], &["world tiny: 55 states, baseline says 54".into()]), 1);
    let cut = [
        result("other", same),
        result("tiny", |r| {
            stopped(r);
            r.interrupted = true;
        }),
    ];
    assert_eq!(status(&cut, &[], &[]), 130);
}

#[test]
fn where_several_apply() {
    for (applying, wins) in [
        (&[0, 3, 1, 130, 4, 2][..], 2),
        (&[0, 3, 1, 130, 4], 4),
        (&[0, 3, 1, 130], 130),
        (&[0, 3, 1], 1),
        (&[0, 3], 3),
        (&[0], 0),
        (&[], 0),
    ] {
        assert_eq!(winning_status(applying), wins);
    }
}
