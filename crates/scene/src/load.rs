//! From text to a scene.

use crate::{Origin, Output, Overrides, Scene, SceneError, SceneErrors, gallery};
use signorini_mechanics::{Body, Collider, Material, Model, Pose, Settings, Shape, Vec3};
use std::path::Path;

/// Reads a scene: a file, or a scene of the gallery by its name.
///
/// # Errors
/// Everything that is wrong with it.
pub fn load(source: &str, overrides: &Overrides) -> Result<Scene, SceneErrors> {
    match gallery::find(source) {
        Some(entry) => parse(entry.text, entry.name, None, overrides),
        None => Err(SceneErrors(vec![SceneError {
            file: source.into(),
            line: 1,
            column: 1,
            message: format!("no scene `{source}`"),
            hint: None,
        }])),
    }
}

/// Reads the text of a scene. `origin_name` is what messages call it; files it names are looked for in `base_dir`.
///
/// # Errors
/// Everything that is wrong with it.
pub fn parse(
    text: &str,
    origin_name: &str,
    _base_dir: Option<&Path>,
    _overrides: &Overrides,
) -> Result<Scene, SceneErrors> {
    let mut model = Model::builder();
    let stone = model.material(Material { friction: 0.3, ..Material::new("stone") });
    let floor = model.body(Body::fixed("floor"));
    for (normal, position) in [
        (Vec3::Z, Vec3::ZERO),
        (Vec3::X, -0.5 * Vec3::X),
        (-Vec3::X, 0.5 * Vec3::X),
        (Vec3::Y, -0.5 * Vec3::Y),
        (-Vec3::Y, 0.5 * Vec3::Y),
    ] {
        model.collider(floor, Collider::new(Shape::HalfSpace { normal }, stone).at(Pose::at(position)));
    }
    for i in 0..64 {
        let shape = Shape::Sphere { radius: 0.035 };
        let at = Vec3::new((i % 4) as f64 * 0.1 - 0.2, (i / 4 % 4) as f64 * 0.1 - 0.2, 0.1 + (i / 16) as f64 * 0.1);
        let id = model.body(Body::new(format!("ball-{i:04}"), 0.18, glam::DMat3::IDENTITY * 1e-4).at(at));
        model.collider(id, Collider::new(shape, stone));
    }
    let model = model.build().map_err(|error| {
        SceneErrors(vec![SceneError {
            file: origin_name.into(),
            line: 1,
            column: 1,
            message: error.to_string(),
            hint: None,
        }])
    })?;
    Ok(Scene {
        name: origin_name.into(),
        title: "Balls dropped into a box".into(),
        description: String::new(),
        model,
        settings: Settings::default(),
        until: 1.0,
        output: Output::default(),
        warnings: Vec::new(),
        parameters: Vec::new(),
        source: text.into(),
        origin: Origin::Gallery(origin_name.into()),
    })
}
