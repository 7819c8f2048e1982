/** The canvas: renderer, camera, controls, background. Draws only when something changed. */
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { PageError } from "../data/error";
import { directionOf, fittingDistance, frameOf, type Frame, type View } from "./cameras";
import { updateShared } from "./shading";

const FIELD_OF_VIEW = 35;

const BACKGROUND_FRAGMENT = /* glsl */ `
uniform vec3 above;
uniform vec3 below;
varying vec2 vAt;
void main() {
  vec3 colour = mix(below, above, smoothstep(-1.0, 1.0, vAt.y));
  // Half a step of noise: without it a gradient of few shades shows bands.
  float noise = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5;
  gl_FragColor = vec4(colour + noise / 255.0, 1.0);
}`;

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  /** Drawn over the scene, with a depth of its own: forces and joints that lie inside of bodies. */
  readonly overlay = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100);
  readonly controls: OrbitControls;
  readonly frame: Frame;
  width = 1;
  height = 1;
  /** Something changed since the last picture. */
  dirty = true;
  private readonly size: number;
  private readonly background: THREE.ShaderMaterial;
  private readonly resized: (() => void)[] = [];

  constructor(
    readonly element: HTMLElement,
    gravity: [number, number, number],
    private readonly box: THREE.Box3,
    smooth: boolean,
  ) {
    this.size = box.getSize(new THREE.Vector3()).length();
    this.renderer = makeRenderer(smooth);
    this.renderer.autoClear = false;
    const canvas = this.renderer.domElement;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "Animation of the run. Drag to turn, right drag to move, scroll to zoom.");
    element.prepend(canvas);
    canvas.addEventListener("webglcontextrestored", () => (this.dirty = true));
    this.frame = frameOf(gravity);
    this.camera.up.copy(this.frame.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => (this.dirty = true));
    this.background = new THREE.ShaderMaterial({
      vertexShader: "varying vec2 vAt; void main() { vAt = position.xy; gl_Position = vec4(position.xy, 1.0, 1.0); }",
      fragmentShader: BACKGROUND_FRAGMENT,
      uniforms: { above: { value: new THREE.Vector3() }, below: { value: new THREE.Vector3() } },
      depthTest: false,
      depthWrite: false,
    });
    const backdrop = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), this.background);
    backdrop.frustumCulled = false;
    backdrop.renderOrder = -100;
    this.scene.add(backdrop);
    new ResizeObserver(() => this.resize()).observe(element);
    this.resize();
  }

  onResize(listener: () => void): void {
    this.resized.push(listener);
  }

  set colours(colours: { above: [number, number, number]; below: [number, number, number] }) {
    (this.background.uniforms.above.value as THREE.Vector3).set(...colours.above);
    (this.background.uniforms.below.value as THREE.Vector3).set(...colours.below);
    this.dirty = true;
  }

  /** Shows a standard view of the scene, or fits a box without turning. */
  setView(view: View, now?: THREE.Box3): void {
    const box = view === "fit" && now && !now.isEmpty() ? now : this.box;
    const middle = box.getCenter(new THREE.Vector3());
    const direction =
      view === "fit" ? this.camera.position.clone().sub(this.controls.target).normalize() : directionOf(view, this.frame);
    const distance = fittingDistance(box, middle, direction, this.frame.up, this.camera);
    this.controls.target.copy(middle);
    this.camera.position.copy(middle).addScaledVector(direction, distance);
    this.controls.update();
    this.dirty = true;
  }

  /** Moves eye and target together. */
  shift(by: THREE.Vector3): void {
    this.camera.position.add(by);
    this.controls.target.add(by);
    this.controls.update();
    this.dirty = true;
  }

  /** Metres across one pixel at the target. */
  get metresPerPixel(): number {
    return (2 * Math.tan((this.camera.fov * Math.PI) / 360) * this.camera.position.distanceTo(this.controls.target)) / this.height;
  }

  draw(): void {
    // Depth is shared out over what can be seen: from a share of the distance to beyond the far side of the floor.
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = distance / 400;
    this.camera.far = distance + 8 * this.size;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    updateShared(this.camera, this.frame.up, this.height, this.renderer.getPixelRatio());
    this.renderer.clear();
    this.renderer.render(this.scene, this.camera);
    if (this.overlay.children.some((child) => child.visible)) {
      this.renderer.clearDepth();
      this.renderer.render(this.overlay, this.camera);
    }
    this.dirty = false;
  }

  /** Place of a point of the world in CSS pixels of the page. */
  toScreen(point: THREE.Vector3): { x: number; y: number } {
    const rectangle = this.renderer.domElement.getBoundingClientRect();
    this.camera.updateMatrixWorld();
    const at = point.clone().project(this.camera);
    return { x: rectangle.left + ((at.x + 1) / 2) * rectangle.width, y: rectangle.top + ((1 - at.y) / 2) * rectangle.height };
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.element;
    this.width = Math.max(1, clientWidth);
    this.height = Math.max(1, clientHeight);
    // More than two pixels a CSS pixel cannot be told apart but quadruples the work.
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(this.width, this.height);
    this.camera.aspect = this.width / this.height;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
    for (const listener of this.resized) listener();
  }
}

function makeRenderer(smooth: boolean): THREE.WebGLRenderer {
  // Asked for first by hand: three reports a failure on the console before it throws.
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("webgl2", { antialias: smooth, alpha: false, powerPreference: "high-performance" });
  if (!context) {
    throw new PageError(
      "This browser cannot draw in three dimensions",
      "WebGL 2 is not available.",
      "Turn on hardware acceleration in the settings of the browser, update the graphics driver, or open the page in another browser. The still pictures and films that `signorini` makes need no WebGL.",
    );
  }
  return new THREE.WebGLRenderer({ canvas, context, antialias: smooth });
}
