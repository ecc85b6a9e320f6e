//! What became of the mutants of the law, and as text. It judges nothing: which mutant is killed, and by what, it is
//! told.

mod pages;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::survivors::Survivor;
use super::text::grouped;
use crate::judge::mutants::{Fate, Killer, Tried};
use crate::judge::verdict::{STATUS_FAILED, STATUS_INCOMPLETE, STATUS_OK, Verdict, winning_status};
use crate::lang::ast::PropertyKind;
use crate::lang::mutants::{Kind, Mutant};
use crate::lang::source::Sources;
use crate::lang::tree::Program;
pub use pages::{html, markdown};

/// All of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Report {
    /// Edition of the law.
    pub edition: Option<String>,
    /// The worlds in which mutants are tried, with their states, smallest first.
    pub worlds: Vec<(String, u64)>,
    /// Worlds that are not run, and why.
    pub worlds_left_out: Vec<(String, String)>,
    /// Rules and keywords that are not in force and so have no mutants, each with the reason.
    pub out_of_force: Vec<(String, String)>,
    /// Rules that are tools of the worlds, and so have no mutants.
    pub tools: Vec<String>,
    /// By kind of edit: how many are programs, and how many of those are killed.
    pub kinds: Vec<(String, usize, usize)>,
    /// By rule or keyword, sorted.
    pub rules: Vec<Row>,
    /// Every mutant that is a program, sorted by name.
    pub mutants: Vec<MutantReport>,
    /// Edits that are no program, by name.
    pub no_programs: Vec<String>,
    /// Invariants that no mutant breaks; told only where all mutants were tried, and all that kills them was asked.
    pub never_broken: Option<Vec<String>>,
    /// Mutants that are programs.
    pub tried: usize,
    /// Those that are killed.
    pub killed: usize,
    /// What is wrong with the list of survivors: one that is missing, or need not be there.
    pub faults: Vec<String>,
    /// The exit status.
    pub exit_status: u8,
}

/// A row of the matrix.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Row {
    /// The rule or keyword.
    pub rule: String,
    /// Its mutants that are programs.
    pub tried: usize,
    /// Those that are killed.
    pub killed: usize,
    /// Those that rulings kill, or that can't be stated any more.
    pub by_rulings: usize,
    /// Those that worlds kill by a cap or a fault.
    pub by_worlds: usize,
    /// By property: how many of its mutants that kills, and the shortest play.
    pub by_property: BTreeMap<String, (usize, Option<u32>)>,
}

/// A mutant that is a program.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MutantReport {
    /// Its name.
    pub name: String,
    /// What was done.
    pub kind: String,
    /// `model/rules/face-down.rules:31`
    pub place: String,
    /// The lines as they are, with one space wherever there are some.
    pub from: String,
    /// The lines as they become.
    pub to: String,
    /// `killed`, `survived` or `not_tried`.
    pub fate: String,
    /// What kills it.
    pub killers: Vec<KillerReport>,
    /// What decided nothing.
    pub undecided: Vec<String>,
    /// Why it survives, as explained.
    pub explained: Option<String>,
}

/// What kills a mutant.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KillerReport {
    /// The ruling, property, witness, conjecture or world.
    pub name: String,
    /// `fails`, `violated`, `vacuous`, `unreached`, `holds`, `unsaid`, `cap` or a code.
    pub verdict: String,
    /// The world that shows it.
    pub world: Option<String>,
    /// Length of the shortest play, or of the ruling.
    pub steps: Option<u32>,
}

/// What was found.
pub struct Findings<'a> {
    /// The texts.
    pub sources: &'a Sources,
    /// The law as it is.
    pub program: &'a Program,
    /// What became of each mutant.
    pub tried: &'a [Tried],
    /// The worlds, smallest first.
    pub worlds: Vec<(String, u64)>,
    /// Those left out.
    pub worlds_left_out: &'a [(String, String)],
    /// Rules that are tools of the worlds.
    pub tools: &'a BTreeSet<String>,
    /// Whether these are all mutants, so that what is explained and not found is gone.
    pub whole: bool,
    /// Names of all mutants that there are, tried or not.
    pub known: &'a BTreeSet<String>,
    /// Whether all was asked that may kill a mutant, not only the first.
    pub matrix: bool,
    /// The page of survivors: its path, and what stands on it.
    pub explained: (&'a str, &'a [Survivor]),
}

