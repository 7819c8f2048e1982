//! The constant part of a simulation: bodies, shapes, materials, joints, forces.

use crate::flexible::field::Field;
use crate::flexible::{FlexibleBody, FlexibleId, FlexibleLoad, Link};
use crate::force::MemoryLayout;
use crate::material::Contact;
use crate::{Body, BodyId, Force, Groups, Joint, Material, MaterialId, ModelError, Pose, Shape, Vec3};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A shape on a body.
#[derive(Clone, Debug)]
pub struct Collider {
    /// The shape.
    pub shape: Shape,
    /// Where it sits: body_from_shape.
    pub pose: Pose,
    /// Its surface.
    pub material: MaterialId,
    /// Which others it meets.
    pub groups: Groups,
    /// The shape is grown by a sphere of this radius \[m\].
    pub margin: f64,
}

impl Collider {
    /// A shape in the middle of its body that meets everything.
    #[must_use]
    pub fn new(shape: Shape, material: MaterialId) -> Self {
        Self { shape, pose: Pose::IDENTITY, material, groups: Groups::ALL, margin: 0.0 }
    }
    /// The same elsewhere on the body.
    #[must_use]
    pub fn at(mut self, pose: Pose) -> Self {
        self.pose = pose;
        self
    }
}

/// A joint and its name.
#[derive(Clone, Debug)]
pub(crate) struct NamedJoint {
    pub(crate) name: String,
    pub(crate) joint: Arc<dyn Joint>,
}

/// A force and its name.
#[derive(Clone, Debug)]
pub(crate) struct NamedForce {
    pub(crate) name: String,
    pub(crate) force: Arc<dyn Force>,
}

/// Everything about a system that does not change. Copies share joints, forces and the elements of flexible bodies.
#[derive(Clone, Debug)]
pub struct Model {
    bodies: Vec<Body>,
    colliders: Vec<(BodyId, Collider)>,
    materials: Vec<Material>,
    /// Row-major over pairs of materials.
    contacts: Vec<Contact>,
    joints: Vec<NamedJoint>,
    forces: Vec<NamedForce>,
    memory: MemoryLayout,
    excluded: Vec<(u32, u32)>,
    gravity: Vec3,
    flexible: Vec<FlexibleBody>,
    links: Vec<(String, Link)>,
    flexible_loads: Vec<(String, FlexibleLoad)>,
    /// Elements and masses of the flexible bodies.
    field: Arc<Field>,
}

