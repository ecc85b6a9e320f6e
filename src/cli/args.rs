//! The words of the command line, and how each is read. What they mean together is decided by each command.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use crate::judge::mutants::STATES_MAX;
use crate::judge::run::EngineKind;
use crate::judge::sweep;
use crate::lang::ast::Date;
use crate::lang::lex;

/// A formal model checker for the face-down rules of Magic: The Gathering.
#[derive(Parser, Debug)]
#[command(name = "facedown", version, about, after_help = EXIT_STATUS, max_term_width = 120)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Command,
}

const EXIT_STATUS: &str = "Exit status: 0 all as expected; 1 something violated, vacuous, unreached, a conjecture that \
holds, a ruling that fails, a difference from the baseline, or coverage that is open; 2 the input or the command line is \
wrong; 3 incomplete; 4 a fault of the program itself; 130 interrupted.";

#[derive(Subcommand, Debug)]
pub(super) enum Command {
    /// Explore worlds, judge every property and ruling
    Check(Check),
    /// Play rulings, a saved trace, or a play string
    Play(Play),
    /// Look for a shortest play of a world that reaches a state or event
    Witness(Witness),
    /// Tell what of the law, the cards and the worlds nothing puts to work, and what states each seed sentence
    Coverage(Coverage),
    /// Try mutants of the law: which property, witness or ruling tells each from the law, and what none does
    Mutate(Mutate),
    /// Explore every combination of a few effects over every choice of a few cards, each a small world of its own
    Sweep(Sweep),
    /// Tell what differs between two rulebooks: verdicts first, then behaviour, with a shortest play on which they part
    Diff(Diff),
    /// Say what a name, a citation or an error code means
    Explain(Explain),
    /// Put the spaces of model files right
    Fmt(Fmt),
    /// Print the version
    Version,
}

/// Which model, in which edition and readings.
#[derive(ClapArgs, Debug)]
pub(super) struct Model {
    /// The folder of rules, cards and worlds [default: model]
    #[arg(long, value_name = "DIR")]
    pub(super) model: Option<PathBuf>,
    /// The folder of properties and rulings [default: properties]
    #[arg(long, value_name = "DIR")]
    pub(super) properties: Option<PathBuf>,
    /// The edition of the law in force on a day [default: the newest]
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub(super) edition: Option<Date>,
    /// A value for a reading, where the law leaves a choice
    #[arg(long = "reading", value_name = "NAME=VALUE", value_parser = reading)]
    pub(super) readings: Vec<(String, String)>,
}

/// How worlds are explored.
#[derive(ClapArgs, Debug)]
pub(super) struct Explore {
    /// Threads; 0: as many as the machine has
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads)]
    pub(super) threads: usize,
    /// Which engine explores
    #[arg(long, value_enum, default_value_t = EngineWord::Own)]
    pub(super) engine: EngineWord,
    /// Stop, incomplete, with so many states
    #[arg(long, value_name = "N")]
    pub(super) limit_states: Option<u64>,
    /// Stop, incomplete, after so many steps from the start
    #[arg(long, value_name = "N")]
    pub(super) limit_depth: Option<u32>,
    /// Memory for a search, as 512M or 2G; what does not fit goes to disk
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub(super) memory: Option<u64>,
    /// Explore states that differ only in which of several interchangeable objects is which as one
    #[arg(long)]
    pub(super) symmetry: bool,
    /// Where what does not fit goes; not given: the system's folder for temporary files
    #[arg(long, value_name = "DIR", requires = "memory")]
    pub(super) spill_dir: Option<PathBuf>,
}