impl Report {
    /// Puts together what was found.
    pub fn new(f: &Findings) -> Report {
        let reasons: BTreeMap<&str, &str> =
            f.explained.1.iter().map(|s| (s.name.as_str(), s.reason.as_str())).collect();
        let mut kinds: BTreeMap<Kind, (usize, usize)> = BTreeMap::new();
        let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
        let (mut mutants, mut no_programs) = (Vec::new(), Vec::new());
        for t in f.tried {
            if let Fate::NoProgram(..) = t.fate {
                no_programs.push(t.mutant.name.clone());
                continue;
            }
            let killed = matches!(t.fate, Fate::Killed(_));
            let count = kinds.entry(t.mutant.kind).or_default();
            *count = (count.0 + 1, count.1 + usize::from(killed));
            rows.entry(&t.mutant.owner).or_insert_with(|| Row::new(&t.mutant.owner)).add(&t.fate);
            mutants.push(MutantReport::new(f.sources, t, reasons.get(t.mutant.name.as_str()).copied()));
        }
        let tried = mutants.len();
        let killed = mutants.iter().filter(|m| m.fate == "killed").count();
        let broken = mutants.iter().flat_map(|m| &m.killers).filter(|k| k.verdict == Verdict::Violated.as_str());
        let broken: BTreeSet<String> = broken.map(|k| k.name.clone()).collect();
        let invariants = f.program.properties.iter().filter(|p| p.kind == PropertyKind::Property);
        let never_broken = invariants.map(|p| p.name.clone()).filter(|n| !broken.contains(n));
        let faults = faults(f, &mutants);
        let open = mutants.iter().any(|m| m.fate == "not_tried");
        let status = [
            if faults.is_empty() { STATUS_OK } else { STATUS_FAILED },
            if open { STATUS_INCOMPLETE } else { STATUS_OK },
        ];
        let laws = f.program.left_out.iter().filter(|(kind, ..)| kind == "rule" || kind == "keyword");
        Report {
            edition: f.program.edition.map(|d| format!("{:04}-{:02}-{:02}", d.year, d.month, d.day)),
            worlds: f.worlds.clone(),
            worlds_left_out: f.worlds_left_out.to_vec(),
            out_of_force: laws.map(|(kind, name, why)| (format!("{kind} {name}"), why.clone())).collect(),
            tools: f.tools.iter().cloned().collect(),
            kinds: kinds.into_iter().map(|(k, (n, killed))| (k.as_str().to_owned(), n, killed)).collect(),
            rules: rows.into_values().collect(),
            mutants,
            no_programs,
            never_broken: (f.whole && f.matrix).then(|| never_broken.collect()),
            tried,
            killed,
            faults,
            exit_status: winning_status(&status),
        }
    }

    /// `96.3`, rounded down.
    pub fn rate(&self) -> String {
        let thousandths = (self.killed * 1000).checked_div(self.tried).unwrap_or(1000);
        format!("{}.{}", thousandths / 10, thousandths % 10)
    }

    /// The one line that says it all.
    pub fn sentence(&self) -> String {
        let (tried, killed) = (grouped(self.tried as u64), grouped(self.killed as u64));
        format!(
            "{killed} of {tried} mutants killed ({} %), {} survive; {} edits are no program",
            self.rate(),
            grouped(self.mutants.iter().filter(|m| m.fate == "survived").count() as u64),
            grouped(self.no_programs.len() as u64)
        )
    }
}

fn faults(f: &Findings, mutants: &[MutantReport]) -> Vec<String> {
    let (path, list) = f.explained;
    let mut faults: Vec<String> = mutants
        .iter()
        .filter(|m| m.fate == "survived" && m.explained.is_none())
        .map(|m| format!("{} survives ({}): write a ruling that tells it, or explain it in {path}", m.name, m.place))
        .collect();
    // What is explained of worlds with more budget is compared where those are run.
    for Survivor { line, name, .. } in list.iter().filter(|s| !s.name.contains("/budget-") && !s.name.contains("/cap-"))
    {
        match mutants.iter().find(|m| m.name == *name) {
            Some(m) if m.fate == "killed" => {
                faults.push(format!("{path}:{line}: {name} is killed: take the line away"));
            }
            None if f.whole && !f.known.contains(name) => {
                faults.push(format!("{path}:{line}: there is no mutant {name}: take the line away"))
            }
            Some(_) | None => {}
        }
    }
    faults
}

impl Row {
    fn new(rule: &str) -> Row {
        let rule = rule.to_owned();
        Row { rule, tried: 0, killed: 0, by_rulings: 0, by_worlds: 0, by_property: BTreeMap::new() }
    }

    fn add(&mut self, fate: &Fate) {
        self.tried += 1;
        let Fate::Killed(killers) = fate else { return };
        self.killed += 1;
        let any = |of: fn(&Killer) -> bool| usize::from(killers.iter().any(of));
        self.by_rulings += any(|k| matches!(k, Killer::Ruling { .. } | Killer::Unsaid { .. }));
        self.by_worlds += any(|k| matches!(k, Killer::World { .. }));
        for killer in killers {
            if let Killer::Property { name, steps, .. } = killer {
                let cell = self.by_property.entry(name.clone()).or_insert((0, None));
                *cell = (cell.0 + 1, cell.1.into_iter().chain(*steps).min());
            }
        }
    }
}

