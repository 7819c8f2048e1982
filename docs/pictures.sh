#!/bin/sh
# Makes the pictures of the documentation: one still a gallery scene, docs/pictures/NAME.png, and the film of the README.
#   docs/pictures.sh [PROGRAM [SCENE…]]
# Runs are kept in RUNS (default: target/pictures) and used again.
set -u
cd "$(dirname "$0")/.." || exit 1
program=${1:-target/release/signorini}
[ $# -gt 0 ] && shift
chosen=$*
runs=${RUNS:-target/pictures}
limit=${LIMIT:-600}
mkdir -p docs/pictures "$runs"

# still SCENE UNTIL AT [options of render]; `-` for UNTIL: the scene's own end.
still() {
    scene=$1 until=$2 at=$3
    shift 3
    case " $chosen " in "  " | *" $scene "*) ;; *) return ;; esac
    # A run that was cut short has frames up to there: the last of them is drawn if the moment is missing.
    if [ ! -f "$runs/$scene/run.json" ]; then
        if [ "$until" = - ]; then until=; else until="--until $until"; fi
        # shellcheck disable=SC2086
        timeout "$limit" "$program" run "$scene" $until --out "$runs/$scene" --contacts --quiet
    fi
    out=docs/pictures/$scene.png
    "$program" render "$runs/$scene" --size 640x400 --plain --at "$at" --out "$out" --quiet "$@" 2>/dev/null ||
        "$program" render "$runs/$scene" --size 640x400 --plain --out "$out" --quiet "$@" || echo "no picture of $scene"
}

still andrews-squeezer - 0.015 --camera top
still ball-bearing 0.4 0.3
still balls-in-box 1 0.35
still balls-in-box-frictionless 0.5 0.4
still beam-cantilever 1 0.6 --camera front
still beam-rollup 5 4 --camera front
still billiard-break 1.5 0.6
still box-slide - 0.3
still bricard 4 2
still brick-wall 1 0.5
still cam-follower - 0.3
still card-tower 0.5 0.3
still coulomb-oscillator - 0.3
still dominoes - 1.0
still double-pendulum 2 0.6 --camera front
still elastic-cantilever 0.5 0.3 --colour stress
still falling-elastic-block 0.6 0.4
still flyball-governor 0.5 0.3
still gear-train 1 0.5
still geneva-drive - 0.5
still gripper - 1.2
still hopper 1.5 1.0
still incline - 0.5
still jammed-box - 0.4
still mass-ratio-stack - 0.2
still n-four-bar 3 1.5 --camera front
still net-catches-ball - 0.9
still newtons-cradle - 0.3
still painleve-rod - 0.4 --camera front
still pebble-bed 3 2.5
still pendulum 2 0.6 --camera front
still pendulum-chain 1 0.6
still plank-tower 0.5 0.3
still redundant-joints - 0.4
still rolling-ring 1 0.6 --colour stress
still rolling-sphere - 0.5
still rotating-drum 2 1.5
still single-ball - 0.3
still single-brick - 0.3
still slider-crank-clearance - 0.3 --camera front
still spheres-in-cylinder 1 0.6
still spheres-under-mass 0.6 0.4
still spinning-top 1 0.5
still three-point-bending 0.3 0.3 --colour stress

# The film of the README: a wall, and a ball thrown at it.
case " $chosen " in "  " | *" hero "*)
    if [ ! -f "$runs/hero/run.json" ]; then
        timeout "$limit" "$program" run brick-wall --set columns=10 --set rows=12 --set speed=10 --tol 1e-4m/s --until 1.3 \
            --out "$runs/hero" --quiet
    fi
    "$program" render "$runs/hero" --gif --frames 65 --speed 0.5 --from 0.08 --size 720x405 --plain --eye 2.6,-3.0,1.7 \
        --target 0.25,0.5,0.35 --out docs/pictures/hero.gif --quiet
    ;;
esac
