//! Starting points, cold and warm.

use super::point::Point;
use super::{InteriorPoint, Start, WarmStart};
use crate::cone::second_order;
use crate::method::kkt::{Direction, KktSolver};
use crate::problem::RowBlocks;
use crate::report::Iterate;
use crate::standard_form::StandardForm;
use signorini_linalg::FactorError;

pub(super) fn starting_point(
    form: &StandardForm,
    settings: &InteriorPoint,
    kkt: &mut KktSolver,
    warm: Option<&Iterate>,
) -> Result<Point, FactorError> {
    let mut point = Point::zeros(form);
    // Without cones every start is the solution of the linear problem.
    let start = if form.cones.len() == 0 { Start::Scaled } else { settings.start };
    match start {
        Start::Scaled => least_squares(form, kkt, &form.cone_softness.clone(), &mut point)?,
        Start::Cvxopt => least_squares(form, kkt, &vec![1.0; form.cone_softness.len()], &mut point)?,
        Start::Dapuzzo => dapuzzo(form, &mut point),
        Start::Nocedal => nocedal(form, kkt, &mut point)?,
    }
    if let Some(warm) = warm {
        match settings.warm_start {
            WarmStart::None => {}
            WarmStart::Partial => partial(form, warm, &mut point),
            WarmStart::Full => full(form, warm, &mut point),
        }
    }
    point.update_residuals(form);
    Ok(point)
}

/// Minimises ½vᵀHv + cᵀv + ½ Σ‖y‖²/w: one solve with Θ = w I, then y = −w λ, both shifted into the cones.
fn least_squares(
    form: &StandardForm,
    kkt: &mut KktSolver,
    softness: &[f64],
    point: &mut Point,
) -> Result<(), FactorError> {
    let rows = &form.cones.jacobian;
    for (k, w) in softness.iter().enumerate() {
        let d = rows.rows_of(k).len();
        let block = kkt.weights.block_mut(k);
        block.fill(0.0);
        for (i, row) in rows.rows_of(k).enumerate() {
            let e = form.cones.e.get(row).copied().unwrap_or(0.0);
            block[i * d + i] = 1.0 / (w + e).sqrt();
        }
    }
    kkt.factorise(form)?;
    let mut rhs = Direction::zeros(form);
    rhs.v.iter_mut().zip(&form.linear).for_each(|(rhs, c)| *rhs = -c);
    rhs.gamma.copy_from_slice(&form.free.b);
    rhs.lambda.copy_from_slice(&form.cones.b);
    let mut solution = Direction::zeros(form);
    let theta = |x: &[f64], out: &mut [f64]| {
        for (k, w) in softness.iter().enumerate() {
            rows.rows_of(k).for_each(|row| out[row] = w * x[row]);
        }
    };
    kkt.solve(form, theta, &rhs, 1, &mut solution);
    point.v = solution.v;
    point.gamma = solution.gamma;
    point.lambda = solution.lambda;
    for (k, w) in softness.iter().enumerate() {
        rows.rows_of(k).for_each(|row| point.y[row] = -w * point.lambda[row]);
    }
    shift_inside(form, point);
    Ok(())
}

/// Moves y and λ along the cone axes until both are well inside: all y by one speed, all λ by one impulse, so that the
/// products y·λ are alike from the start. The impulse is the one that gives the heaviest contact that speed: impulses
/// add up along a pile, so the largest unit is nearest to what will be needed. (Measured on stacks with mass ratio 10:
/// 6 iterations at 60 levels, against 66 with the mean softness and failure with each contact's own.)
fn shift_inside(form: &StandardForm, point: &mut Point) {
    let rows = &form.cones.jacobian;
    let speed = typical_speed(form, point);
    let hardest = form.cone_softness.iter().copied().filter(|softness| *softness > 0.0).fold(f64::INFINITY, f64::min);
    let impulse = if hardest.is_finite() { speed / hardest } else { 1.0 };
    for k in 0..rows.len() {
        let range = rows.rows_of(k);
        lift(&mut point.y[range.clone()], speed);
        lift(&mut point.lambda[range], impulse);
    }
}

/// The largest relative velocity of the point, impulses counted by the velocity they cause at their own contact.
fn typical_speed(form: &StandardForm, point: &Point) -> f64 {
    let rows = &form.cones.jacobian;
    let speed = (0..rows.len())
        .map(|k| {
            let y = norm(&point.y[rows.rows_of(k)]);
            y.max(norm(&point.lambda[rows.rows_of(k)]) * form.cone_softness[k])
        })
        .fold(0.0, f64::max);
    if speed > 0.0 { speed } else { 1.0 }
}