impl MutantReport {
    fn new(sources: &Sources, t: &Tried, explained: Option<&str>) -> MutantReport {
        let (from, to) = lines(sources, &t.mutant);
        let (fate, killers) = match &t.fate {
            Fate::Killed(killers) => ("killed", killers.iter().map(KillerReport::new).collect()),
            Fate::Survived => ("survived", Vec::new()),
            Fate::NoProgram(..) | Fate::NotTried => ("not_tried", Vec::new()),
        };
        MutantReport {
            name: t.mutant.name.clone(),
            kind: t.mutant.kind.as_str().to_owned(),
            place: place(sources, &t.mutant),
            from,
            to,
            fate: fate.to_owned(),
            killers,
            undecided: t.undecided.clone(),
            explained: explained.map(str::to_owned),
        }
    }

    /// How it is edited, in one line.
    pub fn edit(&self) -> String {
        if self.to.is_empty() { format!("- {}", self.from) } else { format!("- {} + {}", self.from, self.to) }
    }
}

impl KillerReport {
    fn new(killer: &Killer) -> KillerReport {
        let report = |name: &str, verdict: &str, world: Option<&String>, steps| KillerReport {
            name: name.to_owned(),
            verdict: verdict.to_owned(),
            world: world.cloned(),
            steps,
        };
        match killer {
            Killer::Ruling { name, code: "L401", steps } => report(name, "fails", None, Some(*steps)),
            Killer::Ruling { name, code, steps } => report(name, code, None, Some(*steps)),
            Killer::Property { name, verdict, world, steps } => report(name, verdict.as_str(), Some(world), *steps),
            Killer::World { name, what } => report(name, what, Some(name), None),
            Killer::Unsaid { name, .. } => report(name, "unsaid", None, None),
        }
    }
}

/// `model/rules/face-down.rules:31`
pub fn place(sources: &Sources, mutant: &Mutant) -> String {
    let span = mutant.edit.span;
    let path = sources.files.get(usize::from(span.file)).map_or("", |f| f.path.as_str());
    format!("{path}:{}", sources.line_column(span.file, span.start).0)
}

/// The lines that are edited, before and after, each as one line.
pub fn lines(sources: &Sources, mutant: &Mutant) -> (String, String) {
    let span = mutant.edit.span;
    let text = sources.files.get(usize::from(span.file)).map_or("", |f| f.text.as_str());
    let (start, end) = (span.start as usize, span.end as usize);
    let (before, after) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    let head = &before[before.rfind('\n').map_or(0, |i| i + 1)..];
    let tail = after.split('\n').next().unwrap_or_default();
    let plain = |middle: &str| [head, middle, tail].concat().split_whitespace().collect::<Vec<_>>().join(" ");
    (plain(text.get(start..end).unwrap_or_default()), plain(&mutant.edit.text))
}

/// The report as text.
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    for row in &report.rules {
        let mut by: Vec<String> = Vec::new();
        by.extend((row.by_rulings > 0).then(|| format!("rulings {}", row.by_rulings)));
        by.extend((row.by_worlds > 0).then(|| format!("caps and faults {}", row.by_worlds)));
        let mut properties: Vec<_> = row.by_property.iter().collect();
        properties.sort_by_key(|(name, (count, _))| (std::cmp::Reverse(*count), name.as_str()));
        by.extend(properties.iter().map(|(name, (count, steps))| match steps {
            Some(steps) => format!("{name} {count} (in {steps})"),
            None => format!("{name} {count}"),
        }));
        let more = by.len().saturating_sub(6);
        by.truncate(6);
        by.extend((more > 0).then(|| format!("… {more} more")));
        line(format!("{}  {} of {} killed: {}", row.rule, row.killed, row.tried, by.join(", ")));
    }
    line(String::new());
    for (kind, tried, killed) in &report.kinds {
        line(format!("{kind}: {killed} of {tried}"));
    }
    for (heading, list) in [("worlds left out", &report.worlds_left_out), ("not in force", &report.out_of_force)] {
        if !list.is_empty() {
            line(format!("\n{heading}:"));
            list.iter().for_each(|(name, why)| line(format!("  {name}: {why}")));
        }
    }
    if !report.tools.is_empty() {
        line(format!("\ntools of the worlds, not law: {}", report.tools.join(", ")));
    }
    let survivors: Vec<&MutantReport> = report.mutants.iter().filter(|m| m.fate == "survived").collect();
    if !survivors.is_empty() {
        line("\nsurvivors:".to_owned());
    }
    for mutant in survivors {
        line(format!("  {}  {}", mutant.name, mutant.place));
        line(format!("    {}", mutant.edit()));
        mutant.undecided.iter().for_each(|why| line(format!("    undecided: {why}")));
        line(format!("    {}", mutant.explained.as_deref().unwrap_or("not explained")));
    }
    if let Some(list) = report.never_broken.as_ref().filter(|list| !list.is_empty()) {
        line(format!("\ninvariants that no mutant breaks: {}", list.join(", ")));
    }
    line(String::new());
    report.faults.iter().for_each(|fault| line(fault.clone()));
    line(report.sentence());
    out
}
