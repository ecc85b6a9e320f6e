//! `facedown witness`: can this ever happen? The question becomes a witness of the language, checked with the model like
//! any other; the properties and rulings of the model are left aside.

use super::args::{Format, Keep, Witness};
use super::engine::Engine;
use super::io::{Failure, Io};
use super::worlds::{explore, world_named};
use crate::judge::verdict::{self, STATUS_FAILED, STATUS_INCOMPLETE, STATUS_INTERRUPTED, STATUS_OK, Verdict};
use crate::lang::ast::{Item, PropertyKind};
use crate::report::text::grouped;
use crate::report::trace;

/// The name of the question among the files.
const FILE: &str = "<expression>";
/// The longest question, in bytes.
const EXPRESSION_BYTES_MAX: usize = 1 << 16;

pub(super) fn run(args: &Witness, engine: &dyn Engine, io: &mut Io) -> Result<u8, Failure> {
    if args.expression.len() > EXPRESSION_BYTES_MAX {
        return Err(Failure::input(format!("the expression is longer than the limit of {EXPRESSION_BYTES_MAX} bytes")));
    }
    let mut loaded = args.model.load()?;
    for file in &mut loaded.files {
        file.items.retain(|item| !matches!(item, Item::Property(_) | Item::Ruling(_)));
    }
    // The world is looked up before the question is checked, so that a wrong name is told as such.
    let known = |item: &Item| matches!(item, Item::World(world) if world.name.text == args.world);
    if !loaded.files.iter().flat_map(|f| &f.items).any(known) {
        let (_, program) = args.model.check(loaded)?;
        world_named(&program, &args.world)?;
        return Err(Failure::Fault(format!("the world {} is there and was not found", args.world)));
    }
    let mut diags = Vec::new();
    let text = format!("witness asked in {} {{\n  possible {}\n}}\n", args.world, args.expression.trim());
    loaded.add(FILE, text, &mut diags);
    if !diags.is_empty() {
        return Err(Failure::Model(Box::new(loaded.sources), diags));
    }
    let only_the_question = |items: &[Item]| matches!(items, [Item::Property(p)] if p.kind == PropertyKind::Witness && p.name.text == "asked");
    if !loaded.files.last().is_some_and(|file| only_the_question(&file.items)) {
        return Err(Failure::input("the expression ends before its end: give one expression, as after `possible`"));
    }
    let (sources, program) = args.model.check(loaded)?;
    let world = world_named(&program, &args.world)?;
    let result = explore(&sources, &program, world, (&args.explore, &Keep::default()), engine, io)?;
    let results = [result];
    let judgement = verdict::judge(&program, &results);
    let ([result], Some(judged)) = (&results, judgement.properties.first()) else {
        return Err(Failure::Fault("the question was lost".to_owned()));
    };
    if let Some(fault) = judgement.faults.first() {
        return Err(Failure::Fault(fault.clone()));
    }
    let symmetry = if result.symmetry.is_some() { " up to symmetry" } else { "" };
    let states = format!("{} states{symmetry}", grouped(result.unique_states));
    let (status, text) = match (judged.verdict, &judged.trace) {
        (Verdict::Reached, Some(play)) if args.format == Format::Json => {
            let json = serde_json::to_string_pretty(play).map_err(|e| Failure::Fault(e.to_string()))?;
            (STATUS_OK, json + "\n")
        }
        (Verdict::Reached, Some(play)) => {
            let n = play.steps.len();
            let steps = if n == 1 { "1 step".to_owned() } else { format!("{n} steps") };
            (STATUS_OK, format!("reached in {steps}\n{}", trace::text(play, &args.model.replay(), "")))
        }
        (Verdict::Unreached, _) => (STATUS_FAILED, format!("no play of this world reaches it (complete: {states})\n")),
        _ => {
            let why = result.why.as_deref().unwrap_or("not explored to its end");
            let status = if result.interrupted { STATUS_INTERRUPTED } else { STATUS_INCOMPLETE };
            (status, format!("not reached so far (incomplete after {states}: {why})\n"))
        }
    };
    if args.format == Format::Json && status != STATUS_OK {
        // There is no play to print: standard output says so in JSON, standard error in words.
        io.print("null\n")?;
        io.tell(&text);
    } else {
        io.print(&text)?;
    }
    Ok(status)
}