impl Model {
    /// Starts a model: no bodies, gravity 9.81 m/s² along −z.
    #[must_use]
    pub fn builder() -> ModelBuilder {
        ModelBuilder::new()
    }
    /// The bodies, in the order they were added.
    #[must_use]
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }
    /// The shapes and the bodies that carry them.
    #[must_use]
    pub fn colliders(&self) -> &[(BodyId, Collider)] {
        &self.colliders
    }
    /// The materials.
    #[must_use]
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }
    /// Acceleration of gravity \[m/s²\].
    #[must_use]
    pub fn gravity(&self) -> Vec3 {
        self.gravity
    }
    /// Names and joints.
    pub fn joints(&self) -> impl ExactSizeIterator<Item = (&str, &dyn Joint)> {
        self.joints.iter().map(|named| (named.name.as_str(), named.joint.as_ref()))
    }
    /// Names and forces.
    pub fn forces(&self) -> impl ExactSizeIterator<Item = (&str, &dyn Force)> {
        self.forces.iter().map(|named| (named.name.as_str(), named.force.as_ref()))
    }
    /// Name and joint, by index.
    #[must_use]
    pub fn joint(&self, index: usize) -> Option<(&str, &dyn Joint)> {
        self.joints.get(index).map(|named| (named.name.as_str(), named.joint.as_ref()))
    }
    /// Name and force, by index.
    #[must_use]
    pub fn force(&self, index: usize) -> Option<(&str, &dyn Force)> {
        self.forces.get(index).map(|named| (named.name.as_str(), named.force.as_ref()))
    }
    /// Which numbers of [`crate::State::memory`] belong to which force.
    #[must_use]
    pub fn memory_layout(&self) -> &MemoryLayout {
        &self.memory
    }
    /// What two materials do together.
    #[must_use]
    pub fn contact(&self, a: MaterialId, b: MaterialId) -> &Contact {
        &self.contacts[a.0 as usize * self.materials.len() + b.0 as usize]
    }
    /// What all pairs of materials do together, row by row: first that of the first material with itself.
    #[must_use]
    pub fn material_contacts(&self) -> &[Contact] {
        &self.contacts
    }
    /// The body of a name.
    #[must_use]
    pub fn body_named(&self, name: &str) -> Option<BodyId> {
        self.bodies.iter().position(|body| body.name == name).map(|index| BodyId(index as u32))
    }
    /// Pairs of bodies whose shapes never touch, by index.
    #[must_use]
    pub fn excluded(&self) -> &[(u32, u32)] {
        &self.excluded
    }
    /// The flexible bodies, in the order they were added.
    #[must_use]
    pub fn flexible(&self) -> &[FlexibleBody] {
        &self.flexible
    }
    /// The flexible body of a name.
    #[must_use]
    pub fn flexible_named(&self, name: &str) -> Option<FlexibleId> {
        self.flexible.iter().position(|body| body.name == name).map(|index| FlexibleId(index as u32))
    }
    /// Nodes of a flexible body in [`crate::State::nodes`].
    ///
    /// # Panics
    /// If there is no such body.
    #[must_use]
    pub fn nodes_of(&self, body: FlexibleId) -> std::ops::Range<usize> {
        self.field.nodes_of(body)
    }
    /// Masses of all nodes \[kg\], ρ ∫ Nᵢ dV.
    #[must_use]
    pub fn node_masses(&self) -> &[f64] {
        &self.field.mass
    }
    /// Names and links of flexible bodies.
    #[must_use]
    pub fn links(&self) -> &[(String, Link)] {
        &self.links
    }
    /// Names and loads of flexible bodies.
    #[must_use]
    pub fn flexible_loads(&self) -> &[(String, FlexibleLoad)] {
        &self.flexible_loads
    }
    /// The same with other bodies fixed as well.
    pub(crate) fn with_fixed(&self, is_fixed: impl Fn(usize) -> bool) -> Self {
        let mut model = self.clone();
        let bodies = model.bodies.iter_mut().enumerate();
        bodies.filter(|(index, _)| is_fixed(*index)).for_each(|(_, body)| body.is_fixed = true);
        model
    }
    /// Whether any two materials make a soft contact.
    pub(crate) fn has_soft_contacts(&self) -> bool {
        self.contacts.iter().any(|contact| contact.softness.is_some())
    }
    /// Whether any two materials rebound.
    pub(crate) fn has_rebounds(&self) -> bool {
        self.contacts.iter().any(|contact| contact.restitution > 0.0)
    }
    pub(crate) fn field(&self) -> &Field {
        &self.field
    }
    /// The name of a body by the number contacts give: flexible bodies are counted after rigid ones.
    #[must_use]
    pub fn name_of(&self, body: usize) -> &str {
        match body.checked_sub(self.bodies.len()) {
            None => &self.bodies[body].name,
            Some(index) => &self.flexible[index].name,
        }
    }
    /// The surface of a collider by the number contacts give: skins are counted after shapes.
    pub(crate) fn material_of(&self, collider: u32) -> MaterialId {
        match (collider as usize).checked_sub(self.colliders.len()) {
            None => self.colliders[collider as usize].1.material,
            Some(skin) => {
                let body = &self.flexible[self.field.skin_of[skin]];
                body.skin.as_ref().map_or(MaterialId(0), |skin| skin.material)
            }
        }
    }
    /// Number of bodies that move.
    #[must_use]
    pub fn moving(&self) -> usize {
        self.bodies.iter().filter(|body| !body.is_fixed).count()
    }
}

/// Collects the parts of a [`Model`]; [`ModelBuilder::build`] checks them.
#[derive(Debug)]
pub struct ModelBuilder {
    model: Model,
    pairs: Vec<(MaterialId, MaterialId, Contact)>,
    /// Pairs that never touch.
    flexible_pairs: Vec<(BodyId, FlexibleId)>,
}

