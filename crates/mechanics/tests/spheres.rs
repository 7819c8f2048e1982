//! Balls whose motion is known in closed form.

use signorini_mechanics::{
    Body, BodyId, Collider, Mat3, Material, MaterialId, Model, ModelBuilder, Momentum, Settings, Shape, Simulation,
    Softness, Vec3,
};
use signorini_solver::{AcceleratedSor, Apgd, FrictionLaw, Jacobi, Method, Sor, Spg, Status, Tolerance};

fn floor(model: &mut ModelBuilder, friction: f64, restitution: f64) -> MaterialId {
    let material = model.material(Material { friction, restitution, ..Material::new("material") });
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, material));
    material
}

/// A ball of 1 kg with the inertia of a full sphere.
fn ball(model: &mut ModelBuilder, name: &str, radius: f64, at: Vec3, velocity: Vec3, material: MaterialId) -> BodyId {
    let inertia = Mat3::from_diagonal(Vec3::splat(0.4 * radius * radius));
    let body = model.body(Body::new(name, 1.0, inertia).at(at).moving(velocity, Vec3::ZERO));
    model.collider(body, Collider::new(Shape::Sphere { radius }, material));
    body
}

fn simulate(model: ModelBuilder, settings: Settings) -> Simulation {
    Simulation::new(model.build().expect("a sound model"), settings).expect("sound settings")
}

#[test]
fn a_sliding_ball_rolls_in_the_end_at_five_sevenths_of_its_speed() {
    let (mu, speed, g, radius, h) = (0.3, 2.0, 9.81, 0.1, 0.001);
    let mut model = Model::builder();
    let material = floor(&mut model, mu, 0.0);
    let body = ball(&mut model, "ball", radius, Vec3::new(0.0, 0.0, radius), Vec3::X * speed, material);
    let tolerance = Some(Tolerance::Velocity(1e-12));
    let settings = Settings { step: h, friction: FrictionLaw::Exact, tolerance, ..Settings::default() };
    let mut simulation = simulate(model, settings);
    // Friction slows the ball by μg and spins it up until v = rω, at t = 2 v₀/(7 μ g).
    let rolls_at = 2.0 * speed / (7.0 * mu * g);
    while simulation.state().time < 2.0 * rolls_at {
        assert!(simulation.step().unwrap().converged());
        let (state, i) = (simulation.state(), body.index());
        let (v, omega) = (state.velocities[i].x, state.angular_velocities[i].y);
        let exact = if state.time < rolls_at { speed - mu * g * state.time } else { 5.0 / 7.0 * speed };
        // The step in which slipping ends has both.
        if (state.time - rolls_at).abs() > h {
            assert!((v - exact).abs() < 1e-10, "t = {}: {v} instead of {exact}", state.time);
        }
        assert!(state.time < rolls_at + h || (v - radius * omega).abs() < 1e-10);
        assert!((state.poses[i].position.z - radius).abs() < 1e-12, "it neither lifts nor sinks");
    }
}

#[test]
fn every_bounce_returns_the_share_of_the_speed_restitution_says() {
    let (h, restitution) = (0.001, 0.8);
    let mut model = Model::builder();
    let material = floor(&mut model, 0.0, restitution);
    let body = ball(&mut model, "ball", 0.1, Vec3::new(0.0, 0.0, 1.1), Vec3::ZERO, material);
    let mut simulation = simulate(model, Settings { step: h, ..Settings::default() });
    let mut bounces = 0;
    // How fast it is where it meets the floor, which it does within a step: v² + 2 g Φ there is what it has before and after.
    let at_the_floor = |simulation: &Simulation| {
        let (state, i) = (simulation.state(), body.index());
        let (v, gap) = (state.velocities[i].z, state.poses[i].position.z - 0.1);
        (v, (v * v + 2.0 * 9.81 * gap).sqrt())
    };
    for _ in 0..2000 {
        let (before, meets) = at_the_floor(&simulation);
        simulation.step().unwrap();
        let (after, leaves) = at_the_floor(&simulation);
        if before < -0.5 && after > 0.0 {
            bounces += 1;
            assert!((leaves - restitution * meets).abs() < 1e-9, "{meets} became {leaves}");
        }
        assert!(simulation.deepest_overlap().is_none_or(|(depth, _)| depth < 1e-9));
    }
    assert!(bounces >= 3, "{bounces}");
}

