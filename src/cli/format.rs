//! `facedown fmt`: puts the spaces of model files right, in place, or tells which files differ.

use std::path::{Path, PathBuf};

use super::args::Fmt;
use super::io::{Failure, Io};
use super::load::{self, FILE_BYTES_MAX, ReadError};
use super::worlds::{MODEL, PROPERTIES};
use super::write;
use crate::judge::verdict::{STATUS_FAILED, STATUS_OK};
use crate::lang::ast::Span;
use crate::lang::diag::{Code, Diag};
use crate::lang::fmt;
use crate::lang::source::Sources;

pub(super) fn run(args: &Fmt, io: &mut Io) -> Result<u8, Failure> {
    let default = || vec![PathBuf::from(MODEL), PathBuf::from(PROPERTIES)];
    let (found, mut diags) = load::find(&if args.paths.is_empty() { default() } else { args.paths.clone() });
    let mut sources = Sources::default();
    let mut differ = 0;
    for (name, path) in &found {
        let text = match read(path, name) {
            Ok(text) => text,
            Err(failure) => {
                diags.push(failure);
                continue;
            }
        };
        match fmt::format(&text) {
            Ok(formatted) if formatted == text => {}
            Ok(formatted) => {
                differ += 1;
                io.print(&format!("{name}\n"))?;
                if !args.check {
                    write::replace(path, &formatted)?;
                }
            }
            Err(wrong) => {
                let file = sources.add(name, text);
                diags.extend(wrong.into_iter().map(|d| Diag { span: Span { file, ..d.span }, ..d }));
            }
        }
    }
    if !diags.is_empty() {
        return Err(Failure::Model(Box::new(sources), diags));
    }
    Ok(if args.check && differ > 0 { STATUS_FAILED } else { STATUS_OK })
}

fn read(path: &Path, name: &str) -> Result<String, Diag> {
    let wrong = |code, message: String| Diag::new(code, Span { file: u16::MAX, start: 0, end: 0 }, message);
    match load::read_limited(path, FILE_BYTES_MAX) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| wrong(Code::L101, format!("`{name}` is not UTF-8"))),
        Err(ReadError::TooLarge) => {
            Err(wrong(Code::L104, format!("`{name}` is larger than the limit of {FILE_BYTES_MAX} bytes")))
        }
        Err(ReadError::Io(error)) => Err(wrong(Code::L303, format!("`{name}` can't be read: {}", load::words(&error)))),
    }
}