impl ModelBuilder {
    fn new() -> Self {
        let model = Model {
            bodies: Vec::new(),
            colliders: Vec::new(),
            materials: Vec::new(),
            contacts: Vec::new(),
            joints: Vec::new(),
            forces: Vec::new(),
            memory: MemoryLayout::default(),
            excluded: Vec::new(),
            flexible: Vec::new(),
            links: Vec::new(),
            flexible_loads: Vec::new(),
            field: Arc::default(),
            gravity: Vec3::new(0.0, 0.0, -9.81),
        };
        Self { model, pairs: Vec::new(), flexible_pairs: Vec::new() }
    }
    /// Sets the acceleration of gravity \[m/s²\].
    pub fn gravity(&mut self, gravity: Vec3) -> &mut Self {
        self.model.gravity = gravity;
        self
    }
    /// Adds a material.
    pub fn material(&mut self, material: Material) -> MaterialId {
        self.model.materials.push(material);
        MaterialId(self.model.materials.len() as u32 - 1)
    }
    /// Says what two materials do together, in place of the rule of [`Contact::between`].
    pub fn pair(&mut self, a: MaterialId, b: MaterialId, contact: Contact) -> &mut Self {
        self.pairs.push((a, b, contact));
        self
    }
    /// Adds a body.
    pub fn body(&mut self, body: Body) -> BodyId {
        self.model.bodies.push(body);
        BodyId(self.model.bodies.len() as u32 - 1)
    }
    /// Adds a shape to a body.
    pub fn collider(&mut self, body: BodyId, collider: Collider) -> &mut Self {
        self.model.colliders.push((body, collider));
        self
    }
    /// Adds a joint. The shapes of its two bodies still touch, unless [`ModelBuilder::exclude`] says otherwise.
    pub fn joint(&mut self, name: impl Into<String>, joint: impl Joint + 'static) -> &mut Self {
        self.model.joints.push(NamedJoint { name: name.into(), joint: Arc::new(joint) });
        self
    }
    /// Adds a force.
    pub fn force(&mut self, name: impl Into<String>, force: impl Force + 'static) -> &mut Self {
        self.model.forces.push(NamedForce { name: name.into(), force: Arc::new(force) });
        self
    }
    /// Adds a joint chosen at run time.
    pub fn boxed_joint(&mut self, name: impl Into<String>, joint: Box<dyn Joint>) -> &mut Self {
        self.model.joints.push(NamedJoint { name: name.into(), joint: joint.into() });
        self
    }
    /// Adds a force chosen at run time.
    pub fn boxed_force(&mut self, name: impl Into<String>, force: Box<dyn Force>) -> &mut Self {
        self.model.forces.push(NamedForce { name: name.into(), force: force.into() });
        self
    }
    /// Adds a flexible body.
    pub fn flexible(&mut self, body: FlexibleBody) -> FlexibleId {
        self.model.flexible.push(body);
        FlexibleId(self.model.flexible.len() as u32 - 1)
    }
    /// Holds nodes of a flexible body.
    pub fn link(&mut self, name: impl Into<String>, link: Link) -> &mut Self {
        self.model.links.push((name.into(), link));
        self
    }
    /// Adds a load on a flexible body.
    pub fn flexible_load(&mut self, name: impl Into<String>, load: FlexibleLoad) -> &mut Self {
        self.model.flexible_loads.push((name.into(), load));
        self
    }
    /// A body and a flexible body that never touch.
    pub fn exclude_flexible(&mut self, a: BodyId, b: FlexibleId) -> &mut Self {
        self.flexible_pairs.push((a, b));
        self
    }
    /// Two bodies whose shapes never touch.
    pub fn exclude(&mut self, a: BodyId, b: BodyId) -> &mut Self {
        self.model.excluded.push((a.0.min(b.0), a.0.max(b.0)));
        self
    }

