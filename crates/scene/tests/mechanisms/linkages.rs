//! Closed loops of hinges: four-bar windows and Bricard's ring.

use crate::support::Run;
use signorini_mechanics::{Pose, Quat, Vec3};

#[test]
fn a_chain_of_windows_starts_with_speeds_that_fit_and_stays_parallel() {
    for windows in [1_u32, 2, 40] {
        let n = f64::from(windows);
        let mut run = Run::new("n-four-bar", &[("windows", &windows.to_string())], 1e-3);
        assert_eq!(run.simulation.model().joints().len() as u32, 3 * windows + 1);
        let end = 0.5 * Vec3::Y;
        let side = 0.5 * Vec3::X;
        let mut energy = 0.0;
        for i in 1..=windows + 1 {
            let crank = format!("crank-{i:04}");
            let foot = run.position(&crank) - end;
            assert!((foot - Vec3::new(f64::from(i) - 1.0, 0.0, 0.0)).length() < 1e-12, "{foot}");
            assert!(run.velocity(&crank, -end).length() < 1e-14, "{crank}");
            assert!((run.velocity(&crank, end) - Vec3::X).length() < 1e-14, "{crank}");
            let at = run.body(&crank);
            let (v, omega) = (run.state().velocities[at], run.state().angular_velocities[at]);
            energy += 0.5 * (v.length_squared() + omega.length_squared() / 12.0) + 9.81 * run.position(&crank).y;
        }
        for i in 1..=windows {
            let coupler = format!("coupler-{i:04}");
            for (way, crank) in [(-1.0, format!("crank-{i:04}")), (1.0, format!("crank-{:04}", i + 1))] {
                let apart = run.position(&coupler) + way * side - (run.position(&crank) + end);
                let slip = run.velocity(&coupler, way * side) - run.velocity(&crank, end);
                assert!(apart.length() < 1e-12 && slip.length() < 1e-14, "{coupler} and {crank}: {apart}, {slip}");
            }
            let at = run.body(&coupler);
            energy += 0.5 * run.state().velocities[at].length_squared() + 9.81 * run.position(&coupler).y;
        }
        // Cranks turn about an end, ½ · ⅓; couplers are carried, ½; half of the weight of a crank is at its top.
        let closed = (n + 1.0) / 6.0 + 0.5 * n + 9.81 * (0.5 * (n + 1.0) + n);
        assert!((energy - closed).abs() < 1e-12 * closed, "{energy}, {closed}");
        for _ in 0..20 {
            run.step();
        }
        let first = run.turn("crank-0001");
        assert!(first < -0.019, "{first}");
        for i in 1..=windows {
            assert!((run.turn(&format!("crank-{:04}", i + 1)) - first).abs() < 1e-8);
            assert!(run.turn(&format!("coupler-{i:04}")).abs() < 1e-8);
        }
    }
}

/// The six hinges of Bricard's linkage: bodies (0 is the ground), point and axis at the start, in cyclic order.
const BRICARD: [([usize; 2], [f64; 3], [f64; 3]); 6] = [
    ([0, 1], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
    ([1, 2], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
    ([2, 3], [1.0, -1.0, 0.0], [1.0, 0.0, 0.0]),
    ([3, 4], [1.0, -1.0, 1.0], [0.0, 1.0, 0.0]),
    ([4, 5], [0.0, -1.0, 1.0], [0.0, 0.0, 1.0]),
    ([5, 0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]),
];

/// What its hinges miss by: the point (three) and the axis across two directions of the first body.
fn bricard(start: &[Pose; 6], now: &[Pose; 6]) -> Vec<f64> {
    let mut missed = Vec::new();
    for ([a, b], point, axis) in BRICARD {
        let (point, axis) = (Vec3::from_array(point), Vec3::from_array(axis));
        let held = |k: usize| now[k] * (start[k].inverse() * point);
        let turned = |k: usize, v: Vec3| now[k].rotation * (start[k].rotation.conjugate() * v);
        let across = Vec3::new(axis.y, axis.z, axis.x);
        missed.extend((held(b) - held(a)).to_array());
        missed.extend([across, axis.cross(across)].map(|v| turned(a, v).dot(turned(b, axis))));
    }
    missed
}

/// Number of pivots of Gaussian elimination with full pivoting above a threshold.
fn rank(mut m: Vec<Vec<f64>>, least: f64) -> usize {
    let columns = m[0].len();
    for done in 0..m.len().min(columns) {
        let places = (done..m.len()).flat_map(|i| (done..columns).map(move |j| (i, j)));
        let (i, j) = places.max_by(|p, q| m[p.0][p.1].abs().total_cmp(&m[q.0][q.1].abs())).expect("an entry");
        if m[i][j].abs() < least {
            return done;
        }
        m.swap(done, i);
        m.iter_mut().for_each(|row| row.swap(done, j));
        let pivot = m[done].clone();
        for row in &mut m[done + 1..] {
            let factor = row[done] / pivot[done];
            row.iter_mut().zip(&pivot).skip(done).for_each(|(x, p)| *x -= factor * p);
        }
    }
    m.len().min(columns)
}

#[test]
fn bricards_linkage_is_closed_and_has_one_freedom_wherever_it_is() {
    let mut run = Run::new("bricard", &[], 2e-3);
    let poses = |run: &Run| -> [Pose; 6] {
        std::array::from_fn(|k| if k == 0 { Pose::IDENTITY } else { run.state().poses[run.body(&format!("rod-{k}"))] })
    };
    let start = poses(&run);
    // Rods reach from hinge to hinge, and their hinges are across them.
    for k in 1..6 {
        let [from, to] = [k - 1, k].map(|hinge| Vec3::from_array(BRICARD[hinge].1));
        assert!((start[k].position - 0.5 * (from + to)).length() < 1e-15 && ((to - from).length() - 1.0).abs() < 1e-15);
        for hinge in [k - 1, k] {
            assert!((to - from).dot(Vec3::from_array(BRICARD[hinge].2)).abs() < 1e-15);
        }
    }
    for time in [0.0, 0.4, 0.8] {
        while run.state().time < time - 1e-9 {
            run.step();
        }
        let now = poses(&run);
        let missed = bricard(&start, &now);
        assert!(missed.iter().all(|x| x.abs() < 1e-9), "at {time}: {missed:?}");
        // Central differences: errors are of the order of 1e-10.
        let by = 1e-5;
        let columns = (0..30).map(|column| {
            let side = |sign: f64| {
                let (body, mut moved) = (1 + column / 6, now);
                let amount = Vec3::AXES[column % 3] * sign * by;
                match column % 6 < 3 {
                    true => moved[body].position += amount,
                    false => moved[body].rotation = Quat::from_scaled_axis(amount) * moved[body].rotation,
                }
                bricard(&start, &moved)
            };
            side(1.0).iter().zip(side(-1.0)).map(|(a, b)| (a - b) / (2.0 * by)).collect()
        });
        assert_eq!(rank(columns.collect(), 1e-7), 29, "at {time}");
    }
    // It has moved all the while.
    assert!((run.position("rod-3") - start[3].position).length() > 0.5);
}
