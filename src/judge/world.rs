//! One world, explored by any of the three engines, with what became of each property; and plays with names.

use super::play::{Exchanged, Finding, Play, PlayStep, RuleAtWork, WorldResult};
use super::run::{EngineKind, ExploreOptions, Firings, Level, Progress, Seconds, Spent, Statistics};
use crate::explore::bounds::{Bounds, Progress as Searching};
use crate::explore::disk::files::Fault;
use crate::explore::save::Save;
use crate::explore::trace::Path;
use crate::explore::world::{Explored, claims, explore_by, setting};
use crate::game::memory::Log;
use crate::game::record::State;
use crate::lang::ast::{PropertyKind, QuantKind};
use crate::lang::diag::Code;
use crate::lang::tracked::Tracked;
use crate::lang::tree::{Claim, Expr, Program, Property, RuleId};
use crate::law;
use crate::law::claims::{Claims, broken_for, hit_bit, premise_bit};
use crate::law::coverage::Seen;
use crate::law::eval::Reader;
use crate::law::ground::Law;
use crate::law::names;
use crate::law::profile::Cause;
use crate::law::step::Outcome;
use crate::law::verbs::Did;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Instant;

/// Names of the attributes that a world's states leave out.
pub fn left_out(program: &Program, t: &Tracked) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    for (kept, name) in [(t.known, "who knows what"), (t.stamps, "stamps"), (t.home, "home"), (t.damage, "damage")] {
        if !kept {
            list.push(name.to_string());
        }
    }
    for (_, k) in program.counters.iter().enumerate().filter(|(i, _)| t.counters >> i & 1 == 0) {
        list.push(format!("{} counters", k.name));
    }
    for (_, m) in program.markers.iter().enumerate().filter(|(i, _)| t.markers >> i & 1 == 0) {
        list.push(format!("{} {}", if m.ghost { "ghost" } else { "marker" }, m.name));
    }
    list
}

/// A path with names.
pub fn tell(law: &Law, world: &str, path: &Path) -> Play {
    let program = law.program;
    let start = path
        .start
        .slots
        .iter()
        .enumerate()
        .filter(|(_, r)| r.card.is_some())
        .map(|(i, r)| {
            let zone = r.zone.map_or("nowhere", crate::lang::tree::Zone::name);
            format!("{} in {} of {}", names::object(law, &path.start, i as u8), zone, names::player(law, r.owner))
        })
        .collect();
    let mut before = path.start.clone();
    let mut steps = Vec::new();
    for outcome in &path.steps {
        steps.push(tell_step(law, &before, outcome));
        before = outcome.state.clone();
    }
    Play {
        world: world.to_string(),
        edition: program.edition.map_or_else(String::new, |d| format!("{:04}-{:02}-{:02}", d.year, d.month, d.day)),
        readings: program.readings.iter().map(|(r, v)| format!("{r}={v}")).collect(),
        start,
        steps,
        broken_for: Vec::new(),
    }
}

/// For which values a property is broken at the end of a path.
pub(super) fn broken(law: &Law, property: &Property, path: &Path) -> Vec<String> {
    let last = path.steps.last();
    let st = last.map_or(&path.start, |o| &o.state);
    let values = broken_for(law, property, &path.start, last);
    values.into_iter().map(|(name, value)| format!("{name} = {}", names::value(law, st, value))).collect()
}

/// One step with names.
pub fn tell_step(law: &Law, before: &State, outcome: &Outcome) -> PlayStep {
    let program = law.program;
    let cost = match outcome.label {
        crate::law::step::Label::Offer(_, _, _, c) => Some(names::cost_of(law, c)),
        _ => None,
    };
    let rules = outcome
        .notes
        .iter()
        .map(|n| {
            let rule = &program.rules[program.clauses[n.clause.index()].rule.index()];
            let carrier = usize::from(n.carrier) < before.slots.len() && n.did != Did::Checked;
            RuleAtWork {
                did: did(n.did).to_string(),
                name: rule.name.clone(),
                cites: rule.cites.clone(),
                carrier: carrier.then(|| names::object(law, &outcome.state, n.carrier)),
            }
        })
        .collect();
    PlayStep {
        player: names::actor(law, outcome.label),
        action: names::action(law, before, outcome.label),
        cost,
        choices: outcome.choices.iter().map(|c| names::choice(law, before, c)).collect(),
        rules,
        events: outcome.happenings.iter().filter(|h| h.done).map(|h| names::happening(law, h)).collect(),
        changes: names::changes(law, before, &outcome.state),
        replay: names::replay_line(law, before, outcome),
    }
}