    /// Checks everything and makes the model.
    ///
    /// # Errors
    /// The first thing that is wrong; [`ModelBuilder::errors`] lists all.
    pub fn build(self) -> Result<Model, ModelError> {
        if let Some(error) = self.errors().into_iter().next() {
            return Err(error);
        }
        let Self { mut model, pairs, flexible_pairs } = self;
        let n = model.materials.len();
        model.contacts =
            (0..n * n).map(|at| Contact::between(&model.materials[at / n], &model.materials[at % n])).collect();
        for (a, b, contact) in pairs {
            let (a, b) = (a.0 as usize, b.0 as usize);
            model.contacts[a * n + b] = contact;
            model.contacts[b * n + a] = contact;
        }
        model.memory = MemoryLayout::new(model.forces.iter().map(|named| named.force.as_ref()));
        let rigid = model.bodies.len() as u32;
        model.excluded.extend(flexible_pairs.iter().map(|(a, b)| (a.0, rigid + b.0)));
        model.field = Arc::new(Field::new(&model.flexible, model.bodies.len(), model.colliders.len())?);
        for (name, link) in &model.links {
            link.check(name, &model.field, model.bodies.len())?;
        }
        for (name, load) in &model.flexible_loads {
            load.check(name, &model.field)?;
        }
        model.excluded.sort_unstable();
        model.excluded.dedup();
        Ok(model)
    }

    /// Everything that is wrong.
    #[must_use]
    pub fn errors(&self) -> Vec<ModelError> {
        let mut errors = Vec::new();
        let flexible = self.model.flexible.iter().map(|body| body.name.as_str());
        check_names("bodies", self.model.bodies.iter().map(|body| body.name.as_str()).chain(flexible), &mut errors);
        check_names("links", self.model.links.iter().map(|(name, _)| name.as_str()), &mut errors);
        check_names("loads", self.model.flexible_loads.iter().map(|(name, _)| name.as_str()), &mut errors);
        check_names("materials", self.model.materials.iter().map(|material| material.name.as_str()), &mut errors);
        check_names("joints", self.model.joints.iter().map(|joint| joint.name.as_str()), &mut errors);
        check_names("forces", self.model.forces.iter().map(|force| force.name.as_str()), &mut errors);
        if !self.model.gravity.is_finite() {
            let value = self.model.gravity.length();
            errors.push(number("the model".into(), "gravity", value, "finite numbers"));
        }
        self.model.bodies.iter().for_each(|body| check_body(body, &mut errors));
        self.model.materials.iter().for_each(|material| check_material(material, &mut errors));
        self.check_references(&mut errors);
        errors
    }

    fn check_references(&self, errors: &mut Vec<ModelError>) {
        let Model { bodies, colliders, materials, joints, forces, .. } = &self.model;
        for (body, collider) in colliders {
            let Some(owner) = bodies.get(body.index()) else {
                errors.push(ModelError::Unknown { place: "a shape".into(), what: "body", index: body.index() });
                continue;
            };
            let place = || format!("shape of body `{}`", owner.name);
            if collider.material.0 as usize >= materials.len() {
                let index = collider.material.0 as usize;
                errors.push(ModelError::Unknown { place: place(), what: "material", index });
            }
            if let Err(error) = collider.shape.check() {
                errors.push(ModelError::Shape { body: owner.name.clone(), error });
            }
            if collider.margin < 0.0 || !collider.margin.is_finite() {
                errors.push(number(place(), "margin", collider.margin, "a finite length ≥ 0"));
            }
            check_pose(&collider.pose, place, errors);
        }
        let connections = joints
            .iter()
            .map(|NamedJoint { name, joint }| {
                (format!("{} joint `{name}`", joint.kind()), joint.bodies(), joint.check(), true)
            })
            .chain(forces.iter().map(|NamedForce { name, force }| {
                (format!("{} `{name}`", force.kind()), force.bodies(), force.check(), false)
            }));
        for (place, ids, checked, is_joint) in connections {
            if let Err(error) = checked {
                errors.push(ModelError::Parameter { place: place.clone(), error });
            }
            if let Some(index) = ids.iter().map(|id| id.index()).find(|&index| index >= bodies.len()) {
                errors.push(ModelError::Unknown { place, what: "body", index });
                continue;
            }
            let [a, b] = ids.map(|id| &bodies[id.index()]);
            if ids[0] == ids[1] {
                // A force on one body names it twice.
                if is_joint {
                    errors.push(ModelError::SameBody { place, body: a.name.clone() });
                }
            } else if is_joint && a.is_fixed && b.is_fixed {
                errors.push(ModelError::BothFixed { place, first: a.name.clone(), second: b.name.clone() });
            }
        }
        self.check_flexible(errors);
        for (a, b, contact) in &self.pairs {
            let names = [a, b].map(|id| materials.get(id.0 as usize).map(|material| material.name.as_str()));
            let [Some(first), Some(second)] = names else {
                let index = a.0.max(b.0) as usize;
                errors.push(ModelError::Unknown { place: "a pair of materials".into(), what: "material", index });
                continue;
            };
            let place = format!("materials `{first}` and `{second}`");
            check_contact(&place, contact, errors);
        }
    }
}

