//! Changes of the rules, and what the checker must say of each: every file of `tests/whatif/` is a small edit of the
//! text under `model/rules/`, made on a copy of the shipped model and checked through the program itself. The shortest
//! plays are pinned, and `docs/WHATIF.md` is compared with what was found (`UPDATE_GOLDEN=1` rewrites it).
//! With `FACEDOWN_SLOW=1` every edit is also checked in all worlds, with all rulings.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use crate::copied::{Copied, patch, patches};
use facedown::judge::play::Play;
use facedown::judge::verdict::Verdict;
use facedown::report::model::{Kind, PropertyReport, Report};

/// The most lines that an edit adds and takes away.
const EDIT_LINES_MAX: usize = 25;

/// One edit and what must be reported of it.
struct Row {
    /// The name of the patch.
    id: &'static str,
    /// Where it is looked at.
    worlds: &'static [&'static str],
    /// A world that is too big for a quick test, and how many steps are looked ahead there.
    ahead: Option<(&'static str, u32)>,
    /// What must be violated, with the steps of a shortest play.
    breaks: &'static [(&'static str, usize)],
    /// Witnesses and premises that the shipped rules reach in these worlds and the edited ones don't.
    lost: &'static [&'static str],
    /// What must hold, or be reached, all the same.
    kept: &'static [&'static str],
    /// What more is violated if all worlds are explored to their end.
    slow: &'static [&'static str],
    /// What happens under the edit, and not under the shipped rules: a world, a question, the steps of a shortest play.
    plays: &'static [(&'static str, &'static str, usize)],
}

/// Nothing breaks, nothing is lost.
const ROW: Row = Row { id: "", worlds: &[], ahead: None, breaks: &[], lost: &[], kept: &[], slow: &[], plays: &[] };

