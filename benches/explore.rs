//! What the search costs, on shipped worlds, all of it in one run: against Stateright's breadth-first checker with the same
//! steps, the rules without lookups, other stores and other ways to make steps, one and two threads. No properties on
//! any side. Runs are interleaved; medians are given. World `deep-plain` is also written by hand in `hand`, and explored with the
//! same visited set.
//!
//! `cargo bench --bench explore [-- --world NAME] [--runs N] [--model DIR] [--quick] [--only ROW]`; `-- --ways` times nothing, but lets every
//! way to make steps and every store search every world that is not deep, and compares what they come to. `-- --instructions`
//! counts, by `valgrind`, what rules that never apply add; `-- --bytes` fills visited sets. `-- --sizes` searches the beginning of a world, up to so many states, all
//! being learned before.

mod hand;

use facedown::cli::load;
use facedown::explore::bounds::{Bounds, Steps, StoreKind};
use facedown::explore::key::Key;
use facedown::explore::store::visited::Visited;
use facedown::explore::store::{Fill, Store};
use facedown::explore::world::{Explored, explore, setting};
use facedown::lang::check;
use facedown::lang::tree::Program;
use facedown::law::claims::Claims;
use facedown::law::ground::Law;
use hand::plain::Plain;
use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let after = |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1)).cloned();
    let world = after("--world").unwrap_or_else(|| "deep".to_owned());
    let model = after("--model").unwrap_or_else(|| "model".to_owned());
    if let Some(engine) = after("--memory-of") {
        return memory(&model, &engine, &world);
    }
    if args.iter().any(|a| a == "--instructions") {
        return instructions(&model, &world);
    }
    if let (Some(idle), Some(searches)) = (after("--idle"), after("--searches")) {
        return searches_alone(&model, &world, idle.parse().unwrap_or(0), searches.parse().unwrap_or(0));
    }
    if args.iter().any(|a| a == "--bytes") {
        println!("| bits | bytes a number, the most from 10^5 to 4 x 10^6 |\n| --- | --- |");
        println!("| 40 | {:.2} |\n| 55 | {:.2} |", most_bytes::<u64>(40), most_bytes::<u64>(55));
        println!("| 63 | {:.2} |\n| 64 | {:.2} |", most_bytes::<u64>(63), most_bytes::<u128>(64));
        return println!("| 127 | {:.2} |", most_bytes::<u128>(127));
    }
    if args.iter().any(|a| a == "--sizes") {
        let most = after("--most").and_then(|a| a.parse().ok()).unwrap_or(u64::MAX);
        return sizes(&program(&model), &world, most);
    }
    if args.iter().any(|a| a == "--ways") {
        return ways(&program(&model));
    }
    let runs: usize = after("--runs").and_then(|a| a.parse().ok()).unwrap_or(3);
    let quick = args.iter().any(|a| a == "--quick");
    let only = after("--only");
    let timed = |name: &str| only.as_deref().is_none_or(|row| row == name);
    println!(
        "loading all of the model and laying out the law of world tiny: {:.1} ms, median of {runs}",
        loading(&model, runs)
    );
    let program = program(&model);
    let by_hand = (world == "deep-plain").then(|| Plain::new(&facedown::lang::digest::of_text));
    let states_by_hand = by_hand.as_ref().map_or_else(Vec::new, listed_by_hand);
    let learning = Instant::now();
    let mut rows: Vec<(String, Vec<f64>)> = Vec::new();
    let mut size = (0, 0);
    let stop = AtomicBool::new(false);
    let bounds = Bounds::new(2, &stop);
    let explored = with(&program, &world, &bounds, |e| {
        let (states, steps, depth) = e.run.counts();
        let events = e.run.events();
        println!(
            "world {world}: {states} states, {steps} steps, depth {depth}; first search, learning all, {:.1} s",
            learning.elapsed().as_secs_f64()
        );
        println!("{:?}", e.run.measured());
        size = (states, steps);
        let ours = |threads, steps, store| Bounds { steps, store, ..Bounds::new(threads, &stop) };
        let searches = [
            ("facedown, 1 thread", ours(1, Steps::Ready, StoreKind::Compact)),
            ("facedown, 2 threads", ours(2, Steps::Ready, StoreKind::Compact)),
            ("facedown, flat store, 1 thread", ours(1, Steps::Ready, StoreKind::Flat)),
            ("facedown, traced trees, 1 thread", ours(1, Steps::Traced, StoreKind::Compact)),
        ];
        for run in 0..runs {
            for (name, bounds) in searches.into_iter().filter(|(name, _)| timed(name)) {
                e.run.lay_out();
                let began = Instant::now();
                assert_eq!(e.run.again(&bounds), Ok((states, steps, events, depth)), "{name}");
                note(&mut rows, name, began);
            }
            if timed("the rules alone") {
                e.run.lay_out();
                let began = Instant::now();
                assert_eq!(e.run.steps_alone().map_or(0, |s| s.0), steps);
                note(&mut rows, "the rules alone", began);
            }
            if let Some(plain) = by_hand.as_ref().filter(|_| timed("by hand, 1 thread")) {
                let began = Instant::now();
                assert_eq!(explored_by_hand(plain), (states, steps, events, depth), "by hand");
                note(&mut rows, "by hand, 1 thread", began);
            }
            if let Some(plain) = by_hand.as_ref().filter(|_| timed("by hand, the rules alone")) {
                let began = Instant::now();
                black_box(rules_by_hand(plain, black_box(&states_by_hand)));
                note(&mut rows, "by hand, the rules alone", began);
            }
            if !quick {
                let others = [(1, "stateright, 1 thread"), (2, "stateright, 2 threads")];
                for (threads, name) in others.into_iter().filter(|(_, name)| timed(name)) {
                    e.run.lay_out();
                    let began = Instant::now();
                    let counted = e.run.stateright(threads, false).unwrap_or_default();
                    assert_eq!((counted.states, counted.steps, counted.unknown), (states, steps, 0));
                    note(&mut rows, name, began);
                }
            }
            eprintln!("run {} of {runs}", run + 1);
        }
    });
    assert!(explored.is_some(), "there is no world {world}, or it can't be explored");
    println!("| median of {runs} | states a second | ns a step |\n| --- | --- | --- |");
    let mut seconds = Vec::new();
    for (name, list) in &mut rows {
        list.sort_by(f64::total_cmp);
        let median = list[list.len() / 2];
        println!("| {name} | {:.0} | {:.1} |", size.0 as f64 / median, median * 1e9 / size.1 as f64);
        seconds.push((name.clone(), median));
    }
    let of = |name: &str| seconds.iter().find(|(n, _)| n == name).map_or(f64::NAN, |(_, s)| *s);
    println!("| ratio | |\n| --- | --- |");
    for (what, a, b) in [
        ("Stateright, 1 thread", "stateright, 1 thread", "facedown, 1 thread"),
        ("Stateright, 2 threads", "stateright, 2 threads", "facedown, 2 threads"),
        ("by hand", "by hand, 1 thread", "facedown, 1 thread"),
        ("2 threads against 1", "facedown, 1 thread", "facedown, 2 threads"),
    ] {
        println!("| {what} | {:.2} |", of(a) / of(b));
    }
    if quick {
        return;
    }
    println!("| engine | bytes a state: peak resident size less that after loading |\n| --- | --- |");
    for engine in ["facedown", "stateright"] {
        let me = std::env::current_exe().map(|p| p.into_os_string()).unwrap_or_default();
        let child =
            std::process::Command::new(me).args(["--memory-of", engine, "--world", &world, "--model", &model]).output();
        let text = child.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string()).unwrap_or_default();
        println!("| {engine} | {text} |");
    }
}