#[test]
fn newtons_cradle_hands_the_speed_from_the_first_ball_to_the_last() {
    // Gaps wide enough for one impact a step: gap ≥ h v.
    let (radius, gap, speed, h) = (0.05, 0.002, 1.0, 0.001);
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let material = model.material(Material { restitution: 1.0, ..Material::new("steel") });
    let balls: Vec<BodyId> = (0..5)
        .map(|i| {
            let at = Vec3::X * (f64::from(i) * (2.0 * radius + gap) - if i == 0 { 0.02 } else { 0.0 });
            let velocity = if i == 0 { Vec3::X * speed } else { Vec3::ZERO };
            ball(&mut model, &format!("ball-{i}"), radius, at, velocity, material)
        })
        .collect();
    let settings = Settings { step: h, tolerance: Some(Tolerance::Velocity(1e-13)), ..Settings::default() };
    let mut simulation = simulate(model, settings);
    for _ in 0..100 {
        let report = simulation.step().unwrap();
        assert!((report.momentum.linear - Vec3::X * speed).length() < 1e-12);
        assert!((report.energy.kinetic - 0.5).abs() < 1e-12, "{}", report.energy.kinetic);
    }
    let speeds: Vec<f64> = balls.iter().map(|ball| simulation.state().velocities[ball.index()].x).collect();
    assert!(speeds[..4].iter().all(|v| v.abs() < 1e-12) && (speeds[4] - speed).abs() < 1e-12, "{speeds:?}");
}

#[test]
fn a_billiard_break_keeps_linear_and_angular_momentum() {
    let (radius, h) = (0.03, 0.002);
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let material = model.material(Material { friction: 0.2, restitution: 0.9, ..Material::new("ivory") });
    ball(&mut model, "cue", radius, Vec3::new(-0.5, 0.003, 0.0), Vec3::new(5.0, 0.0, 0.1), material);
    for row in 0..5 {
        for place in 0..=row {
            let y = (f64::from(place) - 0.5 * f64::from(row)) * 2.001 * radius;
            let at = Vec3::new(f64::from(row) * 3.0_f64.sqrt() * 1.001 * radius, y, 0.0);
            ball(&mut model, &format!("ball-{row}-{place}"), radius, at, Vec3::ZERO, material);
        }
    }
    let mut simulation = simulate(model, Settings { step: h, ..Settings::default() });
    let start = Momentum::of(simulation.model(), simulation.state());
    let first = 0.5 * (5.0 * 5.0 + 0.1 * 0.1);
    let mut energy: f64 = first;
    for _ in 0..250 {
        let report = simulation.step().unwrap();
        assert!((report.momentum.linear - start.linear).length() < 1e-12, "t = {}", report.time);
        assert!((report.momentum.angular - start.angular).length() < 1e-12, "t = {}", report.time);
        energy = report.energy.kinetic;
        assert!(energy < first * (1.0 + 1e-9), "{energy} at t = {}", report.time);
    }
    assert!(energy < 0.99 * first, "some of it was lost: {energy}");
}

#[test]
fn overlaps_at_the_start_are_undone_at_the_recovery_speed_and_leave_no_speed_behind() {
    let (radius, depth, recovery) = (0.1, 0.02, 0.3);
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let material = model.material(Material::new("steel"));
    let a = ball(&mut model, "a", radius, Vec3::ZERO, Vec3::ZERO, material);
    let b = ball(&mut model, "b", radius, Vec3::X * (2.0 * radius - depth), Vec3::ZERO, material);
    let settings = Settings { step: 0.01, recovery_speed: Some(recovery), ..Settings::default() };
    let mut simulation = simulate(model, settings);
    assert!((simulation.deepest_overlap().unwrap().0 - depth).abs() < 1e-15);
    let report = simulation.step().unwrap();
    // But for the softness of the contact, 1 %.
    let apart = depth - simulation.deepest_overlap().unwrap().0;
    assert!((0.98..1.001).contains(&(apart / (0.01 * recovery))), "{apart}");
    assert!(report.energy.kinetic < 1e-20 && report.converged(), "{report:?}");
    for _ in 0..30 {
        let report = simulation.step().unwrap();
        assert!(report.energy.kinetic < 1e-4 * 0.5 * recovery * recovery, "{report:?}");
    }
    assert!(simulation.deepest_overlap().is_none_or(|(depth, _)| depth < 1e-6));
    let momentum = simulation.state().velocities[a.index()] + simulation.state().velocities[b.index()];
    assert!(momentum.length() < 1e-12, "{momentum}");
}

