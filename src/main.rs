//! The program: hands the command line, the streams and the interrupt to the library, and nothing more.

use std::io::{BufWriter, IsTerminal, stderr, stdout};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use facedown::cli::engines::Engines;
use facedown::cli::{self, Io};

fn main() -> ExitCode {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let handled = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::SeqCst) {
            // Asked twice: the user does not want to wait for what was found so far.
            std::process::exit(130);
        }
    });
    let terminal = stderr().is_terminal();
    let mut out = BufWriter::new(stdout());
    let mut err = stderr();
    let mut io = Io {
        out: &mut out,
        err: &mut err,
        stop,
        terminal,
        color: terminal && std::env::var_os("NO_COLOR").is_none(),
        ci: std::env::var_os("CI").is_some_and(|value| !value.is_empty()),
        source_url: source_url(),
    };
    if let Err(error) = handled {
        io.tell(&format!("an interrupt will end the run at once: {error}\n"));
    }
    ExitCode::from(cli::run(std::env::args_os(), &Engines, &mut io))
}

/// In a GitHub workflow: where the files of the commit can be read.
fn source_url() -> Option<String> {
    let told = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    Some(format!("{}/{}/blob/{}", told("GITHUB_SERVER_URL")?, told("GITHUB_REPOSITORY")?, told("GITHUB_SHA")?))
}