/// Bytes of the visited set for each of its numbers, scattered ones below 2^`bits`: the most at any size in between.
fn most_bytes<K: Key>(bits: u32) -> f64 {
    let scatter =
        |i: u64| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let mut set: Visited<K> = Visited::new(bits);
    let mut most = 0.0f64;
    for i in 0..4_000_000 {
        let number = (u128::from(scatter(i)) << 64 | u128::from(scatter(!i >> 1))) >> (128 - bits);
        set.add(K::narrow(number));
        if i >= 100_000 && i % 500 == 0 {
            most = most.max(set.table_bytes() as f64 / set.count() as f64);
            set.take_fresh();
        }
    }
    most
}

/// States a second and bytes a state, from 10^5 states to all of a world, or to so many.
fn sizes(program: &Program, world: &str, most: u64) {
    let stop = AtomicBool::new(false);
    let bounds = Bounds { states_max: Some(most), ..Bounds::new(2, &stop) };
    println!(
        "| states, world {world} | of them expanded | steps | states expanded a second, 2 threads | ns a step | bytes a state: set and levels |\n| --- | --- | --- | --- | --- | --- |"
    );
    let searched = with(program, world, &bounds, |e| {
        for size in (5..10).map(|ten| 10u64.pow(ten)).filter(|size| *size <= most) {
            let bounds = Bounds { states_max: Some(size), ..Bounds::new(2, &stop) };
            e.run.lay_out();
            // The median of five, where that is quick.
            let mut seconds = Vec::new();
            let mut found = None;
            for _ in 0..if size > 1_000_000 { 1 } else { 5 } {
                let began = Instant::now();
                found = e.run.again(&bounds).ok();
                seconds.push(began.elapsed().as_secs_f64());
            }
            seconds.sort_by(f64::total_cmp);
            let (Some((states, steps, _, depth)), seconds) = (found, seconds[seconds.len() / 2]) else { continue };
            let m = e.run.measured();
            let bytes = (m.set_bytes + m.level_bytes) as f64 / states as f64;
            // The last level of a beginning is known, but its states were not expanded.
            let levels = e.run.levels();
            let whole = states < size;
            let expanded: u64 = levels.iter().take(depth as usize + usize::from(whole)).map(|level| level.0).sum();
            println!(
                "| {states} | {expanded} | {steps} | {:.0} | {:.1} | {bytes:.2} |",
                expanded as f64 / seconds,
                seconds * 1e9 / steps as f64
            );
            if whole {
                break;
            }
        }
    });
    assert!(searched.is_some(), "there is no world {world}, or it can't be explored");
}