const ROWS: &[Row] = &[
    Row {
        id: "E01",
        worlds: &["tiny"],
        breaks: &[("look-and-cause-stay", 2), ("turning-down-twice-changes-nothing", 2)],
        kept: &["cloak-lists-ward", "failed-turn-up-changes-nothing"],
        // Cloaked, then made a face-down Cyberman: the ward is gone.
        plays: &[(
            "flips",
            "turn_down(o) when was(o.face_down_by == cloak and o has ward) and o is cyberman and o has no ward",
            2,
        )],
        ..ROW
    },
    Row {
        id: "E02",
        worlds: &["tiny"],
        breaks: &[("enters-abilities-come-from-entering", 2)],
        kept: &[
            "entering-clauses-come-from-entering",
            "flip-taps-nothing",
            "entering-face-down-triggers-nothing-of-its-own",
        ],
        ..ROW
    },
    Row {
        id: "E02b",
        worlds: &["tiny"],
        breaks: &[
            ("enters-abilities-come-from-entering", 2),
            ("entering-clauses-come-from-entering", 2),
            ("flip-taps-nothing", 2),
        ],
        ..ROW
    },
    Row {
        id: "E03",
        worlds: &["tiny", "dropped"],
        breaks: &[
            ("entering-face-down-triggers-nothing-of-its-own", 1),
            ("entering-face-down-is-untapped", 1),
            ("what-is-manifested-is-face-down", 1),
            ("what-is-cloaked-is-face-down", 1),
            ("down-already-as-it-enters", 1),
            ("what-is-put-down-is-face-down-as-it-enters", 1),
        ],
        lost: &[
            "instant-is-asked-to-turn-up",
            "instant-card-enters-face-down",
            "instant-face-down-for-another-reason-is-asked-to-turn-up",
            "failed-turn-up-shows-the-card",
            "failed-turn-up-changes-nothing",
        ],
        ..ROW
    },
    Row {
        id: "E04",
        worlds: &["tiny"],
        breaks: &[
            ("spell-card-is-never-turned-up", 2),
            ("manifested-spell-card-is-never-turned-up", 2),
            ("cloaked-spell-card-is-never-turned-up", 2),
            ("no-spell-card-face-up-on-the-battlefield", 2),
            ("failed-turn-up-shows-the-card", 2),
        ],
        kept: &["no-mana-route-for-a-spell-card"],
        ..ROW
    },
    Row {
        id: "E05",
        worlds: &["tiny", "knowledge"],
        breaks: &[("failed-turn-up-shows-the-card", 2), ("failed-turn-up-tells-everybody", 2)],
        kept: &["spell-card-is-never-turned-up"],
        ..ROW
    },
    Row {
        id: "E06",
        worlds: &["tokens"],
        ahead: Some(("copies", 3)),
        breaks: &[
            ("copy-of-face-down-is-made-face-up", 2),
            ("copy-of-face-down-spell-is-made-face-up", 2),
            ("becoming-a-copy-keeps-the-face", 2),
            ("no-face-comes-up-otherwise", 2),
            ("becoming-a-copy-shows-nothing", 2),
            ("no-spell-card-face-up-on-the-battlefield", 2),
        ],
        ..ROW
    },
    Row {
        id: "E07",
        worlds: &["tiny", "knowledge"],
        ahead: Some(("library", 2)),
        breaks: &[("what-leaves-face-down-is-shown", 2), ("everybody-knows-what-went-to-a-hidden-zone", 2)],
        kept: &["control-and-phasing-reveal-nothing"],
        plays: &[
            ("tiny", "move(o, from: battlefield, to: hand) when was(o.face_down) and not reveal(o)", 2),
            ("tiny", "move(o, from: battlefield, to: graveyard) when was(o.face_down) and not reveal(o)", 2),
            ("library", "move(o, from: battlefield, to: library) when was(o.face_down) and not reveal(o)", 2),
            ("flips", "move(o, from: battlefield, to: exile) when was(o.face_down) and not reveal(o)", 2),
        ],
        ..ROW
    },
    Row {
        id: "E08",
        worlds: &["knowledge"],
        breaks: &[("controller-may-look", 1), ("nobody-else-may-look", 1), ("controller-knows-it", 1)],
        ..ROW
    },
    Row {
        id: "E09",
        worlds: &["tiny", "leaving", "tokens"],
        lost: &[
            "turned-up-for-a-morph-cost-that-it-would-have",
            "forest-turned-up-for-its-morph-cost",
            "token-copy-with-morph-is-turned-up",
            "manifested-card-with-morph-turned-up-for-it",
            "cloaked-card-with-morph-turned-up-for-it",
            "morph-card-turned-down-by-an-effect-is-turned-up",
        ],
        ..ROW
    },
    Row {
        id: "E10",
        worlds: &["weakened", "tokens"],
        ahead: Some(("copies", 3)),
        breaks: &[("no-morph-route-without-morph", 2), ("turned-up-for-a-morph-cost-that-it-would-have", 3)],
        lost: &["token-copy-with-morph-is-turned-up", "copied-morph-turns-it-up"],
        plays: &[
            ("weakened", "turn_up(o, by: morph) when was(o.if_face_up has no morph)", 3),
            ("copies", "turn_up(o, by: morph) when was(o.if_face_up has no morph)", 3),
        ],
        ..ROW
    },
    Row {
        id: "E11",
        worlds: &["tiny"],
        ahead: Some(("copies", 3)),
        breaks: &[("no-mana-route-for-a-noncreature-card", 2), ("manifest-looks-at-the-card-alone", 2)],
        lost: &["creature-card-under-a-noncreature-copy-is-turned-up"],
        plays: &[("copies", "turn_up(o, by: manifest) when o.card is artifact", 3)],
        ..ROW
    },
    Row {
        id: "E12",
        worlds: &["tiny", "double-faced"],
        breaks: &[("two-faces-never-turned-down", 2), ("failed-turn-down-changes-nothing", 2)],
        kept: &["down-never-transforms"],
        ..ROW
    },
    Row {
        id: "E13",
        worlds: &["double-faced"],
        breaks: &[("down-never-transforms", 2), ("turned-up-shows-the-front", 3)],
        kept: &["two-faces-never-turned-down"],
        ..ROW
    },
    Row {
        id: "E14",
        worlds: &["tiny", "casting"],
        breaks: &[("cloak-lists-ward", 1), ("disguise-lists-ward", 1)],
        kept: &["plain-down-has-no-ward"],
        plays: &[
            ("casting", "cast(o) when o.face_down_by == disguise and o.copiable has no ward", 1),
            ("casting", "move(o, to: battlefield) when o.face_down_by == disguise and o.copiable has no ward", 2),
        ],
        ..ROW
    },
    Row {
        id: "E15",
        worlds: &["tiny", "casting"],
        breaks: &[("a-flip-cannot-be-answered", 3)],
        lost: &["flipped-under-split-second"],
        // An opponent answers: the ability waits on the stack, and the card is still face down.
        plays: &[(
            "kept",
            "cast(c, by: q) when (some s where s in stack and s.ability and s.controller != q) and (some o where o in battlefield and o.face_down)",
            3,
        )],
        ..ROW
    },
    Row {
        id: "E16",
        worlds: &["tiny", "kept", "weakened"],
        breaks: &[
            ("flip-makes-no-new-object", 2),
            ("flip-keeps-tapped", 3),
            ("flip-keeps-damage", 3),
            ("flip-keeps-controller", 3),
            ("flip-keeps-targets", 3),
            ("flip-keeps-lost-abilities", 3),
            ("flip-keeps-counters", 3),
        ],
        kept: &["only-what-is-face-down-turns-up"],
        slow: &["flip-keeps-attachments"],
        ..ROW
    },
    Row {
        id: "E17",
        worlds: &["casting"],
        breaks: &[("spell-is-never-turned-up", 2), ("a-face-down-spell-enters-face-down", 3)],
        ..ROW
    },
    Row {
        id: "E18",
        worlds: &["kept"],
        breaks: &[("megamorph-counter-only-for-its-cost", 2)],
        kept: &["megamorph-cost-puts-a-counter"],
        plays: &[
            ("kept", "turn_up(o, by: manifest) when add_counter(o, plus)", 2),
            ("kept", "turn_up(o, by: effect) when add_counter(o, plus)", 2),
        ],
        ..ROW
    },
    Row { id: "E19", worlds: &["tiny"], breaks: &[("nameless-shares-no-name", 1)], ..ROW },
    Row {
        id: "E20",
        worlds: &["tiny", "casting"],
        breaks: &[("mana-value-is-zero", 1)],
        plays: &[
            ("tiny", "enter_face_down(o) when o in battlefield and mana_value(o) > 0", 1),
            ("casting", "cast(o) when o.face_down and mana_value(o) > 0", 1),
        ],
        ..ROW
    },
    Row {
        id: "E21",
        worlds: &["tiny"],
        ahead: Some(("copies", 3)),
        breaks: &[
            ("face-down-looks-as-listed", 2),
            ("becoming-a-copy-shows-nothing", 2),
            ("nameless-shares-no-name", 2),
            ("mana-value-is-zero", 2),
            ("face-down-is-colourless", 2),
        ],
        plays: &[("copies", "turn_down(o) when o.card.name == \"copier\" and o.copiable != o.listed", 2)],
        ..ROW
    },
    Row {
        id: "E22",
        worlds: &["tiny", "leaving"],
        lost: &[
            "forest-turned-up-for-its-morph-cost",
            "manifested-card-with-morph-turned-up-for-it",
            "manifested-card-with-disguise-turned-up-for-it",
            "cloaked-card-with-morph-turned-up-for-it",
            "morph-card-turned-down-by-an-effect-is-turned-up",
        ],
        ..ROW
    },
    Row {
        id: "E23",
        worlds: &["casting"],
        breaks: &[("a-colour-ban-misses-a-face-down-spell", 0), ("a-creature-ban-stops-a-face-down-spell", 0)],
        lost: &["land-card-cast-face-down"],
        ..ROW
    },
    Row {
        id: "E24",
        worlds: &["tiny", "leaving"],
        breaks: &[("hidden-dies-ability-is-silent", 2)],
        kept: &[
            "from-anywhere-does-not-look-back",
            "from-anywhere-ability-is-heard-of-face-down",
            "face-up-dies-ability-is-heard",
        ],
        ..ROW
    },
    Row {
        id: "E25",
        worlds: &["tiny", "casting", "veils"],
        kept: &["veiled-card-is-cast", "veiled-card-is-turned-up"],
        ..ROW
    },
    Row { id: "E26", worlds: &["turns"], lost: &["turned-up-twice-in-one-turn"], ..ROW },
    Row {
        id: "E04b",
        worlds: &["merging"],
        breaks: &[("no-merged-instant-is-turned-up", 4), ("a-failed-attempt-shows-the-pile", 4)],
        lost: &["merged-instant-is-locked"],
        ..ROW
    },
    Row { id: "E12b", worlds: &["merging"], breaks: &[("merged-two-faces-never-turned-down", 4)], ..ROW },
    Row {
        id: "E27",
        worlds: &["merging", "mixed"],
        breaks: &[("a-turn-turns-all-components", 3), ("turned-up-it-is-what-it-would-be", 5)],
        ..ROW
    },
    Row {
        id: "E28",
        worlds: &["merging", "mixed"],
        breaks: &[("merging-is-not-entering", 2), ("enters-abilities-come-from-entering", 4)],
        ..ROW
    },
];

