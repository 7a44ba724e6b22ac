//! What lies upon a page: the fields of a form as they are filled in, stamps, notes that are written on it.

use std::rc::Rc;

use super::content::{IDENTITY, Matrix, multiply};
use super::file::File;
use super::object::{Dict, Object, Stream};

/// Of one page.
const MAX_ANNOTATIONS: usize = 10_000;

/// Flags of one that is not shown.
const HIDDEN: i64 = 1 << 1;
const NO_VIEW: i64 = 1 << 5;

/// A drawing, and where it stands on the page.
pub(super) struct Appearance {
    pub(super) object: Rc<Object>,
    pub(super) place: Matrix,
}

impl Appearance {
    pub(super) fn form(&self) -> Option<&Stream> {
        match &*self.object {
            Object::Stream(form) => Some(form),
            _ => None,
        }
    }
}

/// What the annotations of a page look like, in their order.
pub(super) fn appearances(file: &File, page: &Dict) -> Vec<Appearance> {
    let all = file.resolve(page.get("Annots"));
    let all = all.array().iter().take(MAX_ANNOTATIONS);
    all.filter_map(|annotation| appearance(file, file.resolve(annotation).dict()?)).collect()
}

/// The resources that fields fall back to.
pub(super) fn default_resources(file: &File) -> Option<Rc<Object>> {
    let catalog = file.catalog()?;
    let form = file.resolve(catalog.dict()?.get("AcroForm"));
    Some(file.resolve(form.dict()?.get("DR")))
}

fn appearance(file: &File, annotation: &Dict) -> Option<Appearance> {
    let flags = file.resolve(annotation.get("F")).int().unwrap_or(0);
    if flags & (HIDDEN | NO_VIEW) != 0 || annotation.get("Subtype").name() == Some("Popup") {
        return None;
    }
    let drawings = file.resolve(annotation.get("AP"));
    let normal = file.resolve(drawings.dict()?.get("N"));
    let object = match &*normal {
        Object::Stream(_) => normal,
        // One for each state, as for a box that is ticked or not.
        Object::Dict(states) => file.resolve(states.get(file.resolve(annotation.get("AS")).name()?)),
        _ => return None,
    };
    let Object::Stream(form) = &*object else { return None };
    let rect = corners(file, annotation.get("Rect"))?;
    let own = corners(file, form.dict.get("BBox")).unwrap_or(rect);
    let matrix = file.resolve(form.dict.get("Matrix"));
    let turned = if matrix.array().is_empty() { own } else { around(own, &super::content::matrix(matrix.array())) };
    let place = fitted(turned, rect);
    Some(Appearance { object, place })
}

/// Left, bottom, right and top.
fn corners(file: &File, object: &Object) -> Option<[f64; 4]> {
    let numbers = file.resolve(object);
    let numbers: Vec<f64> = numbers.array().iter().filter_map(|number| file.resolve(number).number()).collect();
    let &[a, b, c, d] = numbers.as_slice() else { return None };
    Some([a.min(c), b.min(d), a.max(c), b.max(d)])
}

/// The rectangle around another one that is turned.
fn around([left, bottom, right, top]: [f64; 4], matrix: &Matrix) -> [f64; 4] {
    let points = [(left, bottom), (left, top), (right, bottom), (right, top)];
    let points =
        points.map(|(x, y)| (matrix[0] * x + matrix[2] * y + matrix[4], matrix[1] * x + matrix[3] * y + matrix[5]));
    let ends = |of: fn(&(f64, f64)) -> f64| {
        let values = points.iter().map(of);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    };
    let ((left, right), (bottom, top)) = (ends(|point| point.0), ends(|point| point.1));
    [left, bottom, right, top]
}

/// What puts one rectangle upon another.
fn fitted(from: [f64; 4], to: [f64; 4]) -> Matrix {
    let scale = |from: f64, to: f64| if from.abs() > 1e-6 { to / from } else { 1.0 };
    let (x, y) = (scale(from[2] - from[0], to[2] - to[0]), scale(from[3] - from[1], to[3] - to[1]));
    multiply(&[x, 0.0, 0.0, y, to[0] - from[0] * x, to[1] - from[1] * y], &IDENTITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawings_are_put_where_they_belong() {
        let place = fitted([0.0, 0.0, 10.0, 20.0], [100.0, 200.0, 120.0, 220.0]);
        assert_eq!(place, [2.0, 0.0, 0.0, 1.0, 100.0, 200.0]);
        assert_eq!(fitted([5.0, 5.0, 5.0, 5.0], [1.0, 1.0, 2.0, 2.0]), [1.0, 0.0, 0.0, 1.0, -4.0, -4.0]);
        assert_eq!(around([0.0, 0.0, 10.0, 20.0], &[0.0, 1.0, -1.0, 0.0, 20.0, 0.0]), [0.0, 0.0, 20.0, 10.0]);
    }
}
