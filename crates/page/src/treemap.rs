//! Areas beside one another, each as large as its weight: a squarified treemap.

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// Lays out weights, the largest first, within an area. Each gets its share of it, in a form as near to a square as can be had.
pub(crate) fn layout(weights: &[f64], within: Area) -> Vec<Area> {
    let total: f64 = weights.iter().sum();
    if total <= 0.0 {
        return vec![Area { width: 0.0, height: 0.0, ..within }; weights.len()];
    }
    let scale = within.width * within.height / total;
    let sizes: Vec<f64> = weights.iter().map(|weight| weight * scale).collect();
    let (mut areas, mut free, mut at) = (Vec::with_capacity(sizes.len()), within, 0);
    while at < sizes.len() {
        let side = free.width.min(free.height);
        let mut end = at + 1;
        while end < sizes.len() && worst(&sizes[at..=end], side) <= worst(&sizes[at..end], side) {
            end += 1;
        }
        free = row(&sizes[at..end], free, &mut areas);
        at = end;
    }
    areas
}

/// How far the longest form of a row is from a square.
fn worst(sizes: &[f64], side: f64) -> f64 {
    let sum: f64 = sizes.iter().sum();
    let (least, most) =
        sizes.iter().fold((f64::MAX, 0.0f64), |(least, most), size| (least.min(*size), most.max(*size)));
    let (side, sum) = (side * side, sum * sum);
    (side * most / sum).max(sum / (side * least.max(f64::MIN_POSITIVE)))
}

/// Puts a row along the shorter side, and gives what is left.
fn row(sizes: &[f64], free: Area, areas: &mut Vec<Area>) -> Area {
    let sum: f64 = sizes.iter().sum();
    let is_upright = free.width >= free.height;
    let depth = sum / if is_upright { free.height } else { free.width }.max(f64::MIN_POSITIVE);
    let mut along = 0.0;
    for size in sizes {
        let length = size / depth.max(f64::MIN_POSITIVE);
        areas.push(match is_upright {
            true => Area { x: free.x, y: free.y + along, width: depth, height: length },
            false => Area { x: free.x + along, y: free.y, width: length, height: depth },
        });
        along += length;
    }
    match is_upright {
        true => Area { x: free.x + depth, width: (free.width - depth).max(0.0), ..free },
        false => Area { y: free.y + depth, height: (free.height - depth).max(0.0), ..free },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_weight_has_its_share_and_a_place_of_its_own() {
        let within = Area { x: 0.0, y: 0.0, width: 100.0, height: 60.0 };
        let weights = [600.0, 300.0, 200.0, 100.0, 50.0, 50.0, 1.0];
        let areas = layout(&weights, within);
        let total: f64 = weights.iter().sum();
        for (weight, area) in weights.iter().zip(&areas) {
            assert!((area.width * area.height - weight / total * 6000.0).abs() < 1e-6);
            assert!(area.x >= -1e-9 && area.x + area.width <= 100.0 + 1e-6 && area.y + area.height <= 60.0 + 1e-6);
        }
        for (at, a) in areas.iter().enumerate() {
            for b in &areas[at + 1..] {
                let apart = a.x + a.width <= b.x + 1e-6
                    || b.x + b.width <= a.x + 1e-6
                    || a.y + a.height <= b.y + 1e-6
                    || b.y + b.height <= a.y + 1e-6;
                assert!(apart, "{a:?} {b:?}");
            }
        }
        assert_eq!(layout(&[0.0, 0.0], within).len(), 2);
    }
}