/// Checks a copy and reads the report.
fn check(copied: &Copied, worlds: &[&str], depth: Option<u32>, more: &[&str]) -> (Report, i32) {
    let depth = depth.map(|d| d.to_string());
    let mut words = vec!["--format", "json"];
    worlds.iter().for_each(|world| words.extend(["--world", world]));
    if let Some(depth) = &depth {
        words.extend(["--limit-depth", depth]);
    }
    words.extend(more);
    let out = copied.facedown("check", &words);
    let report = serde_json::from_slice(&out.stdout)
        .unwrap_or_else(|e| panic!("{words:?} prints no report: {e}\n{}", String::from_utf8_lossy(&out.stderr)));
    (report, out.status.code().expect("an exit status"))
}

fn sentence(id: &str) -> String {
    patch(id).split("\n--- ").next().unwrap_or_default().trim().to_owned()
}

/// What the shipped rules come to in one world.
fn shipped(world: &str, depth: Option<u32>) -> Arc<Report> {
    type Once = Arc<OnceLock<Arc<Report>>>;
    static REPORTS: Mutex<BTreeMap<(String, Option<u32>), Once>> = Mutex::new(BTreeMap::new());
    let once = Arc::clone(REPORTS.lock().expect("nothing panics here").entry((world.to_owned(), depth)).or_default());
    Arc::clone(once.get_or_init(|| {
        let (report, status) = check(&Copied::new().without_rulings(), &[world], depth, &[]);
        let expected = if depth.is_some() { 3 } else { 0 };
        assert_eq!(status, expected, "the shipped rules in world {world}: {}", report.summary.sentence);
        Arc::new(report)
    }))
}

