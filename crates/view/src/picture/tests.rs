//! Pictures of known things: silhouettes by closed forms.

use super::camera::focal_length;
use super::*;
use signorini_mechanics::Vec3;

const SIZE: [u32; 2] = [240, 160];
const QUALITY: Quality = Quality { size: SIZE, samples: 2, theme: Theme::Light };

fn camera() -> Camera {
    Camera { eye: Vec3::new(0.0, -10.0, 0.0), target: Vec3::ZERO, up: Vec3::Z }
}

fn stage(balls: &[(Vec3, f32, [f32; 3])]) -> Stage {
    let ball = |(centre, radius, colour): &(Vec3, f32, [f32; 3])| Ball {
        centre: centre.as_vec3(),
        radius: *radius,
        colour: glam::Vec3::from_array(*colour),
        turn: None,
    };
    Stage { balls: balls.iter().map(ball).collect(), reach: 3.0, up: glam::Vec3::Z, grid: 1.0, ..Stage::default() }
}

/// Pixels by how much redder than blue they are: number, and mean place.
fn red(image: &Image) -> (f64, [f64; 2]) {
    let (mut count, mut sum) = (0.0, [0.0; 2]);
    for y in 0..image.size[1] {
        for x in 0..image.size[0] {
            let [r, _, b] = image.pixel(x, y);
            if i32::from(r) > i32::from(b) + 40 {
                count += 1.0;
                sum[0] += f64::from(x) + 0.5;
                sum[1] += f64::from(y) + 0.5;
            }
        }
    }
    (count, sum.map(|sum| sum / count))
}

const RED: [f32; 3] = [0.8, 0.02, 0.02];
const BLUE: [f32; 3] = [0.02, 0.02, 0.8];

/// A ball seen at an angle θ off the axis, with half angle α = asin(r/d), is an ellipse of area
/// π f² sin²α cosα / (cos²θ − sin²α)^{3/2}.
#[test]
fn the_silhouette_of_a_ball_has_the_area_and_place_of_its_cone() {
    for (centre, radius) in [(Vec3::ZERO, 0.8), (Vec3::new(1.5, -2.0, 0.6), 0.5), (Vec3::new(-2.0, 1.0, -1.0), 0.7)] {
        let image = draw(&stage(&[(centre, radius as f32, RED)]), &camera(), &QUALITY);
        let (area, _) = red(&image);
        let arm = centre - camera().eye;
        let (distance, focal) = (arm.length(), focal_length(SIZE[1]));
        let (sine, cosine) = (radius / distance, arm.y / distance);
        let expected = std::f64::consts::PI * focal * focal * sine * sine * (1.0 - sine * sine).sqrt()
            / (cosine * cosine - sine * sine).powf(1.5);
        assert!((area / expected - 1.0).abs() < 0.03, "{area} {expected}");
    }
    let centred = draw(&stage(&[(Vec3::ZERO, 0.8, RED)]), &camera(), &QUALITY);
    let (_, place) = red(&centred);
    assert!((place[0] - 120.0).abs() < 0.5 && (place[1] - 80.0).abs() < 0.5, "{place:?}");
}

#[test]
fn what_is_nearer_hides_what_is_behind_in_either_order() {
    let near = (Vec3::new(0.0, -3.0, 0.0), 0.5, BLUE);
    let far = (Vec3::new(0.0, 2.0, 0.0), 0.5, RED);
    for balls in [[near, far], [far, near]] {
        assert_eq!(red(&draw(&stage(&balls), &camera(), &QUALITY)).0, 0.0);
    }
    let beside = (Vec3::new(2.0, 2.0, 0.0), 0.5, RED);
    assert!(red(&draw(&stage(&[near, beside]), &camera(), &QUALITY)).0 > 10.0);
}

fn square(y: f32, half: f32, colour: [f32; 3]) -> Vec<Triangle> {
    let corner = |x: f32, z: f32| glam::Vec3::new(x * half, y, z * half);
    let [a, b, c, d] = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    let (normals, colours) = ([-glam::Vec3::Y; 3], [glam::Vec3::from_array(colour); 3]);
    [[a, b, c], [a, c, d]].map(|corners| Triangle { corners, normals, colours }).to_vec()
}

