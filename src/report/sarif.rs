//! A sheet as SARIF 2.1.0: one result for each defect, at the line of the law that should be looked at first, with the
//! play as a code flow. What passes is no result; faults of the program, what is not known and defects that stand nowhere
//! are notifications of the run.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use serde_sarif::sarif::{
    ArtifactLocation, CodeFlow, Invocation, Location, Message, MultiformatMessageString, Notification,
    PhysicalLocation, PropertyBag, Region, ReportingDescriptor, Result as SarifResult, ResultLevel, Run,
    RunAutomationDetails, Sarif, ThreadFlow, ThreadFlowLocation, Tool, ToolComponent,
};

use super::sheet::{Case, Defect, FAULTS, Outcome, Place, Sheet, clean, one_line};
use super::wording::checksum;
use crate::judge::verdict::{STATUS_FAILED, STATUS_OK};

/// Where the schema of this version is published.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// What a result is known by from run to run: its name and verdict, never its line.
const FINGERPRINT: &str = "facedownCase/v1";

/// The text of a file.
pub fn text(sheet: &Sheet) -> Result<String, serde_json::Error> {
    let mut rules: Vec<ReportingDescriptor> = Vec::new();
    let mut ids: BTreeMap<String, i64> = BTreeMap::new();
    let mut results = Vec::new();
    for (case, defect) in sheet.defects().filter(|(case, _)| case.group != FAULTS) {
        let Some(at) = &defect.at else { continue };
        let id = one_line(&case.name);
        let index = *ids.entry(id.clone()).or_insert_with(|| {
            rules.push(descriptor(&id, case));
            i64::try_from(rules.len() - 1).unwrap_or(0)
        });
        results.push(result(case, defect, at, id, index));
    }
    let mut driver = ToolComponent::builder()
        .name(env!("CARGO_PKG_NAME"))
        .version(env!("CARGO_PKG_VERSION"))
        .semantic_version(env!("CARGO_PKG_VERSION"))
        .full_name(concat!("facedown ", env!("CARGO_PKG_VERSION")))
        .short_description(described(env!("CARGO_PKG_DESCRIPTION")))
        .rules(rules)
        .build();
    let home = Some(env!("CARGO_PKG_REPOSITORY")).filter(|home| !home.is_empty());
    driver.information_uri = home.or(sheet.base.as_deref()).map(str::to_owned);
    let details = RunAutomationDetails::builder()
        .id(sheet.title.replace(' ', "/") + "/")
        .description(message(&sheet.sentence))
        .build();
    let run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .automation_details(details)
        .column_kind(json!("unicodeCodePoints"))
        .invocations(vec![invocation(sheet)])
        .language("en")
        .results(results)
        .build();
    let log = Sarif::builder().schema(SCHEMA).version(json!("2.1.0")).runs(vec![run]).build();
    Ok(serde_json::to_string_pretty(&log)? + "\n")
}

fn invocation(sheet: &Sheet) -> Invocation {
    let told = sheet.cases.iter().filter_map(|case| match &case.outcome {
        Outcome::Failed(d) if case.group == FAULTS || d.at.is_none() => Some(notification("error", &d.message, case)),
        Outcome::Skipped(why) if case.group == "worlds" => {
            Some(notification("warning", &format!("world {}: {why}", case.name), case))
        }
        Outcome::Failed(_) | Outcome::Passed(_) | Outcome::Skipped(_) => None,
    });
    Invocation::builder()
        // A run that found defects went well; one that was cut short or failed did not.
        .execution_successful(matches!(sheet.exit_status, STATUS_OK | STATUS_FAILED))
        .exit_code(i64::from(sheet.exit_status))
        .exit_code_description(one_line(&sheet.sentence))
        .tool_execution_notifications(told.collect::<Vec<_>>())
        .build()
}