/// What was found of an edit.
struct Outcome {
    /// What is violated, with a shortest play.
    violated: BTreeMap<String, Play>,
    /// What the shipped rules reach in the same worlds and the edited ones don't.
    lost: BTreeSet<String>,
}

fn outcome(row: &'static Row) -> Arc<Outcome> {
    static OUTCOMES: [OnceLock<Arc<Outcome>>; ROWS.len()] = [const { OnceLock::new() }; ROWS.len()];
    let at = ROWS.iter().position(|r| r.id == row.id).expect("a row");
    Arc::clone(OUTCOMES[at].get_or_init(|| Arc::new(look(row))))
}

/// What a property speaks of happened, a witness was found, or a conjecture refuted.
fn reached(p: &PropertyReport) -> bool {
    p.trace.is_some() || p.kind == Kind::Invariant && p.premise_reached
}

/// Checks the edited copy, and everything that the row says of it.
fn look(row: &Row) -> Outcome {
    let id = row.id;
    let copied = Copied::edited(id).without_rulings();
    let (report, status) = check(&copied, row.worlds, None, &["--traces", "traces"]);
    assert!(report.worlds.iter().all(|w| w.complete), "{id}: {:?}", report.worlds);
    let mut reports = vec![(report, "traces")];
    let mut statuses = vec![status];
    if let Some((world, depth)) = row.ahead {
        let (report, status) = check(&copied, &[world], Some(depth), &["--traces", "traces-ahead"]);
        reports.push((report, "traces-ahead"));
        statuses.push(status);
    }
    let all_is_well = row.breaks.is_empty() && row.lost.is_empty();
    assert!(statuses.contains(&i32::from(!all_is_well)), "{id}: statuses {statuses:?}");

    let mut violated: BTreeMap<String, (Play, &str)> = BTreeMap::new();
    let mut here = BTreeSet::new();
    for (report, traces) in &reports {
        assert_eq!(report.faults, Vec::<String>::new(), "{id}");
        for p in &report.properties {
            if reached(p) {
                here.insert(p.name.clone());
            }
            if p.verdict == Verdict::Violated {
                let play = p.trace.clone().unwrap_or_else(|| panic!("{id}: {} has no play", p.name));
                let shorter = violated.get(&p.name).is_none_or(|(other, _)| play.steps.len() < other.steps.len());
                if shorter {
                    violated.insert(p.name.clone(), (play, traces));
                }
            }
        }
    }
    let told: Vec<_> = violated.iter().map(|(name, (play, _))| (name, play.steps.len())).collect();
    for (name, steps) in row.breaks {
        let (play, traces) =
            violated.get(*name).unwrap_or_else(|| panic!("{id} leaves {name} alone, and breaks {told:?}"));
        assert_eq!(play.steps.len(), *steps, "{id}: the shortest play that breaks {name}; all: {told:?}");
        assert!(play.steps.iter().all(|s| !s.events.is_empty() && !s.replay.is_empty()), "{id}: {play:?}");
        let replayed = copied.facedown("play", &[&format!("{traces}/{name}.json")]);
        assert_eq!(replayed.status.code(), Some(0), "{id}: replay of {name}: {replayed:?}");
    }
    assert!(!row.breaks.is_empty() || violated.is_empty(), "{id} should violate nothing, and breaks {told:?}");

    let new_worlds = patch(id);
    let whole =
        row.worlds.iter().map(|world| (*world, None)).chain(row.ahead.map(|(world, depth)| (world, Some(depth))));
    let before: BTreeSet<String> = whole
        .filter(|(world, _)| !new_worlds.contains(&format!("+world {world} ")))
        .flat_map(|(world, depth)| {
            let report = shipped(world, depth);
            report.properties.iter().filter(|p| reached(p)).map(|p| p.name.clone()).collect::<Vec<_>>()
        })
        .collect();
    let lost: BTreeSet<String> = before.difference(&here).cloned().collect();
    for name in row.lost {
        assert!(lost.contains(*name), "{id} should lose {name}, and loses {lost:?}");
    }
    assert!(!all_is_well || lost.is_empty(), "{id} loses {lost:?}");
    for name in row.kept {
        assert!(here.contains(*name) && !violated.contains_key(*name), "{id} should keep {name}");
    }
    for (world, question, steps) in row.plays {
        // Long enough for the play, and no longer: some of these worlds are big.
        let depth = steps.to_string();
        let words = ["--format", "json", "--world", world, "--limit-depth", &depth, question];
        let out = copied.facedown("witness", &words);
        let play: Option<Play> = serde_json::from_slice(&out.stdout)
            .unwrap_or_else(|e| panic!("{id}: {words:?}: {e}\n{}", String::from_utf8_lossy(&out.stderr)));
        let play = play.unwrap_or_else(|| panic!("{id}: {words:?} is not reached"));
        assert_eq!(play.steps.len(), *steps, "{id}: {words:?}");
        let out = Copied::new().without_rulings().facedown("witness", &words);
        assert_eq!(String::from_utf8_lossy(&out.stdout).trim(), "null", "{id}: {words:?} under the shipped rules");
    }
    Outcome { violated: violated.into_iter().map(|(name, (play, _))| (name, play)).collect(), lost }
}

