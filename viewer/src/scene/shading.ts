/**
 * One lighting for everything that is drawn, in view space: a soft key light beside the camera and a sky that is brighter above.
 * Colours come in as sRGB, are lit as linear light and leave as sRGB. Light stays within a factor of about two, so that a colour that shows a number can be
 * compared with the colour bar.
 */
import * as THREE from "three";

export const SHADE = /* glsl */ `
uniform vec3 upInView;
vec3 shade(vec3 srgb, vec3 normal, vec3 toEye) {
  const vec3 key = vec3(-0.38, 0.55, 0.744);
  vec3 linear = pow(srgb, vec3(2.2));
  float sky = 0.5 + 0.5 * dot(normal, upInView);
  float light = mix(0.26, 0.52, sky) + 0.62 * max(dot(normal, key), 0.0);
  float shine = pow(max(dot(normal, normalize(key + toEye)), 0.0), 36.0);
  return pow(min(linear * light + 0.06 * shine, vec3(1.0)), vec3(1.0 / 2.2));
}
`;

/** Rotation of a vector by a unit quaternion (x, y, z, w). */
export const ROTATE = /* glsl */ `
vec3 rotate(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
`;

/** Uniforms shared by all materials, set once a picture. */
export const shared = {
  upInView: { value: new THREE.Vector3(0, 1, 0) },
  /** Size of one CSS pixel at unit distance [m]. */
  pixel: { value: 0.001 },
  /** Pixels of the canvas a CSS pixel. */
  ratio: { value: 1 },
};

const up = new THREE.Vector3();

export function updateShared(camera: THREE.PerspectiveCamera, worldUp: THREE.Vector3, height: number, ratio: number): void {
  shared.upInView.value.copy(up.copy(worldUp).transformDirection(camera.matrixWorldInverse));
  shared.pixel.value = (2 * Math.tan((camera.fov * Math.PI) / 360)) / Math.max(1, height);
  shared.ratio.value = ratio;
}
