//! Where output goes, and what ends a command early. A reader that closes its pipe is no error: what is left to print is
//! dropped, and the status is still that of the whole run.

use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::lang::diag::{self, Diag};
use crate::lang::source::Sources;

/// The surroundings of a run.
pub struct Io<'a> {
    /// Standard output: what is reproducible.
    pub out: &'a mut dyn Write,
    /// Standard error: mistakes, progress, what is measured.
    pub err: &'a mut dyn Write,
    /// Set when the user wants an end.
    pub stop: Arc<AtomicBool>,
    /// Whether progress is shown.
    pub terminal: bool,
    /// Whether mistakes are shown in colours.
    pub color: bool,
    /// Whether this is a machine that must not rewrite baselines.
    pub ci: bool,
    /// Where the files of this folder can be read by a browser, if that is known.
    pub source_url: Option<String>,
}

impl Io<'_> {
    /// Prints to standard output.
    pub fn print(&mut self, text: &str) -> Result<(), Failure> {
        unless_closed(self.out.write_all(text.as_bytes()))
    }

    /// Sends off what was printed.
    pub fn flush(&mut self) -> Result<(), Failure> {
        unless_closed(self.out.flush())
    }

    /// Prints to standard error. If nobody reads that, there is nobody to tell.
    pub fn tell(&mut self, text: &str) {
        let _ = self.err.write_all(text.as_bytes()).and_then(|()| self.err.flush());
    }
}

fn unless_closed(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::Output(error)),
        Err(_) | Ok(()) => Ok(()),
    }
}

/// What ends a command early.
#[derive(Debug)]
pub enum Failure {
    /// The input or the command line is wrong: one lowercase sentence, and perhaps a help line.
    Input(String, Option<String>),
    /// The model is wrong.
    Model(Box<Sources>, Vec<Diag>),
    /// Standard output can't be written.
    Output(io::Error),
    /// A fault of the program itself.
    Fault(String),
}

impl Failure {
    /// Wrong input, without help.
    pub fn input(message: impl Into<String>) -> Failure {
        Failure::Input(message.into(), None)
    }

    /// Wrong input, with help.
    pub fn helped(message: impl Into<String>, help: Option<String>) -> Failure {
        Failure::Input(message.into(), help)
    }

    /// The text for standard error.
    pub fn text(&self, color: bool) -> String {
        match self {
            Failure::Input(message, None) => format!("error: {message}\n"),
            Failure::Input(message, Some(help)) => format!("error: {message}\nhelp: {help}\n"),
            Failure::Model(sources, diags) => {
                let n = diags.len();
                let counted = if n == 1 { "1 mistake".to_owned() } else { format!("{n} mistakes") };
                format!("{}error: {counted} in the model\n", diag::render(sources, diags, color))
            }
            Failure::Output(error) => format!("error: the output can't be written: {error}\n"),
            Failure::Fault(message) => {
                format!(
                    "fault: {message}\nhelp: this is a fault of facedown itself, not of the model; please report it\n"
                )
            }
        }
    }
}
