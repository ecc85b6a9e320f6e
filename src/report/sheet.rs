//! What a command found, case by case, in the shape that every format for machines is written from: JUnit, SARIF, GitHub
//! annotations, Markdown. A check and a diff both make a sheet; no format knows which of them it came from.

/// A place in a file of the model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The path as it was read, with `/` between folders; of a revision, the path inside the repository.
    pub path: String,
    /// The git revision that the file was read from; none: the folder as it lies on the disk.
    pub revision: Option<String>,
    /// First line, from 1.
    pub line: u32,
    /// First column, from 1.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// The column after the last.
    pub end_column: u32,
}

/// What something is wrong with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// The verdict in a word: `violated`, `vacuous`, `unreached`, `fails`, `differs`, ….
    pub verdict: String,
    /// One line that names the property and says what is wrong.
    pub message: String,
    /// All there is to say, with the play: several lines of text.
    pub text: String,
    /// The line that should be looked at first: of the rule that was changed, else of the rule that was last at work in
    /// the play, else of the property.
    pub at: Option<Place>,
    /// Other places, each with a few words that say what stands there.
    pub related: Vec<(Place, String)>,
}

/// How a case came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As promised, with what was found: `holds in 37 worlds`.
    Passed(String),
    /// Not as promised.
    Failed(Defect),
    /// Nothing is known, with the reason.
    Skipped(String),
}

/// One thing that was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// What kind of thing, in the plural: `invariants`, `witnesses`, `conjectures`, `rulings`, `worlds`, `baseline`,
    /// `behaviour`.
    pub group: String,
    /// Its name.
    pub name: String,
    /// Where it is written, if it is.
    pub place: Option<Place>,
    /// Rule numbers.
    pub cites: Vec<String>,
    /// How it came out.
    pub outcome: Outcome,
}

/// Everything that a command found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// The command, in words: `facedown check`.
    pub title: String,
    /// The summary: what was proved, or what is wrong.
    pub sentence: String,
    /// Every case, in a fixed order.
    pub cases: Vec<Case>,
    /// The exit status of the command.
    pub exit_status: u8,
}

impl Sheet {
    /// The cases that failed, with their defects.
    pub fn defects(&self) -> impl Iterator<Item = (&Case, &Defect)> {
        self.cases.iter().filter_map(|case| match &case.outcome {
            Outcome::Failed(defect) => Some((case, defect)),
            Outcome::Passed(_) | Outcome::Skipped(_) => None,
        })
    }
}
