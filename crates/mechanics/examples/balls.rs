//! Balls dropped into a box; prints what every tenth step reports.
#![allow(clippy::print_stdout)]
use signorini_mechanics::{Body, Collider, Material, Model, Pose, Quat, Settings, Shape, Simulation, Vec3};
use signorini_solver::{FrictionLaw, Method, Tolerance};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arg = |k: usize, default: &str| std::env::args().nth(k).unwrap_or(default.into());
    let count: usize = arg(1, "1024").parse()?;
    let name = arg(2, "auto");
    let method = Method::all().into_iter().find(|m| m.name() == name).ok_or("no such method")?;
    let tolerance: f64 = arg(3, "1e-3").parse()?;
    let law = match arg(4, "relaxed").as_str() {
        "exact" => FrictionLaw::Exact,
        "lagged" => FrictionLaw::Lagged,
        _ => FrictionLaw::Relaxed,
    };
    let steps: u32 = arg(5, "100").parse()?;
    let (radius, mu) = (0.035, 0.3);
    let mut model = Model::builder();
    let steel = model.material(Material { friction: mu, ..Material::new("steel") });
    let side = (count as f64 / 20.0).sqrt().ceil() as usize;
    let width = side as f64 * 2.1 * radius;
    for (k, (normal, at)) in [
        (Vec3::Z, Vec3::ZERO),
        (Vec3::X, Vec3::new(-0.5 * width, 0.0, 0.0)),
        (-Vec3::X, Vec3::new(0.5 * width, 0.0, 0.0)),
        (Vec3::Y, Vec3::new(0.0, -0.5 * width, 0.0)),
        (-Vec3::Y, Vec3::new(0.0, 0.5 * width, 0.0)),
    ]
    .into_iter()
    .enumerate()
    {
        let wall = model.body(Body::fixed(format!("wall-{k}")).at(at));
        model.collider(wall, Collider::new(Shape::HalfSpace { normal }, steel));
    }
    let ball = Shape::Sphere { radius };
    let mut seed = 1u64;
    let mut jitter = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((seed >> 33) as f64 / 2f64.powi(31) - 0.5) * 0.08 * radius
    };
    for i in 0..count {
        let (x, y, z) = (i % side, (i / side) % side, i / side / side);
        let c = |i: usize| (i as f64 + 0.5) * 2.1 * radius - 0.5 * width;
        let at = Vec3::new(c(x) + jitter(), c(y) + jitter(), (z as f64 + 0.5) * 2.1 * radius + jitter() + 0.1);
        let id = model.body(Body::of_shape(format!("ball-{i}"), &ball, 1000.0)?.posed(Pose::new(at, Quat::IDENTITY)));
        model.collider(id, Collider::new(ball.clone(), steel));
    }
    let settings = Settings {
        step: 0.01,
        method,
        friction: law,
        tolerance: Some(Tolerance::Velocity(tolerance)),
        time_limit: Some(20.0),
        ..Settings::default()
    };
    let mut simulation = Simulation::new(model.build()?, settings)?;
    let (mut worst, mut missed, mut total) = (0.0_f64, 0, 0.0);
    for _ in 0..steps {
        let r = simulation.step()?;
        worst = worst.max(r.penetration);
        missed += u32::from(!r.converged());
        total += r.timings.solve;
        if r.step % 10 == 0 || r.penetration > 2e-5 {
            println!(
                "{:4} c {:6} a {:6} {} {} it {:5} nm {:.1e} pen {:.1e} kin {:.2e} asm {:.1} col {:.1} solve {:.1} ms",
                r.step,
                r.contacts,
                r.active,
                r.method,
                r.status,
                r.iterations,
                r.residuals.natural_map,
                r.penetration,
                r.energy.kinetic,
                r.timings.assembly * 1e3,
                r.timings.collision * 1e3,
                r.timings.solve * 1e3
            );
        }
    }
    println!(
        "worst penetration {worst:.2e} missed {missed} solve total {total:.2} s hash {:x}",
        simulation.state().hash()
    );
    Ok(())
}