impl ModelBuilder {
    /// References of flexible bodies; their meshes and elements are checked when the model is built.
    fn check_flexible(&self, errors: &mut Vec<ModelError>) {
        let Model { materials, flexible, links, flexible_loads, .. } = &self.model;
        for body in flexible {
            let place = || format!("flexible body `{}`", body.name);
            if let Some(skin) = &body.skin {
                if skin.material.0 as usize >= materials.len() {
                    let index = skin.material.0 as usize;
                    errors.push(ModelError::Unknown { place: place(), what: "material", index });
                }
                if skin.margin < 0.0 || !skin.margin.is_finite() {
                    errors.push(number(place(), "margin", skin.margin, "a finite length ≥ 0"));
                }
            }
            if !(body.velocity.is_finite() && body.angular_velocity.is_finite()) {
                errors.push(number(place(), "velocity", f64::NAN, "finite numbers"));
            }
        }
        let named = links.iter().map(|(name, link)| (name, link.kind(), link.flexible()));
        let loads = flexible_loads.iter().map(|(name, load)| (name, load.kind(), load.flexible()));
        for (name, kind, id) in named.chain(loads) {
            if id.index() >= flexible.len() {
                let place = format!("{kind} `{name}`");
                errors.push(ModelError::Unknown { place, what: "flexible body", index: id.index() });
            }
        }
    }
}

fn number(place: String, what: &'static str, value: f64, allowed: &'static str) -> ModelError {
    ModelError::Number { place, what, value, allowed }
}

fn check_names<'a>(kind: &'static str, names: impl Iterator<Item = &'a str>, errors: &mut Vec<ModelError>) {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            errors.push(ModelError::DuplicateName { kind, name: name.to_owned() });
        }
    }
}

fn check_pose(pose: &Pose, place: impl Fn() -> String, errors: &mut Vec<ModelError>) {
    if !pose.position.is_finite() {
        errors.push(number(place(), "position", f64::NAN, "finite numbers"));
    }
    let length = pose.rotation.length();
    if (length - 1.0).abs() > 1e-9 || length.is_nan() {
        errors.push(number(place(), "length of the rotation quaternion", length, "1"));
    }
}

fn check_body(body: &Body, errors: &mut Vec<ModelError>) {
    let place = || format!("body `{}`", body.name);
    check_pose(&body.start, place, errors);
    if !(body.velocity.is_finite() && body.angular_velocity.is_finite()) {
        errors.push(number(place(), "velocity", f64::NAN, "finite numbers"));
    }
    if body.is_fixed {
        return;
    }
    if body.mass <= 0.0 || !body.mass.is_finite() {
        errors.push(number(place(), "mass", body.mass, "a finite number of kg > 0 (or `fixed`)"));
        return;
    }
    let moments = principal_moments(body.inertia);
    let [least, middle, largest] = moments;
    let name = || body.name.clone();
    if moments.iter().any(|moment| !moment.is_finite()) || least <= 0.0 {
        let allowed = "a symmetric positive definite matrix";
        errors.push(ModelError::Inertia { body: name(), moments, allowed });
    } else if largest > (least + middle) * (1.0 + 1e-9) {
        let allowed = "the largest at most the sum of the others, as for any distribution of mass";
        errors.push(ModelError::Inertia { body: name(), moments, allowed });
    }
}

fn check_material(material: &Material, errors: &mut Vec<ModelError>) {
    let Material { name, friction, restitution, rolling, softness } = material;
    let contact = Contact { friction: *friction, restitution: *restitution, rolling: *rolling, softness: *softness };
    check_contact(&format!("material `{name}`"), &contact, errors);
}