macro_rules! rows {
    ($($name:ident $id:literal),* $(,)?) => {
        $(#[test]
        fn $name() {
            outcome(ROWS.iter().find(|row| row.id == $id).expect("a row"));
        })*

        #[test]
        fn every_patch_has_a_row_and_every_row_a_test() {
            let tests = BTreeSet::from([$($id),*]);
            let rows: BTreeSet<_> = ROWS.iter().map(|row| row.id).collect();
            assert_eq!(tests, rows);
            let mut files = BTreeSet::new();
            for entry in fs::read_dir(patches()).expect("the patches") {
                let name = entry.expect("a name").file_name().into_string().expect("UTF-8");
                files.insert(name.strip_suffix(".patch").unwrap_or(&name).to_owned());
            }
            assert_eq!(files, rows.iter().map(|id| (*id).to_owned()).collect());
            for id in rows {
                let text = patch(id);
                let hunks = text.lines().skip_while(|line| !line.starts_with("--- "));
                let changed = hunks.filter(|l| l.starts_with(['+', '-']) && !l.starts_with("+++ ") && !l.starts_with("--- "));
                let changed = changed.count();
                assert!((1..=EDIT_LINES_MAX).contains(&changed), "{id}.patch changes {changed} lines");
            }
        }
    };
}