/// What is kept and told of searches.
#[derive(ClapArgs, Debug, Default)]
pub(super) struct Keep {
    /// Write a checkpoint of each world at the end of each level, to a new or an empty folder
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    pub(super) checkpoint: Option<PathBuf>,
    /// Go on from the checkpoints in a folder, and write further ones there
    #[arg(long, value_name = "DIR")]
    pub(super) resume: Option<PathBuf>,
    /// Tell on standard error what each search did and took: speed, levels, memory, how often each rule did something
    #[arg(long)]
    pub(super) statistics: bool,
    /// Tell on standard error where the time of each search went, by rule
    #[arg(long)]
    pub(super) profile: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum EngineWord {
    Own,
    Stateright,
    Referee,
}

impl EngineWord {
    pub(super) fn kind(self) -> EngineKind {
        match self {
            EngineWord::Own => EngineKind::Own,
            EngineWord::Stateright => EngineKind::Stateright,
            EngineWord::Referee => EngineKind::Referee,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Text,
    Json,
}

/// The formats of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportFormat {
    /// For people
    Text,
    /// All that was found, with what was measured
    Json,
    /// Test cases, as JUnit XML
    Junit,
    /// Defects at lines of the model, as SARIF 2.1.0
    Sarif,
    /// Annotations of a GitHub workflow
    Github,
    /// The summary of a job, as Markdown
    Markdown,
    /// What was proved: worlds, counts, verdicts and checksums, as JSON
    Proof,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Language {
    En,
    It,
}

impl Language {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Language::En => "en",
            Language::It => "it",
        }
    }
}

#[derive(ClapArgs, Debug)]
pub(super) struct Check {
    #[command(flatten)]
    pub(super) model: Model,
    #[command(flatten)]
    pub(super) explore: Explore,
    #[command(flatten)]
    pub(super) keep: Keep,
    /// Run these worlds only
    #[arg(long = "world", value_name = "NAME", conflicts_with = "all")]
    pub(super) worlds: Vec<String>,
    /// Run all worlds, those named `deep` or `deep-…` too
    #[arg(long)]
    pub(super) all: bool,
    /// List the worlds with the size that the baseline pins, and run nothing
    #[arg(long)]
    pub(super) list_worlds: bool,
    /// How the report is printed
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(super) format: ReportFormat,
    /// Write the report to a file too, in any format of --format; may be given several times
    #[arg(long = "report", value_name = "FORMAT=FILE", value_parser = report, conflicts_with = "list_worlds")]
    pub(super) reports: Vec<(ReportFormat, PathBuf)>,
    /// Compare with this baseline; a difference is a failure
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,
    /// Write what was found to the baseline [default: reports/baseline.json] and, to be read, to REPORT.md beside it;
    /// refused where CI is set
    #[arg(long)]
    pub(super) update_baseline: bool,
    /// Write each play that decides a property to this folder, one JSON file each
    #[arg(long, value_name = "DIR")]
    pub(super) traces: Option<PathBuf>,
    /// The language of the model's sentences
    #[arg(long, value_enum, default_value_t = Language::En)]
    pub(super) lang: Language,
}

#[derive(ClapArgs, Debug)]
pub(super) struct Play {
    #[command(flatten)]
    pub(super) model: Model,
    /// The world of a play string
    #[arg(long, value_name = "NAME")]
    pub(super) world: Option<String>,
    /// Files of rulings (.rulings) or saved traces (.json); with --world, one play string
    #[arg(required = true, value_name = "FILE")]
    pub(super) plays: Vec<String>,
    /// How a replayed play is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
    /// The language of the model's sentences
    #[arg(long, value_enum, default_value_t = Language::En)]
    pub(super) lang: Language,
}

#[derive(ClapArgs, Debug)]
pub(super) struct Witness {
    #[command(flatten)]
    pub(super) model: Model,
    #[command(flatten)]
    pub(super) explore: Explore,
    /// The world
    #[arg(long, value_name = "NAME")]
    pub(super) world: String,
    /// What to look for, as after `possible` in a witness
    #[arg(value_name = "EXPR")]
    pub(super) expression: String,
    /// How the play is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
}

#[derive(ClapArgs, Debug)]
pub(super) struct Coverage {
    #[command(flatten)]
    pub(super) model: Model,
    #[command(flatten)]
    pub(super) sections: Sections,
    /// Print what states each sentence of `seeds.tsv`, beside the properties, as a table in Markdown; runs nothing
    #[arg(long, conflicts_with_all = ["rules", "conjuncts", "events", "archetypes", "effects"])]
    pub(super) seeds: bool,
    /// Run these worlds only
    #[arg(long = "world", value_name = "NAME", conflicts_with = "seeds")]
    pub(super) worlds: Vec<String>,
    /// Threads, each of which runs a world; 0: as many as the machine has
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads)]
    pub(super) threads: usize,
    /// How what was found is printed; `lcov` is by lines, as coverage viewers read it
    #[arg(long, value_enum, default_value_t = CoverageFormat::Text, conflicts_with = "seeds")]
    pub(super) format: CoverageFormat,
}

