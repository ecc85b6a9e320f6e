//! `facedown coverage`: what the worlds and rulings leave untouched of the law, and what states each seed sentence. It
//! reads the lists of what is explained and prints; what counts as covered is decided in `law` and `report`.

use std::path::PathBuf;

use super::args::Coverage;
use super::engine::Engine;
use super::io::{Failure, Io};
use super::load::{self, FILE_BYTES_MAX, ReadError};
use super::worlds::PROPERTIES;
use crate::judge::verdict::{STATUS_FAILED, STATUS_OK};
use crate::report::seeds;

/// The sentences, in the folder of properties.
const SEEDS: &str = "seeds.tsv";

pub(super) fn run(args: &Coverage, engine: &dyn Engine, io: &mut Io) -> Result<u8, Failure> {
    let _ = engine;
    table(args, io)
}

/// A file in the folder of properties, and its text if it is there.
fn beside_properties(args: &Coverage, name: &str) -> Result<(String, Option<String>), Failure> {
    let folder = args.model.properties.clone().unwrap_or_else(|| PathBuf::from(PROPERTIES));
    let path = folder.join(name);
    let shown = load::shown(&path);
    match load::read_limited(&path, FILE_BYTES_MAX) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok((shown, Some(text))),
            Err(_) => Err(Failure::input(format!("`{shown}` is not UTF-8"))),
        },
        Err(ReadError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => Ok((shown, None)),
        Err(ReadError::Io(error)) => Err(Failure::input(format!("`{shown}` can't be read: {}", load::words(&error)))),
        Err(ReadError::TooLarge) => {
            Err(Failure::input(format!("`{shown}` is larger than the limit of {FILE_BYTES_MAX} bytes")))
        }
    }
}

/// Prints the seed table.
fn table(args: &Coverage, io: &mut Io) -> Result<u8, Failure> {
    let loaded = args.model.load()?;
    let (shown, text) = beside_properties(args, SEEDS)?;
    let Some(text) = text else {
        return Err(Failure::input(format!("`{shown}` is not there, which lists the sentences")));
    };
    let sentences = seeds::sentences(&text).map_err(|why| Failure::input(format!("`{shown}`: {why}")))?;
    let table = seeds::table(&loaded.files, &sentences);
    io.print(&table.text)?;
    table.faults.iter().for_each(|fault| io.tell(&format!("{fault}\n")));
    Ok(if table.faults.is_empty() { STATUS_OK } else { STATUS_FAILED })
}