rows! {
    e01 "E01", e02 "E02", e02b "E02b", e03 "E03", e04 "E04", e05 "E05", e06 "E06", e07 "E07", e08 "E08", e09 "E09",
    e10 "E10", e11 "E11", e12 "E12", e13 "E13", e14 "E14", e15 "E15", e16 "E16", e17 "E17", e18 "E18", e19 "E19",
    e20 "E20", e21 "E21", e22 "E22", e23 "E23", e24 "E24", e25 "E25", e26 "E26", e04b "E04b", e12b "E12b", e27 "E27",
    e28 "E28",
}

/// In words, the report of an edit ends with the play, and says how to play it again.
#[test]
fn a_trace_is_printed_for_people_too() {
    let out = Copied::edited("E01").without_rulings().facedown("check", &["--world", "tiny"]);
    let text = String::from_utf8(out.stdout).expect("UTF-8");
    assert_eq!(out.status.code(), Some(1), "{text}");
    for words in ["look-and-cause-stay", "1. A: ", "2. A: turn_any_down", "replay: facedown play --model model"] {
        assert!(text.contains(words), "{words:?} is missing in\n{text}");
    }
}

#[test]
fn the_table_is_what_was_found() {
    let mut text = String::from(TABLE_HEAD);
    for row in ROWS {
        let found = outcome(row);
        let rank = |name: &str| row.breaks.iter().position(|(n, _)| *n == name).unwrap_or(usize::MAX);
        let mut broken: Vec<_> = found.violated.iter().collect();
        broken.sort_by_key(|(name, play)| (rank(name), play.steps.len(), *name));
        let mut breaks: Vec<String> =
            broken.iter().map(|(name, play)| format!("`{name}` ({})", play.steps.len())).collect();
        breaks.extend(found.lost.iter().map(|name| format!("*`{name}`*")));
        if breaks.is_empty() {
            breaks.push("nothing".to_owned());
        }
        let play = broken.first().map_or_else(String::new, |(_, play)| told(play));
        let link = format!("[{0}](../tests/whatif/{0}.patch)", row.id);
        let cells =
            [link.as_str(), &sentence(row.id), &breaks.join("<br>"), &play].map(|cell| cell.replace('|', "\\|"));
        writeln!(text, "| {} |", cells.join(" | ")).expect("a string takes it");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/WHATIF.md");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        assert!(std::env::var_os("CI").is_none_or(|v| v.is_empty()), "nothing is rewritten where CI is set");
        fs::write(&path, &text).expect("docs/WHATIF.md");
    }
    let pinned = fs::read_to_string(&path).unwrap_or_default();
    assert!(pinned == text, "docs/WHATIF.md is not what was found; UPDATE_GOLDEN=1 rewrites it. Found:\n{text}");
}

