//! Values of cells as people see them: dates by their number format, numbers without noise.

/// Number formats that show a date or a time, by the index of a cell's style.
pub(super) fn is_date_format(id: usize, code: Option<&str>) -> bool {
    match code {
        Some(code) => is_date_code(code),
        None => matches!(id, 14..=22 | 27..=36 | 45..=47 | 50..=58),
    }
}

/// Whether a format's code has a part of a date outside of quotes and brackets: `[Red]0.0 "days"` has none.
fn is_date_code(code: &str) -> bool {
    let (mut quoted, mut bracket) = (false, false);
    let mut chars = code.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '\\' | '_' | '*' => {
                chars.next();
            }
            '[' if !quoted => {
                // Elapsed time, as in `[h]:mm`.
                let rest = chars.as_str().to_ascii_lowercase();
                if rest.starts_with(['h', 'm', 's']) && rest.trim_start_matches(['h', 'm', 's']).starts_with(']') {
                    return true;
                }
                bracket = true;
            }
            ']' => bracket = false,
            'y' | 'Y' | 'd' | 'D' | 'h' | 'H' | 'm' | 'M' | 's' | 'S' if !quoted && !bracket => return true,
            // Only the first section counts.
            ';' if !quoted => return false,
            _ => {}
        }
    }
    false
}

/// Days since the start of the calendar of a workbook as ISO 8601.
pub(super) fn date(serial: f64, since_1904: bool) -> Option<String> {
    if !(0.0..2_958_466.0).contains(&serial) {
        return None;
    }
    let serial = if since_1904 { serial + 1462.0 } else { serial };
    let seconds = (serial.fract() * 86_400.0).round() as i64;
    let (day, seconds) = (serial as i64 + seconds / 86_400, seconds % 86_400);
    let time = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    let time = time.strip_suffix(":00").unwrap_or(&time);
    if day == 0 {
        return Some(time.to_owned());
    }
    // Excel has a 29 February 1900, as Lotus 1-2-3 had: days before it count one less.
    let days = day - if day > 60 { 25_569 } else { 25_568 };
    let date = iso_date(days);
    Some(if seconds == 0 { date } else { format!("{date} {time}") })
}

/// Days since 1970 as a date, by the algorithm of Howard Hinnant's `civil_from_days`.
fn iso_date(days: i64) -> String {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// A number as a sheet shows it: 15 digits, because the rest is noise of binary fractions.
pub(super) fn number(text: &str) -> String {
    let Ok(value) = text.parse::<f64>() else { return text.to_owned() };
    if text.len() < 16 || !value.is_finite() {
        return text.to_owned();
    }
    let rounded: f64 = format!("{value:.14e}").parse().unwrap_or(value);
    rounded.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_a_sheet_shows() {
        let cases = [
            (1.0, "1900-01-01"),
            (59.0, "1900-02-28"),
            (61.0, "1900-03-01"),
            (45_292.0, "2024-01-01"),
            (45_351.5, "2024-02-29 12:00"),
            (0.25, "06:00"),
            (45_292.999_999_9, "2024-01-02"),
            (2_958_465.0, "9999-12-31"),
        ];
        for (serial, shown) in cases {
            assert_eq!(date(serial, false).as_deref(), Some(shown), "{serial}");
        }
        assert_eq!(date(0.0, true).as_deref(), Some("1904-01-01"));
        assert_eq!(date(-1.0, false), None);
        assert_eq!(date(f64::NAN, false), None);
    }

    #[test]
    fn formats_of_dates_are_told_from_those_of_numbers() {
        for code in ["yyyy-mm-dd", "[$-409]d-mmm-yy;@", "[h]:mm:ss", "hh:mm AM/PM"] {
            assert!(is_date_format(164, Some(code)), "{code}");
        }
        for code in ["0.00", "[Red]0.0 \"days\"", "#,##0\\ \"Stück\"", "General", "0.00E+00"] {
            assert!(!is_date_format(164, Some(code)), "{code}");
        }
        assert!(is_date_format(14, None) && !is_date_format(2, None));
    }

    #[test]
    fn numbers_lose_their_noise() {
        assert_eq!(number("0.30000000000000004"), "0.3");
        assert_eq!(number("12"), "12");
        assert_eq!(number("x"), "x");
    }
}