/// Raises the axis component until the distance to the boundary is at least `least`.
fn lift(z: &mut [f64], least: f64) {
    let margin = second_order::margin(z);
    if margin < least {
        z[0] += least - margin;
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// v = 0, y₀ = max(1, −b) on the axis, λ₀ = 1/y₀, as in the paper.
fn dapuzzo(form: &StandardForm, point: &mut Point) {
    let rows = &form.cones.jacobian;
    for k in 0..rows.len() {
        let first = rows.rows_of(k).start;
        point.y[first] = (-form.cones.b[first]).max(1.0);
        point.lambda[first] = 1.0 / point.y[first];
    }
}

/// One affine step from ones, then max(1, |·|) on the axis.
fn nocedal(form: &StandardForm, kkt: &mut KktSolver, point: &mut Point) -> Result<(), FactorError> {
    let rows = &form.cones.jacobian;
    set_ones(rows, &mut point.y);
    set_ones(rows, &mut point.lambda);
    point.update_residuals(form);
    for k in 0..rows.len() {
        let range = rows.rows_of(k);
        let d = range.len();
        let block = kkt.weights.block_mut(k);
        block.fill(0.0);
        for (i, row) in range.enumerate() {
            let e = form.cones.e.get(row).copied().unwrap_or(0.0);
            block[i * d + i] = 1.0 / (1.0 + e).sqrt();
        }
    }
    kkt.factorise(form)?;
    let mut rhs = Direction::zeros(form);
    rhs.v.iter_mut().zip(&point.r_dual).for_each(|(rhs, r)| *rhs = -r);
    rhs.gamma.iter_mut().zip(&point.r_free).for_each(|(rhs, r)| *rhs = -r);
    rhs.lambda.iter_mut().zip(point.r_cone.iter().zip(&point.y)).for_each(|(rhs, (r, y))| *rhs = -r - y);
    let mut step = Direction::zeros(form);
    kkt.solve(form, |x, out| out.copy_from_slice(x), &rhs, 1, &mut step);
    let (mut dy, mut free) = (vec![0.0; form.cones.len()], vec![0.0; form.free.len()]);
    form.rates(&step.v, &step.gamma, &step.lambda, &mut dy, &mut free);
    for k in 0..rows.len() {
        let range = rows.rows_of(k);
        let first = range.start;
        let y = point.y[first] + dy[first] + point.r_cone[first];
        let l = point.lambda[first] + step.lambda[first];
        point.y[first] = y.abs().max(1.0);
        point.lambda[first] = l.abs().max(1.0);
    }
    Ok(())
}

fn set_ones(rows: &RowBlocks, z: &mut [f64]) {
    z.fill(0.0);
    (0..rows.len()).for_each(|k| z[rows.rows_of(k).start] = 1.0);
}

/// Takes the velocities over and lets y follow from them; impulses are those of the cold start.
fn partial(form: &StandardForm, warm: &Iterate, point: &mut Point) {
    let (mut gamma, mut lambda) = (point.gamma.clone(), point.lambda.clone());
    form.import(warm, &mut point.v, &mut gamma, &mut lambda);
    let rows = &form.cones.jacobian;
    let cold = point.y.clone();
    let no_impulse = vec![0.0; point.lambda.len()];
    let mut free = vec![0.0; form.free.len()];
    form.relative_velocity(&point.v, &point.gamma, &no_impulse, &mut point.y, &mut free);
    for k in 0..rows.len() {
        let range = rows.rows_of(k);
        // As far inside as the cold start is: its products y·λ were alike.
        let least = second_order::margin(&cold[range.clone()]);
        lift(&mut point.y[range], least);
    }
}

/// Takes velocities and impulses over, pushed inside the cones by a small share of the problem's speed.
fn full(form: &StandardForm, warm: &Iterate, point: &mut Point) {
    form.import(warm, &mut point.v, &mut point.gamma, &mut point.lambda);
    let mut free = vec![0.0; form.free.len()];
    let (v, gamma, lambda) = (point.v.clone(), point.gamma.clone(), point.lambda.clone());
    form.relative_velocity(&v, &gamma, &lambda, &mut point.y, &mut free);
    let rows = &form.cones.jacobian;
    let least = WARM_INTERIOR * typical_speed(form, point);
    for k in 0..rows.len() {
        let range = rows.rows_of(k);
        lift(&mut point.y[range.clone()], least);
        lift(&mut point.lambda[range], least / form.cone_softness[k]);
    }
}

/// How far inside the cones a warm start is pushed, as a share of the problem's speed.
const WARM_INTERIOR: f64 = 1e-3;
