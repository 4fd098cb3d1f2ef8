//! The three kinds of figure, as SVG.

use std::fmt::Write as _;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 80.0;
const BOTTOM: f64 = 60.0;

/// Colours that are told apart also by who sees no red or green.
const COLOURS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];

/// A line with its label.
pub(crate) struct Curve {
    pub(crate) label: String,
    /// From 0 on and from 0 to 1.
    pub(crate) points: Vec<(f64, f64)>,
}

/// A bar with its label.
pub(crate) struct Bar {
    pub(crate) label: String,
    /// From 0 to 1.
    pub(crate) share: f64,
    /// What stands above it.
    pub(crate) told: String,
}

/// Draws lines over a number.
pub(crate) fn curves(title: &str, below: &str, beside: &str, curves: &[Curve]) -> String {
    let longest =
        curves.iter().flat_map(|curve| &curve.points).map(|(x, _)| *x).fold(1.0, f64::max);
    let x = |value: f64| LEFT + (WIDTH - LEFT - RIGHT) * (value - 1.0) / (longest - 1.0);
    let mut figure = started(title, HEIGHT);
    percents(&mut figure, beside);
    let mut tick = 1.0;
    while tick <= longest {
        text(&mut figure, x(tick), HEIGHT - BOTTOM + 20.0, "middle", 13, &format!("{tick:.0}"));
        tick += if tick < 2.0 { 4.0 } else { 5.0 };
    }
    text(&mut figure, f64::midpoint(LEFT, WIDTH - RIGHT), HEIGHT - 15.0, "middle", 14, below);
    for (curve, colour) in curves.iter().zip(COLOURS) {
        let points: Vec<String> = curve
            .points
            .iter()
            .map(|(at, share)| format!("{:.1},{:.1}", x(*at), y(*share)))
            .collect();
        let _ = writeln!(
            figure,
            r#"<polyline fill="none" stroke="{colour}" stroke-width="2.5" points="{}"/>"#,
            points.join(" ")
        );
        if let Some((at, share)) = curve.points.last() {
            text(&mut figure, x(*at) + 8.0, y(*share) + 4.0, "start", 13, &curve.label);
        }
    }
    ended(figure)
}

/// Draws bars beside one another.
pub(crate) fn bars(title: &str, beside: &str, bars: &[Bar]) -> String {
    let mut figure = started(title, HEIGHT);
    percents(&mut figure, beside);
    let mut left = LEFT;
    let room = (WIDTH - LEFT - RIGHT) / f64::from(u32::try_from(bars.len().max(1)).unwrap_or(1));
    for (bar, colour) in bars.iter().zip(COLOURS) {
        let (top, middle) = (y(bar.share), left + room / 2.0);
        let _ = writeln!(
            figure,
            r#"<rect x="{:.1}" y="{top:.1}" width="{:.1}" height="{:.1}" fill="{colour}"/>"#,
            left + room * 0.2,
            room * 0.6,
            y(0.0) - top
        );
        text(&mut figure, middle, top - 8.0, "middle", 16, &bar.told);
        text(&mut figure, middle, HEIGHT - BOTTOM + 24.0, "middle", 14, &bar.label);
        left += room;
    }
    ended(figure)
}

/// Draws how near each row is to each column: the darker, the nearer, within its row.
pub(crate) fn heat_map(title: &str, columns: &[&str], rows: &[(String, Vec<f64>)]) -> String {
    const ROW: f64 = 44.0;
    const CELL: f64 = 120.0;
    const LABELS: f64 = 320.0;
    let count = f64::from(u32::try_from(rows.len()).unwrap_or(u32::MAX));
    let mut figure = started(title, TOP + 40.0 + ROW * count + 30.0);
    text(&mut figure, 20.0, 56.0, "start", 13, "The darker, the nearer, within each request.");
    let mut at = LABELS;
    for column in columns {
        text(&mut figure, at + CELL / 2.0, TOP + 24.0, "middle", 13, column);
        at += CELL;
    }
    let mut top = TOP + 36.0;
    for (label, values) in rows {
        text(&mut figure, LABELS - 10.0, top + ROW / 2.0 + 4.0, "end", 13, label);
        let most = values.iter().copied().fold(0.0, f64::max);
        let mut at = LABELS;
        for value in values {
            let share = if most > 0.0 { value / most } else { 0.0 };
            let ink = if share > 0.85 { "#ffffff" } else { "#222222" };
            let _ = writeln!(
                figure,
                r##"<rect x="{at:.1}" y="{top:.1}" width="{:.1}" height="{:.1}" fill="#0072b2" fill-opacity="{share:.2}" stroke="#cccccc"/>"##,
                CELL - 2.0,
                ROW - 2.0
            );
            let _ = writeln!(
                figure,
                r#"<text x="{:.1}" y="{:.1}" text-anchor="middle" font-size="13" fill="{ink}">{value:.1}</text>"#,
                at + CELL / 2.0 - 1.0,
                top + ROW / 2.0 + 4.0
            );
            at += CELL;
        }
        top += ROW;
    }
    ended(figure)
}

fn y(share: f64) -> f64 {
    HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share
}

fn started(title: &str, height: f64) -> String {
    let mut figure = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    text(&mut figure, 20.0, 32.0, "start", 18, title);
    figure
}

fn ended(mut figure: String) -> String {
    figure.push_str("</svg>\n");
    figure
}

/// The axis from 0 to 100 percent, with its lines.
fn percents(figure: &mut String, beside: &str) {
    for percent in [0_u8, 25, 50, 75, 100] {
        let at = y(f64::from(percent) / 100.0);
        let _ = writeln!(
            figure,
            r##"<line x1="{LEFT}" x2="{:.1}" y1="{at:.1}" y2="{at:.1}" stroke="#dddddd"/>"##,
            WIDTH - RIGHT
        );
        text(figure, LEFT - 8.0, at + 4.0, "end", 13, &format!("{percent} %"));
    }
    let middle = f64::midpoint(y(0.0), y(1.0));
    let _ = writeln!(
        figure,
        r##"<text transform="translate(22 {middle:.1}) rotate(-90)" text-anchor="middle" font-size="14" fill="#222222">{}</text>"##,
        escaped(beside)
    );
}

fn text(figure: &mut String, x: f64, y: f64, anchor: &str, size: u8, said: &str) {
    let _ = writeln!(
        figure,
        r##"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" font-size="{size}" fill="#222222">{}</text>"##,
        escaped(said)
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
