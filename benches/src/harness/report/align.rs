//! Markdown tables that can be read in a terminal.

/// Writes rows as a Markdown table whose columns also line up in a terminal: names to the left,
/// figures to the right.
pub(crate) fn align(rows: &[Vec<String>]) -> String {
    const NAMES: usize = 2;
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<_> = (0..columns).map(width).collect();

    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        for (column, cell) in row.iter().enumerate() {
            let width = widths[column];
            let padded = if column < NAMES { format!("| {cell:<width$} ") } else { format!("| {cell:>width$} ") };
            text.push_str(&padded);
        }
        text.push_str("|\n");
        if number == 0 {
            text.push_str(&rule(&widths, NAMES));
        }
    }
    text
}

fn rule(widths: &[usize], names: usize) -> String {
    let dashes = |(column, width): (usize, &usize)| {
        let dashes = "-".repeat(width + 1);
        if column < names { format!("|{dashes}-") } else { format!("|{dashes}:") }
    };
    let mut rule: String = widths.iter().enumerate().map(dashes).collect();
    rule.push_str("|\n");
    rule
}