#[test]
fn sixteen_balls_that_start_in_each_other_part_without_flying_apart() {
    let (radius, depth) = (0.11, 0.02);
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let material = model.material(Material { friction: 0.3, ..Material::new("steel") });
    for k in 0..16 {
        let at = (2.0 * radius - depth) * Vec3::new(f64::from(k % 4), f64::from(k / 4), 0.0);
        ball(&mut model, &format!("ball {k}"), radius, at, Vec3::ZERO, material);
    }
    let recovery = 0.3;
    let mass: f64 = 16.0;
    let mut simulation = simulate(model, Settings { recovery_speed: Some(recovery), ..Settings::default() });
    for _ in 0..60 {
        let report = simulation.step().unwrap();
        // Undone by speed, overlaps would leave half of this or more.
        assert!(report.energy.kinetic < 0.01 * 0.5 * mass * recovery * recovery, "{report:?}");
        assert!(report.converged(), "{report:?}");
    }
    assert!(simulation.deepest_overlap().is_none_or(|(depth, _)| depth < 1e-6));
}

#[test]
fn a_jammed_ball_is_left_where_no_recovery_is_possible_and_is_named() {
    let mut model = Model::builder();
    let material = floor(&mut model, 0.3, 0.0);
    let lid = model.body(Body::fixed("lid").at(Vec3::Z * 0.19));
    model.collider(lid, Collider::new(Shape::HalfSpace { normal: -Vec3::Z }, material));
    let body = ball(&mut model, "ball", 0.1, Vec3::Z * 0.094, Vec3::ZERO, material);
    let mut simulation = simulate(model, Settings::default());
    for _ in 0..20 {
        let report = simulation.step().unwrap();
        assert!(!report.has_answer && report.recovery < 0.1, "{report:?}");
        let named: Vec<&str> = report.broken[0].culprits.iter().map(|culprit| &*culprit.name).collect();
        assert!(named.contains(&"ball") && (named.contains(&"floor") || named.contains(&"lid")), "{report:?}");
        assert!(simulation.state().velocities[body.index()].length() < 1e-6);
    }
}

#[test]
fn a_box_too_small_for_its_balls_does_not_explode() {
    // 27 balls of 0.1 m radius in a closed box of 0.57 m: each overlaps its neighbours and the walls by 1 cm or more.
    let (radius, width) = (0.1, 0.57);
    let mut model = Model::builder();
    let material = floor(&mut model, 0.3, 0.0);
    let walls = [
        (-Vec3::Z, Vec3::Z * width),
        (Vec3::X, Vec3::ZERO),
        (-Vec3::X, Vec3::X * width),
        (Vec3::Y, Vec3::ZERO),
        (-Vec3::Y, Vec3::Y * width),
    ];
    for (k, (normal, at)) in walls.into_iter().enumerate() {
        let wall = model.body(Body::fixed(format!("wall-{k}")).at(at));
        model.collider(wall, Collider::new(Shape::HalfSpace { normal }, material));
    }
    for i in 0..27 {
        let place = |k: i32| (f64::from(k) + 0.5) * width / 3.0 + 0.004 * f64::from(i % 5 - 2);
        let at = Vec3::new(place(i % 3), place(i / 3 % 3), place(i / 9));
        ball(&mut model, &format!("ball-{i}"), radius, at, Vec3::ZERO, material);
    }
    let mut simulation = simulate(model, Settings::default());
    let deepest = simulation.deepest_overlap().unwrap().0;
    let recovery = 0.5 * (9.81 * radius).sqrt();
    let mut relaxed = 0;
    for _ in 0..50 {
        let report = simulation.step().unwrap();
        assert_eq!(report.status, Status::Converged, "{report:?}");
        relaxed += u32::from(report.recovery < 1.0);
        let fastest = simulation.state().velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
        assert!(fastest < 3.0 * recovery, "{fastest} m/s at t = {}", report.time);
    }
    let left = simulation.deepest_overlap().unwrap().0;
    assert!(relaxed > 0 && left < deepest, "{relaxed} steps relaxed, overlap {deepest} became {left}");
}

