//! Messages of scene files that are wrong: all at once, each with its place.

use signorini_scene::{Overrides, SceneErrors, parse};

fn errors(text: &str) -> SceneErrors {
    parse(text, "a.toml", None, &Overrides::default()).expect_err("errors")
}

/// A scene with one good body and more lines, from line 6 on.
fn with(lines: &str) -> String {
    format!(
        "signorini = 1\n[materials.m]\n[bodies.ball]\nshape = {{ type = \"sphere\", radius = 1 }}\nmass = 1\n{lines}"
    )
}

/// The text has exactly one error: at this place, and its message and hint contain this.
fn assert_only(text: &str, line: usize, column: usize, message: &str) {
    let SceneErrors(found) = errors(text);
    assert_eq!(found.len(), 1, "{text}\n{found:#?}");
    let error = &found[0];
    let said = format!("{}{}", error.message, error.hint.as_ref().map(|hint| format!(" | {hint}")).unwrap_or_default());
    assert!(said.contains(message), "{text}\nsaid: {said}\nexpected: {message}");
    assert_eq!((error.line, error.column), (line, column), "{text}\n{error}");
}

#[test]
fn all_errors_of_a_file_are_reported_in_its_order() {
    let SceneErrors(found) = errors(
        "signorini = 1\nspeed = 3\n[bodies.a]\nmass = -1\nshape = { type = \"spere\", radius = 1 }\n[joints.j]\ntype = \"spherical\"\n\
         bodies = [\"a\", \"b\"]\npoint = [0, 0]\n",
    );
    let places: Vec<_> = found.iter().map(|error| (error.line, error.column)).collect();
    assert_eq!(places, [(2, 1), (4, 8), (5, 18), (9, 9)], "{found:#?}");
    let text = SceneErrors(found).to_string();
    assert!(text.starts_with("error: unknown field `speed` (a.toml:2:1)\n  hint: "), "{text}");
    assert!(text.contains(
        "error: bodies.a.shape: `type` is \"spere\" (a.toml:5:18)\n  hint: did you mean `sphere`? allowed: "
    ));
}

#[test]
fn errors_of_syntax_have_places() {
    assert_eq!(errors("signorini = 1\n[bodies.a\n").0[0].line, 2);
    let twice = errors("signorini = 1\n[bodies.a]\nmass = 1\nmass = 2\n");
    assert_eq!((twice.0[0].line, twice.0[0].column), (4, 1), "{twice}");
    assert!(twice.to_string().contains("`mass` is given twice"), "{twice}");
    assert_only(&with("[bodies.ball]\nmass = 2\n"), 6, 9, "`ball` is given twice");
}

#[test]
fn one_slip_of_syntax_is_one_error() {
    let SceneErrors(found) = errors(&with("position = [0, 0, 1\n[stepper]\nstep = 0.1\n[run]\nuntil = 1\n"));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].line == 7 && found[0].message.starts_with("not TOML: "), "{found:#?}");
}

#[test]
fn what_newcomers_write_is_answered_with_what_they_want() {
    let joint =
        "[joints.j]\ntype = \"revolute\"\nbodies = [\"ball\", \"world\"]\npoint = [0, 0, 0]\naxis = [0, 0, 1]\n";
    assert_only(&with(&format!("{joint}limits = [-90, 90]\n")), 11, 10, "are 180 rad apart, expected less than 2π");
    assert_only(&with(&format!("{joint}limits = [-90, 90]\n")), 11, 10, "`limits-degrees` takes degrees");
    assert_only(&with("rotation = [0, 0, 90]\n"), 6, 12, "{ euler-degrees = [x, y, z] }");
    assert_only(&with("position = 3\n"), 6, 12, "is the number 3, expected three numbers [x, y, z]");
    assert_only(
        &with("[bodies.b]\nmass = 1\nshape = { radius = 1 }\n"),
        8,
        9,
        "`type` is missing | allowed: capsule, cone",
    );
    assert_only(&with("[run]\nuntil = 0.001\n"), 6, 1, "`until` is 0.001 s, expected at least half a step of 0.01 s");
}

#[test]
fn the_version_is_asked_for_and_understood() {
    assert_only("", 1, 1, "`signorini` is missing");
    assert_only("x = 1\nsignorini = 2", 2, 13, "is version 2, expected 1");
    assert_only("signorini = \"one\"", 1, 13, "expected a number");
    assert_only("signorini = 1", 1, 1, "the scene has no bodies");
}