/// Milliseconds from a model's files to a law that is ready for a small world.
fn loading(model: &str, runs: usize) -> f64 {
    let mut all: Vec<f64> = (0..runs.max(1))
        .map(|_| {
            let began = Instant::now();
            let program = program(model);
            if let Some(at) = program.worlds.iter().position(|w| w.name == "tiny") {
                black_box(Law::new(&program, setting(&program, at)).components());
            }
            began.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// States, steps, sum of events and depth, by every way to make steps and every store.
fn ways(program: &Program) {
    let stop = AtomicBool::new(false);
    let all = [
        (Steps::Ready, StoreKind::Compact),
        (Steps::Compiled, StoreKind::Compact),
        (Steps::Traced, StoreKind::Flat),
        (Steps::Walker, StoreKind::Flat),
        (Steps::Ready, StoreKind::Disk),
    ];
    for (at, world) in program.worlds.iter().enumerate().filter(|(_, w)| !w.name.starts_with("deep")) {
        let came = all.map(|(steps, store)| {
            let bounds = Bounds { steps, store, ..Bounds::new(1, &stop) };
            explore(program, at, Claims::new(Vec::new()), &bounds, |e| (e.run.counts(), e.run.events()))
        });
        assert!(came.iter().all(|c| *c == came[0] && c.is_ok()), "world {}: {came:?}", world.name);
        println!("{}: {:?}", world.name, came[0]);
    }
}

/// Breadth-first over the world written by hand: the same set, asked of as many states together.
fn search_by_hand(plain: &Plain, mut see: impl FnMut(&[u64])) -> (u64, u64, u64, u32) {
    let mut set: Visited<u64> = Visited::new(40);
    let (mut steps, mut events, mut depth) = (0, 0u64, 0);
    let (mut successors, mut doubtful) = (Vec::new(), Vec::new());
    for state in Plain::starts() {
        set.add(state);
    }
    let mut level = set.take_fresh();
    loop {
        see(&level);
        for some in level.chunks(64) {
            successors.clear();
            for &state in some {
                plain.successors(state, &mut |next, event| {
                    steps += 1;
                    events = events.wrapping_add(event);
                    if next != state {
                        successors.push(next);
                    }
                });
            }
            set.doubtful(&successors, &mut doubtful);
            for &(_, image) in &doubtful {
                set.shards_mut()[Visited::<u64>::shard_of(image)].add(image);
            }
        }
        level = set.take_fresh();
        if level.is_empty() {
            return (set.count(), steps, events, depth);
        }
        depth += 1;
    }
}

fn explored_by_hand(plain: &Plain) -> (u64, u64, u64, u32) {
    search_by_hand(plain, |_| ())
}

fn listed_by_hand(plain: &Plain) -> Vec<u64> {
    let mut all = Vec::new();
    search_by_hand(plain, |level| all.extend(level));
    all
}

/// All steps of all states, added up, with no set.
fn rules_by_hand(plain: &Plain, states: &[u64]) -> u64 {
    let mut sum = 0u64;
    for &state in states {
        plain.successors(state, &mut |next, event| sum = sum.wrapping_add(next).wrapping_add(event));
    }
    sum
}

fn note(rows: &mut Vec<(String, Vec<f64>)>, name: &str, since: Instant) {
    let seconds = since.elapsed().as_secs_f64();
    match rows.iter_mut().find(|(n, _)| *n == name) {
        Some((_, list)) => list.push(seconds),
        None => rows.push((name.to_owned(), vec![seconds])),
    }
}

fn program(model: &str) -> Program {
    with_idle(model, 0)
}

/// The model with so many rules more, in four kinds, that watch what happens all the time and never apply.
fn with_idle(model: &str, idle: usize) -> Program {
    let events = ["turn_up", "turn_down", "move", "tap", "transform"];
    let rules = (0..idle).map(|i| {
        let head = format!("{}(o) when o in exile and o in hand and o.face_down", events[i / 4 % events.len()]);
        let clause = match i % 4 {
            0 => format!("forbid {head}"),
            1 => format!("instead {head}: bare(o)"),
            2 => format!("before {head}: bare(o)"),
            _ => format!("whenever {head}: bare(o)"),
        };
        format!("rule idle-{i} cites 100.1 {{\n  says en \"Nothing.\"\n  says it \"Niente.\"\n  {clause}\n}}\n")
    });
    let more = tempfile::tempdir().ok();
    let mut folders = vec![Path::new(model).to_path_buf()];
    if let (Some(more), true) = (&more, idle > 0) {
        let written = std::fs::write(more.path().join("idle.rules"), rules.collect::<String>());
        assert!(written.is_ok(), "{written:?}");
        folders.push(more.path().to_path_buf());
    }
    let files = load::folders(&folders).map(|l| l.files).unwrap_or_default();
    check::check(&files, &check::Options::default()).unwrap_or_else(|faults| {
        eprintln!("{faults:?}");
        Program::default()
    })
}

/// In a process of its own, under `valgrind`: the first search of a world, and so many more.
fn searches_alone(model: &str, world: &str, idle: usize, searches: usize) {
    let stop = AtomicBool::new(false);
    let program = with_idle(model, idle);
    let at = program.worlds.iter().position(|w| w.name == world).unwrap_or(usize::MAX);
    let counts = explore(&program, at, Claims::new(Vec::new()), &Bounds::new(1, &stop), |e| {
        e.run.lay_out();
        for _ in 0..searches {
            assert!(e.run.again(&Bounds::new(1, &stop)).is_ok());
        }
        e.run.counts()
    });
    println!("{counts:?}");
}

/// Instructions of loading and the first search, which learns, and of one more, with and without rules that never apply.
fn instructions(model: &str, world: &str) {
    let counted = |idle: usize, searches: usize| {
        let me = std::env::current_exe().unwrap_or_default();
        let out = std::process::Command::new("valgrind")
            .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
            .arg(me)
            .args([
                "--idle",
                &idle.to_string(),
                "--searches",
                &searches.to_string(),
                "--world",
                world,
                "--model",
                model,
            ])
            .output();
        let text = out.map(|o| String::from_utf8_lossy(&o.stderr).into_owned()).unwrap_or_default();
        let refs = text.lines().find_map(|line| line.split("I   refs:").nth(1).or(line.split("I refs:").nth(1)));
        let digits: String = refs.unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
        digits.parse::<f64>().unwrap_or(f64::NAN)
    };
    println!("| instructions, world {world} | as shipped | 20 idle rules more | |\n| --- | --- | --- | --- |");
    let [first, first_idle] = [0, 20].map(|idle| counted(idle, 0));
    let [both, both_idle] = [0, 20].map(|idle| counted(idle, 1));
    for (what, a, b) in [
        ("loading, and the first search, which learns", first, first_idle),
        ("one more search", both - first, both_idle - first_idle),
    ] {
        println!("| {what} | {a:.0} | {b:.0} | {:+.1} % |", (b / a - 1.0) * 100.0);
    }
}

/// Explores a world without properties, and hands it over.
fn with<T>(program: &Program, world: &str, bounds: &Bounds, use_it: impl FnOnce(Explored) -> T) -> Option<T> {
    let at = program.worlds.iter().position(|w| w.name == world)?;
    explore(program, at, Claims::new(Vec::new()), bounds, use_it).ok()
}

/// A figure of this process in bytes, where the system tells it.
fn status(field: &str) -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|l| l.starts_with(field));
    line.and_then(|l| l.split_whitespace().nth(1)).and_then(|n| n.parse::<f64>().ok()).unwrap_or(0.0) * 1024.0
}

/// In a process of its own: bytes for each state at the peak, less those after loading.
fn memory(model: &str, engine: &str, world: &str) {
    let program = program(model);
    let loaded = status("VmRSS:");
    let stop = AtomicBool::new(false);
    let bounds = Bounds::new(2, &stop);
    let bytes = with(&program, world, &bounds, |e| {
        let states = e.run.counts().0 as f64;
        if engine == "facedown" {
            return (status("VmHWM:") - loaded) / states;
        }
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        let before = status("VmRSS:");
        e.run.lay_out();
        let _ = e.run.stateright(2, false);
        (status("VmHWM:") - before) / states
    });
    println!("{:.1}", bytes.unwrap_or(0.0));
}
