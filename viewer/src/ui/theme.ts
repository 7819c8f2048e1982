/** Dark or light: as the system says, until the reader chooses. */
import { oklch, type Rgb } from "../colour";

export interface Theme {
  dark: boolean;
  above: Rgb;
  below: Rgb;
  ground: Rgb;
  grid: Rgb;
  /** Fixed bodies and other things that carry no colour of their own. */
  neutral: Rgb;
  solidEdge: Rgb;
  wall: Rgb;
  wallEdge: Rgb;
  selected: Rgb;
}

const DARK: Theme = {
  dark: true,
  above: oklch(0.19, 0.012, 255),
  below: oklch(0.27, 0.016, 255),
  ground: oklch(0.255, 0.012, 255),
  grid: oklch(0.43, 0.015, 255),
  neutral: oklch(0.62, 0.012, 255),
  solidEdge: oklch(0.12, 0.01, 255),
  wall: oklch(0.8, 0.04, 240),
  wallEdge: oklch(0.85, 0.03, 240),
  selected: oklch(0.92, 0.14, 100),
};

const LIGHT: Theme = {
  dark: false,
  above: oklch(0.97, 0.004, 255),
  below: oklch(0.9, 0.008, 255),
  ground: oklch(0.925, 0.005, 255),
  grid: oklch(0.74, 0.012, 255),
  neutral: oklch(0.68, 0.012, 255),
  solidEdge: oklch(0.2, 0.02, 255),
  wall: oklch(0.55, 0.06, 245),
  wallEdge: oklch(0.4, 0.06, 245),
  selected: oklch(0.6, 0.23, 30),
};

export class Themes {
  current: Theme;

  constructor(private readonly changed: (theme: Theme) => void) {
    const system = window.matchMedia("(prefers-color-scheme: light)");
    this.current = system.matches ? LIGHT : DARK;
    this.apply();
    system.addEventListener("change", (event) => this.choose(event.matches ? LIGHT : DARK));
  }

  toggle(): void {
    this.choose(this.current.dark ? LIGHT : DARK);
  }

  private choose(theme: Theme): void {
    this.current = theme;
    this.apply();
    this.changed(theme);
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.current.dark ? "dark" : "light";
  }
}
