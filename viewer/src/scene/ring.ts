/** The mark of the selected body: a ring around it, always in front and always two pixels wide. */
import * as THREE from "three";
import { shared } from "./shading";

const VERTEX = /* glsl */ `
uniform vec3 centre;
uniform float radius;
uniform float pixel;
varying vec2 vAt;
void main() {
  vec4 seen = viewMatrix * vec4(centre, 1.0);
  float per_pixel = pixel * length(seen.xyz);
  // At least nine pixels, however small the body is.
  float wide = max(radius, 9.0 * per_pixel) + 3.0 * per_pixel;
  vAt = position.xy * wide;
  seen.xy += vAt;
  vAt /= wide;
  gl_Position = projectionMatrix * seen;
}`;

const FRAGMENT = /* glsl */ `
uniform vec3 colour;
varying vec2 vAt;
void main() {
  float r = length(vAt);
  float one = fwidth(r);
  float alpha = 1.0 - smoothstep(0.75, 1.75, abs(r - (1.0 - 2.5 * one)) / one);
  if (alpha < 0.01) discard;
  gl_FragColor = vec4(colour, alpha);
}`;

export class Ring {
  readonly object: THREE.Mesh;
  private readonly material: THREE.ShaderMaterial;

  constructor() {
    this.material = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { centre: { value: new THREE.Vector3() }, radius: { value: 1 }, pixel: shared.pixel, colour: { value: new THREE.Vector3(1, 1, 1) } },
      transparent: true,
      depthTest: false,
      depthWrite: false,
    });
    this.object = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), this.material);
    this.object.frustumCulled = false;
    this.object.visible = false;
    this.object.renderOrder = 30;
  }

  set colour(rgb: [number, number, number]) {
    (this.material.uniforms.colour.value as THREE.Vector3).set(...rgb);
  }

  around(x: number, y: number, z: number, radius: number): void {
    (this.material.uniforms.centre.value as THREE.Vector3).set(x, y, z);
    this.material.uniforms.radius.value = radius * 1.08;
    this.object.visible = true;
  }
  hide(): void {
    this.object.visible = false;
  }
}
