//! The table's cells, ratios, demands and failures.

use super::*;

const NS: Metric = Metric::NANOSECONDS_PER_OPERATION;
const RATE: Metric = Metric::REQUESTS_PER_SECOND;

fn add(report: &mut Report, line: &Line, subject: &str, metric: Metric, values: &[f64]) {
    for (repeat, &value) in values.iter().enumerate() {
        report.add(line, subject, repeat, &[metric.of(value)]);
    }
}

fn lines() -> [Line; 2] {
    [Line::new("yield", 2), Line::new("echo_tcp/1", 2)]
}

fn report() -> Report {
    let [yields, echo] = lines();
    let subjects = ["wsrt", "tokio", "smol"].map(str::to_owned).to_vec();
    let mut report = Report::on_rivals(subjects, vec![(yields.clone(), "yields"), (echo.clone(), "echoes")]);
    add(&mut report, &yields, "wsrt", NS, &[40.0, 50.0, 60.0]);
    add(&mut report, &yields, "tokio", NS, &[100.0, 100.0, 100.0]);
    add(&mut report, &yields, "smol", NS, &[80.0, 80.0, 9000.0]);
    add(&mut report, &echo, "wsrt", RATE, &[200_000.0]);
    add(&mut report, &echo, "tokio", RATE, &[100_000.0]);
    report
}

fn row(report: &Report, label: &str) -> Vec<String> {
    let text = report.markdown();
    let line = text.lines().find(|line| line.starts_with(&format!("| {label}"))).unwrap();
    line.split('|').map(|cell| cell.trim().to_owned()).filter(|cell| !cell.is_empty()).collect()
}

#[test]
fn a_row_has_medians_quartiles_and_ratios_to_the_rivals() {
    assert_eq!(
        row(&report(), "yield"),
        ["yield", "ns", "50.0 (45.0–55.0)", "100 (100–100)", "80.0 (80.0–4540)", "0.62", "0.50", NONE]
    );
}

#[test]
fn a_rate_twice_as_high_is_half_the_cost() {
    let row = row(&report(), "echo_tcp/1");
    assert_eq!((&*row[5], &*row[6]), ("0.50", "0.50"));
    assert_eq!(row[4], NONE);
}

#[test]
fn the_best_rival_is_the_one_that_costs_least() {
    let (report, [yields, echo]) = (report(), lines());
    assert_eq!(report.best_rival(&yields, NS), Some(80.0));
    assert_eq!(report.best_rival(&echo, RATE), Some(100_000.0));
    assert_eq!(report.best_rival(&Line::new("chain", 2), NS), None);
}

#[test]
fn a_failure_shows_in_the_table_and_is_not_compared() {
    let (mut report, [yields, _]) = (report(), lines());
    report.fail(&yields, "wsrt", &"lost a task".into());
    assert_eq!(report.failures(), 1);
    assert!(report.has_failed(&yields, "wsrt") && !report.has_failed(&yields, "tokio"));
    let row = row(&report, "yield");
    assert_eq!((&*row[2], &*row[5], &*row[6]), ("**FAILED**", NONE, NONE));
    assert!(report.markdown().contains("yield on wsrt: lost a task"));
}

#[test]
fn the_columns_line_up() {
    let text = report().markdown();
    let mut widths = text.lines().filter(|line| line.starts_with('|')).map(|line| line.chars().count());
    let first = widths.next().unwrap();
    assert!(widths.all(|width| width == first));
}

#[test]
fn the_samples_are_all_in_the_csv() {
    let csv = report().csv();
    assert_eq!(csv.lines().count(), 1 + 11);
    assert!(csv.contains("yield,ns_per_operation,smol,2,2,9000\n"), "{csv}");
}

#[test]
fn samples_of_an_earlier_run_are_taken_as_they_were() {
    let (earlier, mut later) = (report(), report());
    let before = later.csv().lines().count();
    later.add_csv(&earlier.csv()).unwrap();
    assert_eq!(later.csv().lines().count(), 2 * before - 1);
    assert_eq!(row(&later, "yield")[3], "100 (100–100)");
    later.add_csv("another line,ns_per_operation,wsrt,2,0,1\n").unwrap();
    for wrong in ["yield", "yield,speed,wsrt,2,0,1", "yield,ns_per_operation,wsrt,2,0,fast"] {
        assert!(later.add_csv(wrong).unwrap_err().to_string().contains(wrong), "{wrong}");
    }
}

const EFFICIENCY: Metric = Metric::named("efficiency", "efficiency").digits(3);

/// Returns a report of one line of which an efficiency of 0.96 is asked.
fn demanding(ours: &[f64], theirs: &[f64]) -> (Report, Line) {
    let row = Row { metric: EFFICIENCY, asked: Asked::AtLeast(0.96) };
    let line = Line { rows: vec![row], ..Line::new("loops/zipf_512", 2) };
    let subjects = ["wsrt", "rayon", "serial"].map(str::to_owned).to_vec();
    let names = ["case", "figure"];
    let table = Table { head: String::new(), names, subjects, columns: DEMANDS, lines: vec![line.clone()] };
    let mut report = Report::new("Loops", vec![table]);
    add(&mut report, &line, "wsrt", EFFICIENCY, ours);
    add(&mut report, &line, "rayon", EFFICIENCY, theirs);
    (report, line)
}

#[test]
fn a_row_says_whether_the_demand_is_kept() {
    let (report, _) = demanding(&[1.0, 1.0, 0.8], &[0.5]);
    let expected =
        ["loops/zipf_512", "efficiency", "1.000 (0.900–1.000)", "0.500 (0.500–0.500)", NONE, "≥ 0.96", "yes"];
    assert_eq!(row(&report, "loops"), expected);
    assert_eq!(row(&demanding(&[0.9], &[1.0]).0, "loops")[6], "**no**");
}

#[test]
fn a_failed_subject_keeps_no_demand() {
    let (mut report, line) = demanding(&[1.0], &[1.0]);
    report.fail(&line, "wsrt", &"it hung".into());
    let row = row(&report, "loops");
    assert_eq!((&*row[2], &*row[6]), ("**FAILED**", NONE));
}

#[test]
fn a_panel_has_a_bar_for_every_subject() {
    let (report, line) = demanding(&[0.8], &[0.5]);
    let panel = report.panel("loop".to_owned(), report.subjects(), (&line, EFFICIENCY), Some, Some(0.96));
    let shown = panel.bars.iter().map(|bar| (bar.ours, bar.figure.as_ref().map(|(_, shown)| &**shown)));
    assert_eq!(shown.collect::<Vec<_>>(), [(true, Some("0.800")), (false, Some("0.500")), (false, None)]);
}