fn did(d: Did) -> &'static str {
    match d {
        Did::Permitted => "permitted",
        Did::Forbade => "forbade",
        Did::Replaced => "replaced",
        Did::Before => "before",
        Did::As => "as",
        Did::Triggered => "triggered",
        Did::Checked => "checked",
        Did::Resolved => "resolved",
    }
}

/// Explores a world and says what became of each property that speaks of it. With another engine than ours, the world is
/// explored by both, and must come to the same states, steps and sets of names; a difference is a fault of this program.
pub fn run_world(program: &Program, world: usize, options: &ExploreOptions) -> Result<WorldResult, (Code, String)> {
    let began = Instant::now();
    let stateright = options.engine == EngineKind::Stateright;
    let mut result = on_threads(options, |threads| {
        let law = Law::new(program, setting(program, world));
        let law = if options.profile { law.profiled() } else { law };
        let mut result = search(&law, world, options, threads, |e| {
            let mut result = summarize(program, &e);
            if stateright && result.complete {
                let mut bits: Vec<u16> = e.run.hits().iter().map(|(b, _)| *b).collect();
                bits.sort_unstable();
                let differs = match e.run.stateright(threads, true) {
                    Ok(counted) => super::agree::with_stateright(&counted, &result, &bits),
                    Err(fault) => Some(fault.to_string()),
                };
                result.fault = result.fault.take().or(differs);
            }
            result
        })?;
        if options.engine == EngineKind::Referee && result.complete {
            super::agree::with_referee(program, world, &mut result);
        }
        result.threads = threads;
        Ok(result)
    })?;
    result.engine = options.engine.as_str().into();
    result.seconds = began.elapsed().as_secs_f64();
    Ok(result)
}

/// Explores a world by our own engine, asking claims and judging none, and tells what of the law was at work.
pub fn seen(program: &Program, world: usize, options: &ExploreOptions) -> Result<(WorldResult, Seen), (Code, String)> {
    on_threads(options, |threads| {
        let law = Law::new(program, setting(program, world)).recorded();
        search(&law, world, options, threads, |e| {
            let quiet = Reader::new(e.law, Rc::new(Log::off()));
            e.run.each_state(&mut |state| e.law.settled(&state, &quiet)).map_err(unread)?;
            Ok((counted(&e), e.law.seen()))
        })
    })?
}

/// A shortest play of a world in which what a property speaks of happens, as the property itself asks for it.
pub fn premise(
    program: &Program,
    world: usize,
    property: usize,
    options: &ExploreOptions,
) -> Result<Option<Play>, (Code, String)> {
    let asked = &program.properties[property];
    let claim = match &asked.claim {
        Claim::Whenever(head, _) => Claim::PossibleEvent(head.clone()),
        Claim::Always(Expr::Quant { var, ty, filter, .. }) => Claim::PossibleState(Expr::Quant {
            kind: QuantKind::Some,
            var: *var,
            ty: *ty,
            filter: filter.clone(),
            body: None,
        }),
        _ => return Ok(None),
    };
    let witness = Property { kind: PropertyKind::Witness, claim, ..asked.clone() };
    on_threads(options, |threads| {
        let law = Law::new(program, setting(program, world));
        let claims = Claims::new(vec![(property, &witness)]);
        bounded(program, options, threads, |bounds| {
            explore_by(&law, world, claims, bounds, |e| {
                let path = e.run.path(hit_bit(0)).map_err(unread)?;
                Ok(path.map(|path| tell(&law, &program.worlds[world].name, &path)))
            })
        })
    })?
}

