//! A sheet as JUnit XML: a suite for each group, a case for each case. No time is in it, so that equal runs have equal
//! bytes.

use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::sheet::{Case, Outcome, Sheet, clean, one_line};

/// The text of a file.
pub fn text(sheet: &Sheet) -> Result<String, SerializeError> {
    let mut report = Report::new(one_line(&sheet.title));
    for (group, cases) in sheet.groups() {
        let mut suite = TestSuite::new(one_line(group));
        suite.add_test_cases(cases.into_iter().map(test_case));
        report.add_test_suite(suite);
    }
    report.to_string()
}

fn test_case(case: &Case) -> TestCase {
    let status = match &case.outcome {
        Outcome::Passed(_) => TestCaseStatus::success(),
        Outcome::Failed(defect) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let mut text = clean(&defect.text);
            for (place, what) in defect.at.iter().map(|at| (at, "look at")).chain(related(defect)) {
                text.push_str(&format!("\n{}: {}", one_line(what), one_line(&place.shown())));
            }
            status.set_type(one_line(&defect.verdict)).set_message(one_line(&defect.message)).set_description(text);
            status
        }
        Outcome::Skipped(why) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(one_line(why));
            status
        }
    };
    let mut out = TestCase::new(one_line(&case.name), status);
    out.set_classname(one_line(case.place.as_ref().map_or(&case.group, |place| &place.path)));
    if let Outcome::Passed(found) = &case.outcome {
        out.set_system_out(clean(found));
    }
    out
}

fn related(defect: &super::sheet::Defect) -> impl Iterator<Item = (&super::sheet::Place, &str)> {
    defect.related.iter().map(|(place, what)| (place, what.as_str()))
}