#[test]
fn numbers_are_checked() {
    for (value, message) in [
        ("nan", "is NaN, expected a number > 0"),
        ("inf", "is inf, expected"),
        ("1e400", "is inf, expected"),
        ("-1", "is -1, expected a number > 0"),
        ("0", "is 0, expected a number > 0"),
        ("1e99", "expected a number > 0, at most 1e60"),
        ("\"heavy\"", "is the text \"heavy\", expected a number | expressions start with `=`"),
        ("true", "is true, expected a number"),
        ("[1]", "is a list of 1, expected a number"),
        ("\"=1/0\"", "the expression `1/0` is inf, expected a finite number"),
        ("\"=2*raduis\"", "no parameter `raduis` | did you mean `radius`?"),
        ("\"=sqr(2)\"", "no function `sqr()` | did you mean `sqrt`?"),
    ] {
        let text = format!(
            "signorini = 1\nparameters.radius = 2\n[bodies.a]\nshape = {{ type = \"sphere\", radius = 1 }}\nmass = {value}\n"
        );
        assert_only(&text, 5, 8, message);
    }
}

#[test]
fn parameters_must_exist_and_not_run_in_circles() {
    let text = "signorini = 1\n[parameters]\na = \"b + 1\"\nb = \"2*c\"\nc = \"a\"\n[bodies.x]\nmass = \"=a\"\n\
                shape = { type = \"sphere\", radius = 1 }";
    assert_only(text, 5, 1, "parameters depend on themselves: a → b → c → a");
    assert_only(&with("[parameters]\npi = 3"), 7, 1, "belongs to a function or a constant");
    assert_only(&with("[parameters]\na-b = 3"), 7, 1, "letters, digits and _");
    let scene = with("[parameters]\nradius = 1");
    let overrides = Overrides { set: vec![("raduis".into(), "2".into())], ..Overrides::default() };
    let error = parse(&scene, "a.toml", None, &overrides).expect_err("unknown").to_string();
    assert!(error.contains("no parameter `raduis` to set (--set raduis=2)\n  hint: did you mean `radius`?"), "{error}");
    let overrides = Overrides { set: vec![("radius".into(), "2*".into())], ..Overrides::default() };
    let error = parse(&scene, "a.toml", None, &overrides).expect_err("no expression").to_string();
    assert!(error.contains("parameter `radius`: the expression ends"), "{error}");
}

#[test]
fn bodies_are_checked() {
    assert_only("signorini = 1\n[bodies.a]\n", 2, 9, "nothing says how heavy the body is");
    assert_only("signorini = 1\n[bodies.a]\nmass = 1\n", 2, 9, "`inertia` is missing");
    assert_only("signorini = 1\n[bodies.a]\nmass = 1\ninertia = [1, 1, 3]\n", 2, 9, "principal moments");
    assert_only("signorini = 1\n[bodies.a]\nmass = 1\ninertia = [1, 1]\n", 4, 11, "has 2 numbers, expected 3");
    let plane = "signorini = 1\n[bodies.a]\ndensity = 1\nshape = { type = \"half-space\" }\n";
    assert_only(plane, 2, 9, "half-space");
    assert_only(&with("density = 3"), 3, 9, "both mass and density");
    assert_only(&with("fixed = true\nvelocity = [1, 0, 0]"), 3, 9, "a fixed body has no velocity");
    assert_only(&with("material = \"n\""), 6, 12, "names the unknown material \"n\"");
    assert_only(&with("rotation = { axis = [0, 0, 0], angle = 1 }"), 6, 21, "has no direction");
    assert_only(&with("rotation = { axis = [0, 0, 1] }"), 6, 12, "needs one of `angle`");
    assert_only(&with("rotation = { }"), 6, 12, "expected one of");
    assert_only(&with("collides-with = [\"x\"]"), 6, 18, "a group without members");
    assert_only(
        &with("[materials.n]\n[bodies.b]\nmass = 1\nshape = { type = \"sphere\", radius = 1, material = \"m\" }"),
        4,
        9,
        "the scene has more than one",
    );
}

