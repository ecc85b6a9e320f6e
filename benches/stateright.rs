//! Our search against Stateright's own breadth-first checker on one world, in one go: the same compiled steps, the packed
//! key as state, no properties on either side, one and two threads. Runs are interleaved and the median of each is
//! given; peak memory is measured in a process of its own for each engine.
//!
//! `cargo bench --bench stateright [-- WORLD [RUNS]]`; the world is `deep` unless another is named.

use facedown::cli::load;
use facedown::explore::search::Bounds;
use facedown::explore::world::{Explored, explore};
use facedown::lang::check;
use facedown::lang::tree::Program;
use facedown::law::claims::Claims;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if args.first().is_some_and(|a| a == "memory") {
        return memory(&args[1], &args[2]);
    }
    let world = args.first().map_or("deep", String::as_str);
    let runs: usize = args.get(1).and_then(|a| a.parse().ok()).unwrap_or(3);
    let program = program();
    let mut rows: Vec<(String, Vec<f64>)> = Vec::new();
    let mut states = 0;
    with(&program, world, 2, |e| {
        let (unique, steps, depth) = e.run.counts();
        println!("world {world}: {unique} states, {steps} steps, depth {depth}");
        states = unique;
        for run in 0..runs {
            for threads in [1, 2] {
                let t = Instant::now();
                assert_eq!(e.run.again(threads), unique);
                note(&mut rows, format!("facedown, {threads} thread(s)"), t);
                let t = Instant::now();
                let counted = e.run.stateright(threads, false);
                assert_eq!((counted.states, counted.steps, counted.unknown), (unique, steps, 0));
                note(&mut rows, format!("stateright, {threads} thread(s)"), t);
            }
            eprintln!("run {} of {runs}", run + 1);
        }
    });
    println!("| engine | states a second (median of {runs}) |\n| --- | --- |");
    let mut speed = Vec::new();
    for (name, seconds) in &mut rows {
        seconds.sort_by(f64::total_cmp);
        let per_second = states as f64 / seconds[seconds.len() / 2];
        println!("| {name} | {per_second:.0} |");
        speed.push((name.clone(), per_second));
    }
    for threads in [1, 2] {
        let of = |engine: &str| {
            speed.iter().find(|(n, _)| *n == format!("{engine}, {threads} thread(s)")).map_or(0.0, |s| s.1)
        };
        println!("ratio at {threads} thread(s): {:.2}", of("facedown") / of("stateright"));
    }
    println!("| engine | bytes a state: peak resident size less that after loading |\n| --- | --- |");
    for engine in ["facedown", "stateright"] {
        let me = std::env::current_exe().map(|p| p.into_os_string()).unwrap_or_default();
        let child = std::process::Command::new(me).args(["memory", engine, world]).output();
        let text = child.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string()).unwrap_or_default();
        println!("| {engine} | {text} |");
    }
}

fn note(rows: &mut Vec<(String, Vec<f64>)>, name: String, since: Instant) {
    let seconds = since.elapsed().as_secs_f64();
    match rows.iter_mut().find(|(n, _)| *n == name) {
        Some((_, list)) => list.push(seconds),
        None => rows.push((name, vec![seconds])),
    }
}

fn program() -> Program {
    let loaded = load::folders(&[Path::new("model").to_path_buf()]);
    let files = match loaded {
        Ok(loaded) => loaded.files,
        Err(_) => Vec::new(),
    };
    check::check(&files, &check::Options::default()).unwrap_or_default()
}

/// Explores a world without properties, and hands it over.
fn with<T>(program: &Program, world: &str, threads: usize, use_it: impl FnOnce(Explored) -> T) -> Option<T> {
    let at = program.worlds.iter().position(|w| w.name == world)?;
    let stop = AtomicBool::new(false);
    let bounds = Bounds { threads, states_max: None, depth_limit: None, memory_max: None, stop: &stop, progress: None };
    explore(program, at, Claims::new(Vec::new()), &bounds, use_it).ok()
}

/// A figure of this process in bytes, where the system tells it.
fn status(field: &str) -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|l| l.starts_with(field));
    line.and_then(|l| l.split_whitespace().nth(1)).and_then(|n| n.parse::<f64>().ok()).unwrap_or(0.0) * 1024.0
}

/// In a process of its own: bytes for each state at the peak, less those after loading.
fn memory(engine: &str, world: &str) {
    let program = program();
    let loaded = status("VmRSS:");
    let bytes = with(&program, world, 2, |e| {
        let states = e.run.counts().0 as f64;
        if engine == "facedown" {
            return (status("VmHWM:") - loaded) / states;
        }
        e.run.forget();
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        let before = status("VmRSS:");
        e.run.stateright(2, false);
        (status("VmHWM:") - before) / states
    });
    println!("{:.1}", bytes.unwrap_or(0.0));
}