/// What of the law is told; all of it, as a summary, if none is named.
#[derive(ClapArgs, Debug)]
pub(super) struct Sections {
    /// Which rules never do anything, which parts of what they ask are never true, or never false
    #[arg(long)]
    pub(super) rules: bool,
    /// Of what the law and the claims ask alone
    #[arg(long)]
    pub(super) conjuncts: bool,
    /// Which events happen, with which words, and which are met by a clause
    #[arg(long)]
    pub(super) events: bool,
    /// Which cards are dealt or given, and what they do
    #[arg(long)]
    pub(super) archetypes: bool,
    /// Which effects that worlds allow do something there
    #[arg(long)]
    pub(super) effects: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum CoverageFormat {
    Text,
    Json,
    Lcov,
}

/// How mutants are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MutantFormat {
    Text,
    Json,
    Html,
    Markdown,
}

#[derive(ClapArgs, Debug)]
pub(super) struct Mutate {
    #[command(flatten)]
    pub(super) model: Model,
    /// Only mutants of these rules and keywords
    #[arg(long = "rule", value_name = "NAME")]
    pub(super) rules: Vec<String>,
    /// Only mutants of rules and keywords whose text is another than in this revision of git
    #[arg(long, value_name = "REV")]
    pub(super) since: Option<String>,
    /// Only so many mutants, taken from all of them at equal distances
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) sample: Option<u32>,
    /// Raise each budget and cap of the worlds instead, and tell what was so only because it was full
    #[arg(long, conflicts_with_all = ["rules", "since", "sample"])]
    pub(super) worlds: bool,
    /// Mutants of single statements too, and of conditions that only bodies ask
    #[arg(long)]
    pub(super) bodies: bool,
    /// Stop at the first that kills a mutant: no matrix
    #[arg(long)]
    pub(super) quick: bool,
    /// List the mutants and try none
    #[arg(long, conflicts_with_all = ["worlds", "format"])]
    pub(super) list: bool,
    /// Leave out worlds with more states
    #[arg(long, value_name = "N", default_value_t = STATES_MAX)]
    pub(super) limit_states: u64,
    /// Where each survivor is explained [default: docs/SURVIVORS.md]
    #[arg(long, value_name = "FILE")]
    pub(super) survivors: Option<PathBuf>,
    /// Threads; 0: as many as the machine has
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads)]
    pub(super) threads: usize,
    /// How it is printed
    #[arg(long, value_enum, default_value_t = MutantFormat::Text)]
    pub(super) format: MutantFormat,
}

#[derive(ClapArgs, Debug)]
pub(super) struct Sweep {
    #[command(flatten)]
    pub(super) model: Model,
    /// How many effects each position allows
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = effects)]
    pub(super) effects: usize,
    /// How many cards each position deals: to the library, the hand and the graveyard of A, in this order
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = cards)]
    pub(super) cards: usize,
    /// Only these effects [default: all that some world allows]
    #[arg(long = "effect", value_name = "NAME")]
    pub(super) only_effects: Vec<String>,
    /// Only these cards [default: all archetypes]
    #[arg(long = "card", value_name = "NAME")]
    pub(super) only_cards: Vec<String>,
    /// Give a position up, incomplete, with so many states
    #[arg(long, value_name = "N", default_value_t = sweep::STATES_MAX)]
    pub(super) limit_states: u64,
    /// Threads; 0: as many as the machine has
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads)]
    pub(super) threads: usize,
    /// How it is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
    /// The language of the model's sentences
    #[arg(long, value_enum, default_value_t = Language::En)]
    pub(super) lang: Language,
}

/// What makes a diff fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    /// A verdict that is another, unless it is better.
    Verdicts,
    /// Any difference.
    Any,
}