#[test]
fn joints_of_teeth_threads_ropes_and_curves_are_checked() {
    // Line 6 is the head, 7 the bodies, 8 the type; fields follow.
    let joint = |kind: &str, fields: &str| {
        with(&format!("[joints.j]\nbodies = [\"world\", \"ball\"]\ntype = \"{kind}\"\n{fields}\n"))
    };
    let only = |kind: &str, fields: &str, line, column, message: &str| {
        assert_only(&joint(kind, fields), line, column, message);
    };
    only("gaer", "", 8, 8, "is \"gaer\" | did you mean `gear`?");
    let gear = "axis = [0, 0, 1]\n";
    only("gear", gear, 6, 9, "`teeth` is missing");
    only("gear", &format!("{gear}teeth = [17, 0]"), 10, 14, "is 0, expected a whole number from 1 to 1000000");
    only("gear", &format!("{gear}teeth = [17.5, 41]"), 10, 10, "is 17.5, expected a whole number from 1");
    only("gear", &format!("{gear}teeth = [17]"), 10, 9, "has 1 entries, expected two whole numbers");
    only("gear", "teeth = [1, 2]", 6, 9, "`axis` is missing (or `axes`, one of each body)");
    only(
        "gear",
        &format!("{gear}axes = [[0, 0, 1], [0, 0, 1]]\nteeth = [1, 2]"),
        6,
        9,
        "both `axis` and `axes` are given",
    );
    only("gear", "axes = [[0, 0, 1], [0, 0, 0]]\nteeth = [1, 2]", 9, 20, "has no direction");
    only(
        "gear",
        &format!("{gear}teeth = [1, 2]\ninternl = true"),
        11,
        1,
        "unknown field `internl` | did you mean `internal`?",
    );
    let rack = "axis = [0, 0, 1]\ndirection = [1, 0, 0]\n";
    only("rack-pinion", &format!("{rack}radius = 0"), 11, 10, "is 0, expected a number of metres > 0");
    only("rack-pinion", "axis = [0, 0, 1]\nradius = 1", 6, 9, "`direction` is missing");
    let axis = "point = [0, 0, 0]\naxis = [0, 0, 1]\n";
    only("screw", &format!("{axis}pitch = 0"), 11, 9, "is 0, expected metres a turn other than 0");
    only("screw", axis, 6, 9, "`pitch` is missing");
    only("planar", "point = [0, 0, 0]", 6, 9, "`axis` is missing");
    only("parallel", axis, 9, 1, "unknown field `point`");
    only("perpendicular", "axes = [[0, 0, 1]]", 9, 8, "has 1 entries, expected two axes");
    only("universal", axis, 6, 9, "`axes` is missing");
    only("constant-velocity", "point = [0, 0, 0]", 6, 9, "`axis` is missing (or `axes`");
    let rope = "points = [[0, 0, 0], [1, 0, 0]]\n";
    only("pulley", rope, 6, 9, "`sheaves` is missing");
    let rope = format!("{rope}sheaves = [[0, 0, 1], [1, 0, 1]]\n");
    only("pulley", &format!("{rope}ratio = -2"), 11, 9, "is -2, expected a number > 0");
    only("pulley", &format!("{rope}slack = 1"), 11, 9, "expected true or false");
    only("pulley", "points = [[0, 0, 0], [0, 0, 0]]\nsheaves = [[0, 0, 0], [0, 0, 0]]", 6, 9, "length is 0");
    let curve = |fields: &str| joint("point-on-curve", &format!("point = [0, 0, 0]\n{fields}"));
    assert_only(&curve("curve = [[0, 0, 0], [1, 0, 0]]"), 10, 9, "has 2 points, expected at least 3 for an open curve");
    assert_only(
        &curve("closed = true\ncurve = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]"),
        11,
        9,
        "has 3 points, expected at least 4 for a closed curve",
    );
    assert_only(&curve("curve = [[0, 0, 0], [1, 0, 0], [1, 0, 0]]"), 10, 9, "points 1 and 2 coincide");
    assert_only(&curve("curve = [[0, 0, 0], [1, 0, 0], [1, nan, 0]]"), 10, 36, "is NaN, expected");
    assert_only(&curve("curve = 3"), 10, 9, "is the number 3, expected a list");
    let motor = "point = [0, 0, 0]\naxis = [0, 0, 1]\n";
    only(
        "revolute",
        &format!("{motor}speed = 1\nmotion = {{ speed = 1 }}"),
        6,
        9,
        "both `motion` and `speed` are given",
    );
    only("revolute", &format!("{motor}speed = \"fast\""), 11, 9, "is the text \"fast\", expected a number");
    only("prismatic", &format!("{motor}speed = 1\nlimits = [0, 1]"), 6, 9, "imposed and limited");
}

