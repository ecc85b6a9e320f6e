//! The line on a terminal that tells how an exploration goes. Nothing of it reaches standard output.

use indicatif::{ProgressBar, ProgressStyle};

use crate::judge::run::{OnProgress, Progress};
use crate::report::text::grouped;

/// The line of one world; it goes when this is dropped.
pub(super) struct Line {
    bar: ProgressBar,
}

impl Line {
    pub(super) fn new() -> Line {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        Line { bar }
    }

    /// What the engine calls.
    pub(super) fn listener(&self) -> OnProgress {
        let bar = self.bar.clone();
        Box::new(move |progress: &Progress| {
            bar.set_message(message(progress));
            bar.tick();
        })
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn message(progress: &Progress) -> String {
    let speed = if progress.seconds > 0.0 { progress.states as f64 / progress.seconds } else { 0.0 };
    format!(
        "{}: {} states ({}/s), {} steps, depth {}, frontier {}, {} MiB, {:.0} s",
        progress.world,
        grouped(progress.states),
        grouped(speed as u64),
        grouped(progress.steps),
        progress.depth,
        grouped(progress.frontier),
        grouped(progress.bytes >> 20),
        progress.seconds
    )
}