/// Does something on as many threads as are asked for; without threads of its own, on those that there are.
pub(super) fn on_threads<T: Send>(options: &ExploreOptions, go: impl FnOnce(usize) -> T + Send) -> T {
    let threads = if options.threads == 0 { rayon::current_num_threads() } else { options.threads };
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(|| go(threads)),
        Err(_) => go(threads),
    }
}

/// Searches a world within the bounds that are asked for.
fn search<T>(
    law: &Law,
    world: usize,
    options: &ExploreOptions,
    threads: usize,
    use_it: impl FnOnce(Explored) -> T,
) -> Result<T, (Code, String)> {
    bounded(law.program, options, threads, |bounds| explore_by(law, world, claims(law.program, world), bounds, use_it))
}

/// Does something within the bounds that are asked for, and tells how it goes.
pub(super) fn bounded<T>(
    program: &Program,
    options: &ExploreOptions,
    threads: usize,
    go: impl FnOnce(&Bounds) -> T,
) -> T {
    let began = Instant::now();
    // Everything that the program holds decides which states there are and what is asked of them.
    let model = options.checkpoint.as_ref().map(|_| checksum(&format!("{program:?}")));
    let save = options.checkpoint.as_ref().zip(model.as_ref()).map(|(c, model)| Save {
        dir: &c.dir,
        resume: c.resume,
        model,
        note: &*c.note,
    });
    let tell_progress = |p: &Searching| {
        if let Some(told) = &options.progress {
            told(&Progress {
                world: p.world.clone(),
                states: p.states,
                steps: p.steps,
                depth: p.depth,
                frontier: p.frontier,
                bytes: p.bytes,
                seconds: began.elapsed().as_secs_f64(),
            });
        }
    };
    let bounds = Bounds {
        states_max: options.limit_states,
        depth_limit: options.limit_depth,
        memory_max: options.memory,
        spill_dir: options.spill_dir.as_deref(),
        symmetry: options.symmetry,
        firings: options.firings,
        save: save.as_ref(),
        progress: options.progress.is_some().then_some(&tell_progress),
        ..Bounds::new(threads, &options.stop)
    };
    go(&bounds)
}

