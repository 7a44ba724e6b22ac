//! Means over queries, and how sure they are.

use crate::numbers::Numbers;

const RESAMPLES: usize = 1000;

/// The same for every row, so that rows over the same queries are resampled alike.
const SEED: u64 = 1;

pub(crate) fn mean(values: &[f64]) -> f64 {
    // Not `sum`: that of nothing is −0.
    values.iter().fold(0.0, |sum, value| sum + value) / values.len().max(1) as f64
}

/// The middle 95 % of the means of resampled queries.
pub(crate) struct Interval {
    low: f64,
    high: f64,
}

impl Interval {
    pub(crate) fn of(values: &[f64]) -> Interval {
        let mut numbers = Numbers(SEED);
        let mut resampled = || values.iter().map(|_| values[numbers.at(values.len())]).collect::<Vec<f64>>();
        let mut means: Vec<f64> = (0..RESAMPLES).map(|_| mean(&resampled())).collect();
        means.sort_by(f64::total_cmp);
        let cut = RESAMPLES / 40;
        Interval { low: means[cut], high: means[RESAMPLES - 1 - cut] }
    }
}

impl std::fmt::Display for Interval {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.4} to {:.4}", self.low, self.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_about_two_standard_errors_wide_on_each_side() {
        let values: Vec<f64> = (0..400).map(|number| f64::from(number % 2)).collect();
        let Interval { low, high } = Interval::of(&values);
        // The standard error of 400 coin tosses is .025.
        assert!((0.44..0.46).contains(&low) && (0.54..0.56).contains(&high), "{low} {high}");
    }

    #[test]
    fn no_values_and_equal_values_have_no_width() {
        assert_eq!(Interval::of(&[]).to_string(), "0.0000 to 0.0000");
        assert_eq!(Interval::of(&[0.5; 7]).to_string(), "0.5000 to 0.5000");
    }
}