const TABLE_HEAD: &str = "# What breaks when a rule changes

Each row is a small edit of the text under `model/rules/`, which stands as a patch in `tests/whatif/`. The test makes it on a
copy of the shipped model and runs `facedown check` on the worlds that matter. The third column lists the properties that are
then violated, with the steps of a shortest play, and *in italics* the witnesses and premises that the shipped rules reach
in these worlds and the edited ones don't. The worlds `copies` and `library` are big, and only a few steps are looked ahead
there. The last column is the play that breaks the property named first.

This page is written by `UPDATE_GOLDEN=1 cargo test --test copies whatif`, and compared by every run of the test.
`FACEDOWN_SLOW=1 cargo test --release --test copies whatif` also checks each edit in all worlds, with all rulings.

| id | edit | breaks (steps), *loses* | a shortest play |
| --- | --- | --- | --- |
";

/// `morpher in library of A: A: manifest_top; A: turn_any_up`
fn told(play: &Play) -> String {
    let steps: Vec<String> = play
        .steps
        .iter()
        .map(|step| {
            let mut out = step.player.as_ref().map_or_else(String::new, |player| format!("{player}: "));
            out.push_str(&step.action);
            if let Some(cost) = &step.cost {
                write!(out, ", paying {cost}").expect("a string takes it");
            }
            if !step.choices.is_empty() {
                write!(out, ", choosing {}", step.choices.join(", ")).expect("a string takes it");
            }
            out
        })
        .collect();
    let steps = if steps.is_empty() { "it is so at the start".to_owned() } else { steps.join("; ") };
    format!("{}: {}. {steps}", play.world, play.start.join(", "))
}

/// Every edit in all worlds, with all rulings: minutes, not seconds.
#[test]
fn slow_every_edit_in_all_worlds() {
    if std::env::var_os("FACEDOWN_SLOW").is_none_or(|v| v.is_empty()) {
        return;
    }
    for row in ROWS {
        let (report, status) = check(&Copied::edited(row.id), &[], None, &[]);
        assert_eq!(report.faults, Vec::<String>::new(), "{}", row.id);
        let all_is_well = row.breaks.is_empty() && row.lost.is_empty();
        assert_eq!(status, i32::from(!all_is_well), "{}: {}", row.id, report.summary.sentence);
        for p in report.properties.iter().filter(|p| p.verdict == Verdict::Violated) {
            assert!(!row.breaks.is_empty(), "{} should violate nothing, and breaks {}", row.id, p.name);
        }
        let failed = |name: &str| report.properties.iter().any(|p| p.name == name && !p.as_expected);
        for name in row.breaks.iter().map(|(name, _)| name).chain(row.slow) {
            assert!(failed(name), "{}: {name} is no failure in all worlds together", row.id);
        }
        for name in row.lost {
            assert!(failed(name), "{}: {name} is reached in another world", row.id);
        }
        eprintln!("{}: {}", row.id, report.summary.sentence);
    }
}
