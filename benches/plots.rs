//! Plots of what searches did, from a report: `facedown check --all --format json > all.json`, then
//! `cargo bench --bench plots -- all.json …` writes `docs/plots/*.svg`. Where several reports have a world, the last counts.

use plotters::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::error::Error;

/// Worlds below so many states say nothing of speed.
const STATES_MIN: f64 = 10_000.0;

/// A world: its states by depth, bytes a state (set, levels), states a second.
struct World {
    name: String,
    by_depth: Vec<f64>,
    set: f64,
    levels: f64,
    peak: f64,
    speed: f64,
}

impl World {
    fn states(&self) -> f64 {
        self.by_depth.iter().sum()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut worlds: BTreeMap<String, World> = BTreeMap::new();
    for path in std::env::args().skip(1).filter(|a| !a.starts_with("--")) {
        let report: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
        for (name, run) in report["run"]["worlds"].as_object().into_iter().flatten() {
            let search = &run["search"];
            let number = |v: &Value| v.as_f64().unwrap_or(0.0);
            let by_depth: Vec<f64> =
                search["levels"].as_array().into_iter().flatten().map(|l| number(&l["states"])).collect();
            let states: f64 = by_depth.iter().sum();
            if states >= STATES_MIN {
                let each = |field: &str| number(&search[field]) / states;
                let (set, levels, peak) = (each("set_bytes"), each("level_bytes"), each("peak_bytes"));
                let speed = states / number(&run["seconds"]).max(1e-9);
                worlds.insert(name.clone(), World { name: name.clone(), by_depth, set, levels, peak, speed });
            }
        }
    }
    let mut worlds: Vec<World> = worlds.into_values().collect();
    worlds.sort_by(|a, b| a.states().total_cmp(&b.states()));
    if worlds.is_empty() {
        return Err(
            "no world of 10,000 states in the reports: give the JSON of `facedown check --all --format json`".into()
        );
    }
    std::fs::create_dir_all("docs/plots")?;
    depths(&worlds)?;
    let bytes: [Line; 3] =
        [("visited set", RED, |w| w.set), ("levels", BLUE, |w| w.levels), ("all at the peak", BLACK, |w| w.peak)];
    by_size("docs/plots/memory.svg", "Bytes a state by size", &worlds, &bytes)?;
    by_size(
        "docs/plots/speed.svg",
        "States a second by size, learning included",
        &worlds,
        &[("states a second", RED, |w| w.speed)],
    )
}

/// What is drawn of each world, how it is called, and in which colour.
type Line = (&'static str, RGBColor, fn(&World) -> f64);

/// States of each level, for the five largest worlds.
fn depths(worlds: &[World]) -> Result<(), Box<dyn Error>> {
    let largest = &worlds[worlds.len().saturating_sub(5)..];
    let deepest = largest.iter().map(|w| w.by_depth.len()).max().unwrap_or(1) as f64;
    let widest = largest.iter().flat_map(|w| &w.by_depth).fold(1.0, |a: f64, b| a.max(*b));
    let root = SVGBackend::new("docs/plots/depth.svg", (800, 480)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption("States by depth", ("sans-serif", 20))
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(80)
        .build_cartesian_2d(0.0..deepest, (1.0..widest * 2.0).log_scale())?;
    chart.configure_mesh().x_desc("steps from a start").y_desc("states").draw()?;
    for (i, world) in largest.iter().enumerate() {
        let colour = Palette99::pick(i).to_rgba();
        let points = world.by_depth.iter().enumerate().map(|(depth, states)| (depth as f64, *states));
        chart
            .draw_series(LineSeries::new(points, colour.stroke_width(2)))?
            .label(&world.name)
            .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], colour));
    }
    chart.configure_series_labels().border_style(BLACK).background_style(WHITE).draw()?;
    root.present()?;
    Ok(())
}

/// Some figures of all worlds, by their sizes.
fn by_size(path: &str, caption: &str, worlds: &[World], lines: &[Line]) -> Result<(), Box<dyn Error>> {
    let most = worlds.last().map_or(1.0, World::states) * 1.5;
    let highest = worlds.iter().flat_map(|w| lines.iter().map(|l| l.2(w))).fold(1.0, f64::max) * 1.2;
    let root = SVGBackend::new(path, (800, 480)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(caption, ("sans-serif", 20))
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(80)
        .build_cartesian_2d((STATES_MIN..most).log_scale(), 0.0..highest)?;
    chart.configure_mesh().x_desc("states of the world").draw()?;
    for (name, colour, of) in lines {
        let colour = *colour;
        chart
            .draw_series(worlds.iter().map(|w| Circle::new((w.states(), of(w)), 4, colour.filled())))?
            .label(*name)
            .legend(move |(x, y)| Circle::new((x + 9, y), 4, colour.filled()));
    }
    chart.configure_series_labels().border_style(BLACK).background_style(WHITE).draw()?;
    root.present()?;
    Ok(())
}