#[derive(ClapArgs, Debug)]
pub(super) struct Diff {
    /// The old rulebook: a folder, or REV:FOLDER of this git repository
    #[arg(value_name = "OLD", required_unless_present_any = ["editions", "readings"])]
    pub(super) old: Option<String>,
    /// The new one [default with --editions and --readings: the old one]
    #[arg(value_name = "NEW", required_unless_present_any = ["editions", "readings"])]
    pub(super) new: Option<String>,
    /// The properties and rulings of both: a folder, or REV:FOLDER [default: properties]
    #[arg(long, value_name = "DIR")]
    pub(super) properties: Option<String>,
    /// Other properties for the old rulebook
    #[arg(long, value_name = "DIR")]
    pub(super) old_properties: Option<String>,
    /// The law of one day against the law of another
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], value_parser = date, conflicts_with = "edition")]
    pub(super) editions: Vec<Date>,
    /// The default of a reading against its other value, or against the one that is named
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub(super) readings: Option<String>,
    /// The edition of the law in force on a day, for both [default: the newest]
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub(super) edition: Option<Date>,
    /// A value for a reading, for both
    #[arg(long = "reading", value_name = "NAME=VALUE", value_parser = reading)]
    pub(super) reading: Vec<(String, String)>,
    #[command(flatten)]
    pub(super) explore: Explore,
    /// Look at these worlds only
    #[arg(long = "world", value_name = "NAME", conflicts_with = "all")]
    pub(super) worlds: Vec<String>,
    /// Look at all worlds, those named `deep` or `deep-…` too
    #[arg(long)]
    pub(super) all: bool,
    /// What makes the status 1: any difference, or a verdict that is another and not better
    #[arg(long, value_enum, default_value_t = FailOn::Any)]
    pub(super) fail_on: FailOn,
    /// How the differences are printed
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(super) format: ReportFormat,
    /// Write them to a file too, in any format of --format; may be given several times
    #[arg(long = "report", value_name = "FORMAT=FILE", value_parser = report)]
    pub(super) reports: Vec<(ReportFormat, PathBuf)>,
    /// The language of the model's sentences
    #[arg(long, value_enum, default_value_t = Language::En)]
    pub(super) lang: Language,
}

#[derive(ClapArgs, Debug)]
pub(super) struct Explain {
    /// The folder of rules, cards and worlds [default: model]
    #[arg(long, value_name = "DIR")]
    pub(super) model: Option<PathBuf>,
    /// The folder of properties and rulings [default: properties]
    #[arg(long, value_name = "DIR")]
    pub(super) properties: Option<PathBuf>,
    /// A name of the model, a citation as 708.2b, or a code as L203
    #[arg(value_name = "NAME|CITE|CODE")]
    pub(super) subject: String,
}

#[derive(ClapArgs, Debug)]
pub(super) struct Fmt {
    /// Change nothing; list the files that differ, with status 1
    #[arg(long)]
    pub(super) check: bool,
    /// Files and folders [default: model and properties]
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
}

/// A day, as 2026-08-07.
pub(super) fn date(text: &str) -> Result<Date, String> {
    lex::date(text).ok_or_else(|| "it is not a day of the calendar: write it as 2026-08-07".to_owned())
}

/// A reading, as NAME=VALUE.
pub(super) fn reading(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => Ok((name.to_owned(), value.to_owned())),
        Some(_) | None => Err("write it as NAME=VALUE".to_owned()),
    }
}

/// A report, as FORMAT=FILE.
pub(super) fn report(text: &str) -> Result<(ReportFormat, PathBuf), String> {
    let Some((word, file)) = text.split_once('=').filter(|(_, file)| !file.is_empty()) else {
        return Err("write it as FORMAT=FILE, as junit=out.xml".to_owned());
    };
    if file == "-" {
        return Err("`-` is no file; --format says what is printed".to_owned());
    }
    let words = ReportFormat::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let words: Vec<String> = words.map(|value| value.get_name().to_owned()).collect();
    let format = ReportFormat::from_str(word, false);
    format
        .map(|f| (f, PathBuf::from(file)))
        .map_err(|_| format!("`{word}` is no format: write one of {}", words.join(", ")))
}

/// An amount of memory: a number and K, M, G or T, powers of 1024.
fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return Err("write it as 512M or 2G".to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| "write it as 512M or 2G".to_owned())?;
    match number.checked_mul(1 << shift) {
        Some(0) => Err("nothing fits into no memory".to_owned()),
        Some(bytes) => Ok(bytes),
        None => Err("it is more than any machine has".to_owned()),
    }
}

/// How many effects a position of a sweep allows.
fn effects(text: &str) -> Result<usize, String> {
    up_to(text, sweep::EFFECTS_MAX)
}

/// How many cards it deals.
fn cards(text: &str) -> Result<usize, String> {
    up_to(text, sweep::PLACES.len())
}

fn up_to(text: &str, most: usize) -> Result<usize, String> {
    text.parse().ok().filter(|n| (1..=most).contains(n)).ok_or_else(|| format!("a number from 1 to {most} is wanted"))
}

/// The most threads of a run.
const THREADS_MAX: usize = 256;

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if n <= THREADS_MAX => Ok(n),
        _ => Err(format!("a number from 0 (as many as the machine has) to {THREADS_MAX} is wanted")),
    }
}