/// Thirty-two hexadecimal digits of the SHA-256 of a text.
fn checksum(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// A file of a search that can't be read.
pub(super) fn unread(fault: Fault) -> (Code, String) {
    (Code::L304, fault.to_string())
}

/// Does something, and measures the seconds that it takes.
pub(super) fn measured<T>(go: impl FnOnce() -> T) -> (T, f64) {
    let began = Instant::now();
    let made = go();
    (made, began.elapsed().as_secs_f64())
}

/// How far a finished search has come.
fn counted(e: &Explored) -> WorldResult {
    let (unique_states, steps, depth) = e.run.counts();
    let (complete, why, interrupted) = e.run.ending();
    let (fired, fault) = match e.run.firings() {
        Ok(fired) => (fired, None),
        Err(fault) => (None, Some(fault.to_string())),
    };
    WorldResult {
        name: e.law.program.worlds[e.world].name.clone(),
        unique_states,
        steps,
        events: e.run.events(),
        depth,
        complete,
        why,
        interrupted,
        left_out: left_out(e.law.program, &e.law.setting.tracked),
        symmetry: e.run.permutations().map(|permutations| Exchanged {
            permutations: permutations.len() as u64,
            told_apart: e.run.told_apart().to_vec(),
        }),
        statistics: statistics(e, fired),
        fault,
        bytes_per_state: e.run.measured().bytes as f64 / unique_states.max(1) as f64,
        ..WorldResult::default()
    }
}

/// What a finished search did and took, and how often rules did something, if that was counted.
fn statistics(e: &Explored, fired: Option<Vec<(RuleId, u64)>>) -> Statistics {
    let m = e.run.measured();
    let levels: Vec<Level> = e.run.levels().into_iter().map(|(states, steps)| Level { states, steps }).collect();
    let (states, steps, _) = e.run.counts();
    let starts = levels.first().map_or(0, |l| l.states);
    Statistics {
        levels,
        duplicates: (steps + starts).saturating_sub(states),
        laid_out: m.laid_out,
        by_trees: m.by_trees,
        set_bytes: m.set_bytes,
        set_load: m.load,
        level_bytes: m.level_bytes,
        learned_bytes: m.learned_bytes,
        spilled_bytes: m.spilled_bytes,
        peak_bytes: m.bytes,
        process_peak_bytes: process_peak(),
        seconds: Seconds {
            law: m.phases.law.as_secs_f64(),
            laying_out: m.phases.laying_out.as_secs_f64(),
            expanding: m.phases.expanding.as_secs_f64(),
            ending: m.phases.ending.as_secs_f64(),
            saving: m.phases.saving.as_secs_f64(),
        },
        firings: fired.map(|fired| firings(e.law.program, &fired)),
        profile: e.law.spent().map(|spent| profile(e.law.program, &spent)),
    }
}

fn firings(program: &Program, fired: &[(RuleId, u64)]) -> Vec<Firings> {
    let name = |rule: RuleId| program.rules[rule.index()].name.clone();
    let mut list: Vec<Firings> = fired.iter().map(|&(rule, times)| Firings { rule: name(rule), times }).collect();
    list.sort_by(|a, b| b.times.cmp(&a.times).then_with(|| a.rule.cmp(&b.rule)));
    list
}

fn profile(program: &Program, spent: &[(Cause, law::profile::Spent)]) -> Vec<Spent> {
    let rule = |rule: RuleId| format!("rule {}", program.rules[rule.index()].name);
    let mut of: BTreeMap<String, Spent> = BTreeMap::new();
    for (cause, spent) in spent {
        let name = match cause {
            Cause::Clause(clause) => rule(program.clauses[clause.index()].rule),
            Cause::Procedure(p) => format!("procedure {}", program.procedures[p.index()].name),
            Cause::Claims => "properties".to_owned(),
            Cause::Rest => "the rest".to_owned(),
        };
        let all = of.entry(name.clone()).or_insert(Spent { of: name, ..Spent::default() });
        all.times += spent.times;
        all.seconds += spent.time.as_secs_f64();
    }
    let mut list: Vec<Spent> = of.into_values().collect();
    list.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    list
}

/// The most memory that this process had, where the system tells it.
fn process_peak() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

/// What a finished search says of a world.
fn summarize(program: &Program, e: &Explored) -> WorldResult {
    let name = &program.worlds[e.world].name;
    // First, since to tell a play is to run the law once more.
    let mut counted = counted(e);
    let mut findings: Vec<Option<Finding>> = vec![None; program.properties.len()];
    let mut faults: Vec<String> = counted.fault.take().into_iter().collect();
    let hits = e.run.hits();
    let met = |bit: u16| hits.iter().any(|(b, _)| *b == bit);
    for (i, (place, property)) in e.run.claims().list.iter().enumerate() {
        let mut finding = Finding { premise_reached: met(premise_bit(i)), ..Finding::default() };
        if met(hit_bit(i)) {
            let path = e.run.path(hit_bit(i)).unwrap_or_else(|fault| {
                faults.push(fault.to_string());
                None
            });
            if path.is_none() {
                faults.push(format!("no play leads to what property {} met", property.name));
            }
            if let (Some(path), true) = (&path, property.kind != PropertyKind::Witness) {
                faults.extend(super::agree::replayed(e.law, e.world, path).err());
            }
            let play = path.map(|p| Play { broken_for: broken(e.law, property, &p), ..tell(e.law, name, &p) });
            match property.kind {
                PropertyKind::Witness => finding.reached = play,
                PropertyKind::Property | PropertyKind::Conjecture => finding.violated = play,
            }
        }
        findings[*place] = Some(finding);
    }
    WorldResult { findings, fault: faults.into_iter().next(), ..counted }
}
