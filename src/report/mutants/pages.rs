//! The mutants as a page of Markdown, and as one page of HTML that needs nothing else: what kills the mutants of each rule.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{MutantReport, Report, Row};

/// The report as Markdown.
pub fn markdown(report: &Report) -> String {
    let mut out = format!("# Mutants of the law\n\n{}.\n\n", report.sentence());
    out.push_str("| rule | mutants | killed | by rulings | by caps and faults | by properties (shortest play) |\n");
    out.push_str("| --- | ---: | ---: | ---: | ---: | --- |\n");
    for row in &report.rules {
        let properties: Vec<String> = row.by_property.iter().map(|(name, cell)| told(name, *cell)).collect();
        let Row { rule, tried, killed, by_rulings, by_worlds, .. } = row;
        let list = properties.join(", ");
        let _ = writeln!(out, "| {rule} | {tried} | {killed} | {by_rulings} | {by_worlds} | {list} |");
    }
    out.push_str("\n| edit | mutants | killed |\n| --- | ---: | ---: |\n");
    for (kind, tried, killed) in &report.kinds {
        let _ = writeln!(out, "| {kind} | {tried} | {killed} |");
    }
    out.push_str("\n## Survivors\n\n");
    for m in survivors(report) {
        let why = m.explained.as_deref().unwrap_or("not explained");
        let _ = writeln!(out, "- `{}` ({}): `{}`: {why}", m.name, m.place, m.edit());
    }
    if report.never_broken.is_some() {
        out.push_str("\n## Invariants that no mutant breaks\n\n");
    }
    report.never_broken.iter().flatten().for_each(|name| {
        let _ = writeln!(out, "- {name}");
    });
    out
}

fn told(name: &str, (count, steps): (usize, Option<u32>)) -> String {
    match steps {
        Some(steps) => format!("{name} {count} ({steps})"),
        None => format!("{name} {count}"),
    }
}

fn survivors(report: &Report) -> impl Iterator<Item = &MutantReport> {
    report.mutants.iter().filter(|m| m.fate == "survived")
}

const STYLE: &str = "
body { font: 14px/1.4 system-ui, sans-serif; margin: 1.5em; color: #222; background: #fff }
table { border-collapse: collapse }
th, td { border: 1px solid #ddd; padding: 1px 5px; text-align: right; white-space: nowrap }
th[scope=row] { text-align: left; position: sticky; left: 0; background: #fff; font-weight: normal }
thead th { position: sticky; top: 0; background: #fff; vertical-align: bottom; z-index: 1 }
thead th span { writing-mode: vertical-rl; transform: rotate(180deg); font-weight: normal }
td.k { background: #d8eed8 } td.s { background: #f6d5d5 }
td small { color: #666 }
.matrix { overflow: auto; max-height: 90vh; border: 1px solid #ccc }
li { margin: .3em 0 } code { font-size: 13px }
";

/// The report as one page of HTML.
pub fn html(report: &Report) -> String {
    let mut out = String::from("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n");
    let _ = write!(out, "<title>Mutants of the law</title>\n<style>{STYLE}</style>\n<h1>Mutants of the law</h1>\n");
    let _ = writeln!(out, "<p>{}.</p>", escaped(&report.sentence()));
    out.push_str(
        "<p>In a cell: how many mutants of the rule the property kills, and the steps of the shortest play.</p>\n",
    );
    matrix(report, &mut out);
    out.push_str("<h2>By edit</h2>\n<table>\n<tr><th>edit<th>mutants<th>killed\n");
    for (kind, tried, killed) in &report.kinds {
        let _ = writeln!(out, "<tr><th scope=\"row\">{}<td>{tried}<td>{killed}", escaped(kind));
    }
    out.push_str("</table>\n<h2>Survivors</h2>\n<ul>\n");
    for m in survivors(report) {
        let why = m.explained.as_deref().unwrap_or("not explained");
        let (name, place, edit) = (escaped(&m.name), escaped(&m.place), escaped(&m.edit()));
        let _ = writeln!(out, "<li><code>{name}</code> ({place}): {}<br><code>{edit}</code>", escaped(why));
    }
    out.push_str("</ul>\n");
    if report.never_broken.is_some() {
        out.push_str("<h2>Invariants that no mutant breaks</h2>\n<ul>\n");
    }
    report.never_broken.iter().flatten().for_each(|name| {
        let _ = writeln!(out, "<li>{}", escaped(name));
    });
    out.push_str(if report.never_broken.is_some() { "</ul>\n</html>\n" } else { "</html>\n" });
    out
}

fn matrix(report: &Report, out: &mut String) {
    let properties: BTreeSet<&String> = report.rules.iter().flat_map(|row| row.by_property.keys()).collect();
    out.push_str("<div class=\"matrix\"><table>\n<thead><tr><th>rule<th>mutants<th>survive");
    for name in ["rulings", "caps and faults"].into_iter().chain(properties.iter().map(|p| p.as_str())) {
        let _ = write!(out, "<th><span>{}</span>", escaped(name));
    }
    out.push_str("</thead>\n<tbody>\n");
    for row in &report.rules {
        let left = row.tried - row.killed;
        let class = if left > 0 { " class=\"s\"" } else { "" };
        let _ = write!(out, "<tr><th scope=\"row\">{}<td>{}<td{class}>{left}", escaped(&row.rule), row.tried);
        let cells = [(row.by_rulings, None), (row.by_worlds, None)].into_iter();
        let cells = cells.chain(properties.iter().map(|p| row.by_property.get(*p).copied().unwrap_or_default()));
        for cell in cells {
            let _ = match cell {
                (0, _) => write!(out, "<td>"),
                (count, Some(steps)) => write!(out, "<td class=\"k\">{count} <small>{steps}</small>"),
                (count, None) => write!(out, "<td class=\"k\">{count}"),
            };
        }
        out.push('\n');
    }
    out.push_str("</tbody></table></div>\n");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