fn notification(level: &str, text: &str, case: &Case) -> Notification {
    let locations: Vec<Location> = case.place.iter().map(|place| location(place, None)).collect();
    Notification::builder().level(json!(level)).message(message(text)).locations(locations).build()
}

fn descriptor(id: &str, case: &Case) -> ReportingDescriptor {
    let says = case.says.clone().unwrap_or_else(|| format!("{}: {}", case.group, case.name));
    let tags: Vec<String> = std::iter::once(&case.group).chain(&case.cites).map(|tag| one_line(tag)).collect();
    let mut unique: Vec<String> = Vec::new();
    tags.into_iter().for_each(|tag| {
        if !unique.contains(&tag) {
            unique.push(tag);
        }
    });
    ReportingDescriptor::builder()
        .id(id)
        .short_description(described(&says))
        .properties(PropertyBag::builder().tags(unique).build())
        .build()
}

fn result(case: &Case, defect: &Defect, at: &Place, id: String, index: i64) -> SarifResult {
    let fingerprint = checksum([case.group.as_str(), &case.name, &defect.verdict]);
    let related = defect.related.iter().zip(1i64..).map(|((place, what), n)| {
        let mut location = location(place, Some(what));
        location.id = Some(n);
        location
    });
    let properties: BTreeMap<String, Value> =
        [("verdict".to_owned(), json!(defect.verdict)), ("text".to_owned(), json!(clean(&defect.text)))].into();
    let mut result = SarifResult::builder()
        .rule_id(id)
        .rule_index(index)
        .level(ResultLevel::Error)
        .message(message(&defect.message))
        .locations(vec![location(at, None)])
        .related_locations(related.collect::<Vec<_>>())
        .partial_fingerprints(BTreeMap::from([(FINGERPRINT.to_owned(), fingerprint)]))
        .properties(PropertyBag::builder().additional_properties(properties).build())
        .build();
    if !defect.steps.is_empty() {
        let steps = defect.steps.iter().map(|(place, what)| {
            let place = place.as_ref().map(|place| location(place, Some(what)));
            let bare = || Location::builder().message(message(what)).build();
            ThreadFlowLocation::builder().location(place.unwrap_or_else(bare)).build()
        });
        let flow = ThreadFlow::builder().locations(steps.collect::<Vec<_>>()).build();
        result.code_flows = Some(vec![CodeFlow::builder().thread_flows(vec![flow]).build()]);
    }
    result
}

fn location(place: &Place, what: Option<&str>) -> Location {
    let region = Region::builder()
        .start_line(i64::from(place.line.max(1)))
        .start_column(i64::from(place.column.max(1)))
        .end_line(i64::from(place.end_line.max(place.line).max(1)))
        .end_column(i64::from(place.end_column.max(1)))
        .build();
    let artifact = ArtifactLocation::builder().uri(uri(&place.path)).build();
    let physical = PhysicalLocation::builder().artifact_location(artifact).region(region).build();
    let mut location = Location::builder().physical_location(physical).build();
    location.message = what.map(message);
    location.properties = place.revision.as_ref().map(|revision| {
        let more = BTreeMap::from([("revision".to_owned(), json!(revision))]);
        PropertyBag::builder().additional_properties(more).build()
    });
    location
}

/// A path as a URI: relative, as it was named; a rooted one is a file of this machine.
fn uri(path: &str) -> String {
    let root = if Place::is_relative(path) {
        ""
    } else if path.starts_with('/') {
        "file://"
    } else {
        "file:///"
    };
    root.to_owned() + &Place::uri_path(path)
}

fn message(text: &str) -> Message {
    Message::builder().text(escaped(text)).build()
}

fn described(text: &str) -> MultiformatMessageString {
    MultiformatMessageString::builder().text(escaped(text)).build()
}

/// In a message braces are doubled, since single ones are placeholders, and nothing is a link by accident.
fn escaped(text: &str) -> String {
    clean(text).replace('{', "{{").replace('}', "}}").replace("](", "] (")
}