#[test]
fn a_step_within_its_tolerance_counts_as_converged_though_it_stops_short_of_what_small_problems_aim_at() {
    let mut model = Model::builder();
    let material = floor(&mut model, 0.3, 0.0);
    for k in 0..6 {
        let at = Vec3::new(0.01 * f64::from(k % 2), 0.0, 0.1 + 0.2 * f64::from(k));
        ball(&mut model, &format!("ball {k}"), 0.1, at, Vec3::ZERO, material);
    }
    let (method, friction) = (Jacobi::default().into(), FrictionLaw::Relaxed);
    let settings = Settings { method, friction, max_iterations: Some(40), ..Settings::default() };
    let mut simulation = simulate(model, settings);
    let mut at_limit = 0;
    for _ in 0..30 {
        let report = simulation.step().unwrap();
        assert_eq!(report.converged(), report.tolerance_ratio <= 1.0, "{report:?}");
        at_limit += u32::from(report.converged() && report.iterations == 40);
    }
    assert!(at_limit > 0);
}

#[test]
fn a_jam_elsewhere_changes_nothing_for_a_ball_at_rest_on_a_soft_floor() {
    let (mass, g, stiffness) = (1.0, 9.81, 1e4);
    for softness in [None, Some(Softness { stiffness, damping: 0.0 })] {
        let mut model = Model::builder();
        let hard = floor(&mut model, 0.0, 0.0);
        let soft = model.material(Material { softness, ..Material::new("soft") });
        // Sunk in as far as its weight presses.
        let depth = if softness.is_some() { mass * g / stiffness } else { 0.0 };
        let resting = ball(&mut model, "resting", 0.1, Vec3::Z * (0.1 - depth), Vec3::ZERO, soft);
        for (k, x) in [5.0, 6.18].into_iter().enumerate() {
            let wall = model.body(Body::fixed(format!("wall {k}")).at(Vec3::new(x, 0.0, 5.0)));
            model.collider(wall, Collider::new(Shape::Cuboid { half: Vec3::splat(0.5) }, hard));
        }
        // 2 cm too large for the slit it falls through.
        let jammed = ball(&mut model, "jammed", 0.1, Vec3::new(5.59, 0.0, 5.0), Vec3::ZERO, hard);
        let mut simulation = simulate(model, Settings::default());
        for _ in 0..20 {
            let report = simulation.step().unwrap();
            let who = report.broken.iter().map(|broken| &*broken.who).collect::<Vec<_>>();
            assert!(matches!(who[..], ["bodies `wall 0` and `jammed`" | "bodies `wall 1` and `jammed`"]), "{report:?}");
            assert!(report.status == Status::Converged && report.recovery < 0.2, "{softness:?} {report:?}");
            let state = simulation.state();
            assert!(state.velocities[resting.index()].length() < 1e-4, "{softness:?} {report:?}");
            let fall = state.velocities[jammed.index()];
            assert!((fall + Vec3::Z * g * state.time).length() < 1e-3, "{fall} at {}", state.time);
        }
    }
}

#[test]
fn a_jammed_box_is_left_where_it_is_by_every_solver() {
    let solvers: [Method; 6] = [
        Method::default(),
        Sor::default().into(),
        AcceleratedSor::default().into(),
        Jacobi::default().into(),
        Apgd::default().into(),
        Spg::default().into(),
    ];
    for method in solvers {
        let mut model = Model::builder();
        let material = floor(&mut model, 0.5, 0.0);
        let lid = model.body(Body::fixed("lid").at(Vec3::Z * 0.19));
        model.collider(lid, Collider::new(Shape::HalfSpace { normal: -Vec3::Z }, material));
        let inertia = Mat3::from_diagonal(Vec3::splat(0.2 * 0.2 / 6.0));
        let body = model.body(Body::new("box", 1.0, inertia).at(Vec3::Z * 0.095));
        model.collider(body, Collider::new(Shape::Cuboid { half: Vec3::splat(0.1) }, material));
        let mut simulation = simulate(model, Settings { method, ..Settings::default() });
        for _ in 0..3 {
            let report = simulation.step().unwrap();
            assert!(report.status == Status::Converged && report.recovery < 0.1, "{report:?}");
            assert!(!report.has_answer && report.broken[0].who.contains("`box`"), "{report:?}");
            assert!(report.penetration < 0.0051, "{report:?}");
        }
    }
}