#[test]
fn a_square_covers_the_pixels_of_its_projection_and_hides_by_depth() {
    let mut scene = stage(&[]);
    scene.solids = square(-1.0, 0.7, RED);
    let (area, place) = red(&draw(&scene, &camera(), &QUALITY));
    let side = 1.4 * focal_length(SIZE[1]) / 9.0;
    assert!((area / (side * side) - 1.0).abs() < 0.04, "{area} {side}");
    assert!((place[0] - 120.0).abs() < 0.5 && (place[1] - 80.0).abs() < 0.5);
    scene.solids.extend(square(-2.0, 1.0, BLUE));
    assert_eq!(red(&draw(&scene, &camera(), &QUALITY)).0, 0.0);
}

#[test]
fn a_triangle_through_the_eye_is_cut_and_not_drawn_behind() {
    let mut scene = stage(&[]);
    scene.solids = square(-15.0, 1.0, RED);
    assert_eq!(red(&draw(&scene, &camera(), &QUALITY)).0, 0.0);
    let corners = [[-1.0, 5.0, -1.0], [1.0, 5.0, -1.0], [0.0, -20.0, -1.0]].map(glam::Vec3::from_array);
    scene.solids = vec![Triangle { corners, normals: [glam::Vec3::Z; 3], colours: [glam::Vec3::from_array(RED); 3] }];
    let (area, place) = red(&draw(&scene, &camera(), &QUALITY));
    assert!(area > 500.0 && place[1] > 80.0, "{area} {place:?}");
}

#[test]
fn a_ball_casts_a_shadow_on_the_floor() {
    let mut scene = stage(&[]);
    scene.planes.push(Plane { point: glam::Vec3::new(0.0, 0.0, -1.0), normal: glam::Vec3::Z });
    let eye = Camera { eye: Vec3::new(0.0, -10.0, 4.0), ..camera() };
    let bright = draw(&scene, &eye, &QUALITY);
    scene.balls = stage(&[(Vec3::new(0.0, 0.0, 0.0), 0.8, BLUE)]).balls;
    let with_ball = draw(&scene, &eye, &QUALITY);
    let brightness = |image: &Image, x: u32, y: u32| image.pixel(x, y).iter().map(|c| i32::from(*c)).sum::<i32>();
    let darker = |x: u32, y: u32| brightness(&bright, x, y) - brightness(&with_ball, x, y);
    // The lamp stands over the left shoulder: the shadow, a disc of the ball's radius at least, falls to the right and back,
    // about (0.5, 0.4) for a height of 1. A point beside the ball is in it, its mirror image on the left is not.
    let at = |x: f64| eye.project(Vec3::new(x, 0.3, -1.0), SIZE).map(|p| p.map(|x| x as u32)).unwrap();
    let ([right, left], sky) = ([at(1.05), at(-1.05)], 60);
    assert!(darker(right[0], right[1]) > sky, "{}", darker(right[0], right[1]));
    assert!(darker(left[0], left[1]) < sky, "{}", darker(left[0], left[1]));
    // Far away the floor is as bright as without.
    assert!(darker(10, 150).abs() < 12, "{}", darker(10, 150));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let mut scene = stage(&[(Vec3::ZERO, 0.8, RED), (Vec3::new(1.0, 0.5, 0.3), 0.4, BLUE)]);
    scene.solids = square(0.5, 1.5, BLUE);
    scene.walls = square(-2.0, 0.8, RED);
    scene.planes.push(Plane { point: glam::Vec3::new(0.0, 0.0, -1.0), normal: glam::Vec3::Z });
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| draw(&scene, &camera(), &QUALITY))
    };
    let one = with(1);
    assert!([2, 3, 7].iter().all(|threads| with(*threads) == one));
}

#[test]
fn numbers_that_are_none_do_not_panic() {
    let nan = Vec3::splat(f64::NAN);
    let mut scene = stage(&[(nan, 1.0, RED), (Vec3::ZERO, f32::INFINITY, RED), (Vec3::splat(1e30), 1.0, RED)]);
    scene.solids = square(f32::NAN, 1.0, RED);
    scene.reach = 0.0;
    assert_eq!(draw(&scene, &camera(), &QUALITY).pixels.len(), 240 * 160 * 3);
}

#[test]
fn a_png_decodes_to_the_picture() {
    let image = draw(&stage(&[(Vec3::ZERO, 0.8, RED)]), &camera(), &QUALITY);
    let mut bytes = Vec::new();
    image.write_png(&mut bytes).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    assert_eq!(([reader.info().width, reader.info().height], pixels), (SIZE, image.pixels));
}