fn check_contact(place: &str, contact: &Contact, errors: &mut Vec<ModelError>) {
    let mut check = |what, value: f64, ok: bool, allowed| {
        if !ok || !value.is_finite() {
            errors.push(number(place.to_owned(), what, value, allowed));
        }
    };
    check("friction", contact.friction, contact.friction >= 0.0, "a finite number ≥ 0");
    check("restitution", contact.restitution, (0.0..=1.0).contains(&contact.restitution), "a number from 0 to 1");
    check("rolling", contact.rolling, contact.rolling >= 0.0, "a finite length ≥ 0");
    if let Some(softness) = contact.softness {
        check("stiffness", softness.stiffness, softness.stiffness > 0.0, "a finite number of N/m > 0");
        check("damping", softness.damping, softness.damping >= 0.0, "a finite number of N s/m ≥ 0");
    }
}

/// Eigenvalues of a symmetric 3 × 3 matrix, ascending, by the trigonometric formula; NaN if it is not symmetric.
fn principal_moments(inertia: crate::Mat3) -> [f64; 3] {
    let [x, y, z] = [inertia.x_axis, inertia.y_axis, inertia.z_axis];
    let largest = [x, y, z].iter().fold(0.0_f64, |m, v| m.max(v.abs().max_element()));
    let skew = (x.y - y.x).abs().max((x.z - z.x).abs()).max((y.z - z.y).abs());
    if !largest.is_finite() || skew > 1e-9 * largest {
        return [f64::NAN; 3];
    }
    let mean = (x.x + y.y + z.z) / 3.0;
    let off = x.y * x.y + x.z * x.z + y.z * y.z;
    let spread = (((x.x - mean).powi(2) + (y.y - mean).powi(2) + (z.z - mean).powi(2) + 2.0 * off) / 6.0).sqrt();
    if spread <= f64::EPSILON * mean.abs() {
        return [mean; 3];
    }
    // The eigenvalues are mean + 2·spread·cos(φ + 2πk/3), cos 3φ = det((I − mean)/spread)/2.
    let shifted = (inertia - crate::Mat3::from_diagonal(Vec3::splat(mean))) * (1.0 / spread);
    let phi = (0.5 * shifted.determinant()).clamp(-1.0, 1.0).acos() / 3.0;
    let largest = mean + 2.0 * spread * phi.cos();
    let least = mean + 2.0 * spread * (phi + 2.0 * std::f64::consts::PI / 3.0).cos();
    [least, 3.0 * mean - largest - least, largest]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mat3;

    #[test]
    fn principal_moments_of_a_turned_diagonal_are_its_entries() {
        let turn = Mat3::from_quat(glam::DQuat::from_rotation_x(0.4) * glam::DQuat::from_rotation_y(1.3));
        let inertia = turn * Mat3::from_diagonal(Vec3::new(1.0, 2.0, 2.5)) * turn.transpose();
        let moments = principal_moments(inertia);
        assert!(moments.iter().zip([1.0, 2.0, 2.5]).all(|(a, b)| (a - b).abs() < 1e-14), "{moments:?}");
    }

    #[test]
    fn every_error_of_a_model_is_listed() {
        let mut model = Model::builder();
        let bad = model.material(Material { friction: -0.3, ..Material::new("ice") });
        let heavy = model.body(Body::new("a", -1.0, Mat3::IDENTITY));
        model.body(Body::new("a", 1.0, Mat3::from_diagonal(Vec3::new(1.0, 1.5, 3.0))));
        model.collider(heavy, Collider::new(Shape::Sphere { radius: 1.0 }, MaterialId(bad.0 + 1)));
        let mut messages: Vec<String> = model.errors().iter().map(ToString::to_string).collect();
        // The moments are printed as computed, with rounding.
        assert!(messages.remove(2).starts_with("body `a`: inertia has principal moments ["));
        assert_eq!(
            messages,
            [
                "two bodies are called `a`, expected names of their own",
                "body `a`: mass is -1, expected a finite number of kg > 0 (or `fixed`)",
                "material `ice`: friction is -0.3, expected a finite number ≥ 0",
                "shape of body `a` refers to material 1, which does not exist",
            ]
        );
    }
}