#[test]
fn joints_and_forces_are_checked() {
    let joint = |fields: &str| with(&format!("[joints.j]\n{fields}"));
    let point = "type = \"spherical\"\npoint = [0, 0, 0]\n";
    assert_only(
        &joint(&format!("{point}bodies = [\"bal\", \"world\"]")),
        9,
        11,
        "unknown body \"bal\" | did you mean `ball`?",
    );
    assert_only(&joint(&format!("{point}bodies = [\"ball\", \"ball\"]")), 6, 9, "with itself");
    assert_only(&joint(&format!("{point}bodies = [\"ball\"]")), 9, 10, "has 1 entries, expected two names");
    assert_only(
        &joint(&format!("{point}bodies = [\"ball\", \"world\"]\naxis = [0, 0, 1]")),
        10,
        1,
        "unknown field `axis`",
    );
    let fixed = format!("{point}bodies = [\"f\", \"world\"]\n[bodies.f]\nfixed = true");
    assert_only(&joint(&fixed), 6, 9, "both fixed");
    let motor = "type = \"revolute\"\npoint = [0, 0, 0]\naxis = [0, 0, 1]\nbodies = [\"world\", \"ball\"]\n";
    assert_only(&joint(&format!("{motor}motion = {{ sped = 1 }}")), 11, 12, "unknown field `sped`");
    assert_only(&joint(&format!("{motor}motion = {{ speed = 1 }}\nlimits = [0, 1]")), 6, 9, "imposed and limited");
    assert_only(&joint(&format!("{motor}limits = [1, 0]")), 6, 9, "lower limit is 1");
    assert_only(
        &joint(&format!("{motor}motion = {{ table = {{ times = [1, 0], values = [1, 2] }} }}")),
        11,
        10,
        "expected each later",
    );
    let spring = "[forces.s]\ntype = \"spring\"\npoints = [[0, 0, 0], [1, 0, 0]]\nstiffness = -1\nbodies = [\"world\", \"ball\"]\n";
    assert_only(&with(spring), 9, 13, "is -1, expected");
    assert_only(&with("[forces.s]\ntype = \"load\"\nbody = \"ball\""), 6, 9, "needs `force` or `torque`");
    assert_only(&with("[[exclude]]\nbodies = [\"ball\", \"bll\"]"), 7, 19, "unknown body \"bll\"");
}

#[test]
fn settings_are_checked_where_they_stand() {
    assert_only(&with("[stepper]\nstep = 0"), 7, 8, "is 0, expected a number of seconds > 0");
    assert_only(&with("[stepper]\ngyroscopic = \"no\""), 7, 14, "allowed: explicit, implicit, off");
    assert_only(&with("[stepper]\nrestitution-law = \"poisson\""), 7, 19, "allowed: dissipative, newton");
    assert_only(&with("[stepper]\npenalty = { damping = 1 }"), 7, 11, "`stiffness`");
    assert_only(&with("[stepper]\npenalty = { stiffness = 0 }"), 7, 25, "is 0, expected a number > 0");
    assert_only(&with("[stepper]\npenalty = { stiffness = 1, damping = -1 }"), 7, 38, "is -1, expected");
    assert_only(&with("[stepper]\npenalty = { stiffness = 1, law = \"herz\" }"), 7, 34, "did you mean `hertz`?");
    assert_only(&with("[stepper]\npenalty = { stiffness = 1, stik-damping = 1 }"), 7, 28, "stick-damping");
    assert_only(&with("[stepper]\npenalty = 3"), 7, 11, "is");
    assert_only(&with("[solver]\nmethod = \"interior-pont\""), 7, 10, "did you mean `interior-point`?");
    assert_only(&with("[solver]\nmethod = { name = \"tron\", memory = 3 }"), 7, 27, "`memory`: unknown field `memory`");
    assert_only(
        &with("[solver]\nmethod = { name = \"tron\", factor-entries = \"many\" }"),
        7,
        27,
        "`factor-entries`: invalid type",
    );
    assert_only(
        &with("[solver.method]\nname = \"auto\"\n[solver.method.interior-point]\nstart = \"cold\""),
        9,
        1,
        "`interior-point.start`: unknown variant `cold`",
    );
    assert_only(&with("[solver]\nmethod = { name = \"blmvm\", memory = 0 }"), 7, 28, "`memory` is 0, expected");
    assert_only(&with("[solver]\nfacets = 2"), 7, 10, "expected a whole number from 3 to 256");
    assert_only(&with("[solver]\nfacets = 4\nfriction = \"exact\""), 6, 1, "exact");
    assert_only(
        &with("[solver]\ntolerance = { relative = 1e-6, velocity = 1 }"),
        7,
        13,
        "expected one of `relative` and `velocity`",
    );
    assert_only(&with("[run]\nuntil = 1\nsteps = 3"), 6, 1, "both `until` and `steps`");
    assert_only(&with("[run]\nuntil = 1e9\n[stepper]\nstep = 1e-9"), 6, 1, "at most 1e9");
    assert_only(&with("[output]\nevery = 0"), 7, 9, "expected a whole number from 1");
}

#[test]
fn too_many_bodies_are_refused_before_they_are_made() {
    let grid = "[[populate]]\nname = \"b\"\npattern = \"grid\"\nspacing = 1\nmass = 1\nshape = { type = \"sphere\", radius = 0.1 }\n";
    assert_only(
        &with(&format!("{grid}count = [4000000000, 4000000000, 4000000000]")),
        6,
        1,
        "expected at most 2000000 bodies",
    );
    let tower = "[[populate]]\nname = \"b\"\npattern = \"card-tower\"\nsize = [1, 1, 0.01]\nmass = 1\nstoreys = 9999";
    assert_only(&with(tower), 6, 1, "expected at most 2000000 bodies");
    let fill = "[[populate]]\nname = \"b\"\npattern = \"fill\"\nbox = { min = [0, 0, 0], max = [4, 4, 4] }\nmass = 1\ncount = 100\n\
                shape = { type = \"sphere\", radius = 1 }";
    let SceneErrors(found) = errors(&with(fill));
    assert!(found[0].message.contains("of 100 bodies fit"), "{found:?}");
    let tight = fill.replace("radius = 1", "radius = 2.1");
    assert_only(&with(&tight), 6, 1, "not one body fits");
}

#[test]
fn names_of_bodies_are_not_taken_twice() {
    let grid = "[bodies.b-0001]\nmass = 1\nshape = { type = \"sphere\", radius = 0.1 }\n[[populate]]\nname = \"b\"\npattern = \"grid\"\n\
                count = [1, 1, 1]\nspacing = 1\nmass = 1\nshape = { type = \"sphere\", radius = 0.1 }\n";
    assert_only(&with(grid), 9, 1, "a body called `b-0001` exists already");
}

#[test]
fn joints_with_another_population_name_the_body_that_is_missing() {
    let population = |name: &str, count: u32, joints: &str| {
        format!(
            "[[populate]]\nname = \"{name}\"\npattern = \"grid\"\ncount = [{count}, 1, 1]\nspacing = 3\nmass = 1\n\
             shape = {{ type = \"sphere\", radius = 0.1 }}\njoints = [{joints}]\n"
        )
    };
    let joint = |with: &str, shift: u32| {
        format!("{{ with = \"{with}\", shift = {shift}, type = \"spherical\", point = [0, 0, 0] }}")
    };
    let two = |partner: &str, shift: u32| {
        with(&format!("{}{}", population("a", 3, ""), population("b", 3, &joint(partner, shift))))
    };
    assert!(parse(&two("a", 0), "a.toml", None, &Overrides::default()).is_ok());
    assert_only(&two("a", 1), 21, 20, "which has no body 4 for `b-0003`");
    assert_only(&two("ball", 1), 21, 36, "\"ball\" is not the name of an earlier [[populate]]");
    assert_only(&two("previous", 1), 21, 40, "\"previous\" is not the name of an earlier [[populate]]");
}

#[test]
fn what_is_broken_does_not_break_what_refers_to_it() {
    let chain = "[[populate]]\nname = \"c\"\npattern = \"grid\"\ncount = [2, 1, 1]\nspacing = 1\nmass = -1\n\
                 shape = { type = \"sphere\", radius = 0.1 }\n[joints.j]\ntype = \"spherical\"\npoint = [0, 0, 0]\n\
                 bodies = [\"ball\", \"c-last\"]\n";
    assert_only(&with(chain), 11, 8, "is -1, expected");
}

#[test]
fn walls_of_containers_have_a_thickness_above_zero() {
    let containers = [
        "type = \"inside-cylinder\", radius = 1, height = 2",
        "type = \"inside-cone\", bottom-radius = 0.5, top-radius = 1, height = 2",
    ];
    for container in containers {
        for (thickness, said) in [("0", "is 0, "), ("-0.1", "is -0.1, "), ("nan", "is NaN, "), ("inf", "is inf, ")] {
            let text =
                with(&format!("[bodies.cup]\nfixed = true\nshape = {{ {container}, thickness = {thickness} }}\n"));
            let column = 9 + "{ ".len() + container.len() + ", thickness = ".len();
            let expected = format!("`thickness` {said}expected a number of metres > 0");
            assert_only(&text, 8, column, &expected);
        }
    }
}
