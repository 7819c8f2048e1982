/** The selected body in numbers, at the frame shown. */
import type { Poses } from "../data/poses";
import { angularAt, velocityAt, type Triple } from "../data/measures";
import { nameOf, type Run } from "../data/run";
import { number, vector } from "../numbers";
import { button, el } from "./dom";

const LISTED = 12;
const triple: Triple = [0, 0, 0];

export class Readout {
  readonly element = el("div", { class: "chosen", id: "readout", hidden: "" });
  private readonly followButton: HTMLButtonElement;
  private readonly head: HTMLElement;
  private readonly list = el("dl");
  private readonly details = el("div");

  constructor(
    private readonly run: Run,
    actions: { follow: () => void; clear: () => void; select: (index: number) => void },
  ) {
    this.followButton = button("Follow", "Follow the selected body (G)", actions.follow, { id: "follow" });
    this.head = el("span", { class: "name" });
    this.element.append(
      el("div", { class: "row" }, this.head, el("span", {}, this.followButton, " ", button("✕", "Clear the selection (esc)", actions.clear))),
      this.list,
      this.details,
    );
    this.details.addEventListener("click", (event) => {
      const target = (event.target as HTMLElement).closest<HTMLElement>("[data-body]");
      if (!target) return;
      event.preventDefault();
      actions.select(Number(target.dataset.body));
    });
  }

  show(selected: number, frame: number, poses: Poses, following: boolean, flexibleCentre: (i: number) => Triple): void {
    this.element.hidden = selected < 0;
    if (selected < 0) return;
    const { run } = this;
    this.followButton.setAttribute("aria-pressed", String(following));
    this.head.textContent = nameOf(run, selected);
    const rows: [string, string, string][] = [];
    if (selected < run.bodies.length) {
      const body = run.bodies[selected];
      const motion = run.motion;
      const grain = motion ? Math.max(...[0, 1, 2].map((k) => motion.high[k] - motion.low[k])) / 65535 : 0;
      rows.push(["mass", body.mass === null ? "—" : `${number(body.mass)} kg`, "mass"]);
      rows.push([body.fixed ? "position, fixed" : "position", `${vector(poses.position.subarray(3 * selected, 3 * selected + 3), body.fixed ? 0 : grain)} m`, "position"]);
      if (!body.fixed) {
        velocityAt(run, selected, frame, triple);
        rows.push(["velocity", `${vector(triple, (motion?.velocityScale ?? 0) / 32767)} m/s`, "velocity"], ["speed", `${number(Math.hypot(...triple))} m/s`, "speed"]);
        angularAt(run, selected, frame, triple);
        rows.push(["angular velocity", `${vector(triple, (motion?.angularScale ?? 0) / 32767)} rad/s`, "angular"]);
      }
    } else {
      const body = run.flexible[selected - run.bodies.length];
      rows.push(["kind", `${body.kind}, ${body.nodes} nodes`, "kind"], ["middle", `${vector(flexibleCentre(selected - run.bodies.length))} m`, "position"]);
      for (const field of body.fields) {
        let most = 0;
        for (let i = 0; i < body.nodes; i++) most = Math.max(most, field.values[frame * body.nodes + i]);
        rows.push([`largest ${field.name}`, `${number(field.low + ((field.high - field.low) * most) / 65535)} ${field.unit}`, "field"]);
      }
    }
    const contacts = this.contactsOf(selected, frame);
    if (contacts) rows.push(["contact forces, sum", `${number(contacts.sum)} N`, "force"], ["contacts", String(contacts.list.length), "contacts"]);
    this.list.replaceChildren(...rows.flatMap(([name, value, key]) => [el("dt", {}, name), el("dd", { "data-value": key }, value)]));
    this.details.replaceChildren(...this.contactTable(contacts?.list ?? []), ...this.jointTable(selected, frame));
  }

  private contactsOf(selected: number, frame: number): { sum: number; list: { other: number; force: number; gap: number }[] } | null {
    const contacts = this.run.contacts;
    if (!contacts) return null;
    const list: { other: number; force: number; gap: number }[] = [];
    let sum = 0;
    for (let k = contacts.start[frame]; k < contacts.start[frame + 1]; k++) {
      const a = contacts.bodies[2 * k];
      const b = contacts.bodies[2 * k + 1];
      if (a !== selected && b !== selected) continue;
      const force = Math.hypot(contacts.force[3 * k], contacts.force[3 * k + 1], contacts.force[3 * k + 2]);
      sum += a === b ? 2 * force : force;
      list.push({ other: a === selected ? b : a, force, gap: contacts.gap[k] });
    }
    list.sort((p, q) => q.force - p.force);
    return { sum, list };
  }

  private contactTable(list: { other: number; force: number; gap: number }[]): Node[] {
    if (list.length === 0) return [];
    const table = el("table", {}, el("tr", {}, el("th", {}, "contact with"), el("th", {}, "force [N]"), el("th", {}, "gap [m]")));
    for (const { other, force, gap } of list.slice(0, LISTED)) {
      const name = nameOf(this.run, other);
      table.append(el("tr", {}, el("td", { title: name }, this.link(other, name)), el("td", {}, number(force)), el("td", {}, number(gap, 2))));
    }
    return list.length > LISTED ? [table, el("div", { class: "dim" }, `and ${list.length - LISTED} weaker ones`)] : [table];
  }

  private jointTable(selected: number, frame: number): Node[] {
    const { joints, jointForces } = this.run;
    const rows: Node[] = [];
    joints.forEach((joint, j) => {
      if (!joint.bodies.includes(selected) || rows.length >= LISTED) return;
      const other = joint.bodies[0] === selected ? joint.bodies[1] : joint.bodies[0];
      const at = (frame * joints.length + j) * 3;
      const size = (v: Float32Array) => number(Math.hypot(v[at], v[at + 1], v[at + 2]));
      rows.push(
        el(
          "tr",
          {},
          el("td", { title: `${joint.name}: ${joint.type} with ${nameOf(this.run, other)}` }, `${joint.name} (${joint.type})`),
          el("td", {}, jointForces ? size(jointForces.force) : "—"),
          el("td", {}, jointForces ? size(jointForces.torque) : "—"),
        ),
      );
    });
    if (rows.length === 0) return [];
    return [el("table", {}, el("tr", {}, el("th", {}, "joint"), el("th", {}, "force [N]"), el("th", {}, "torque [N m]")), ...rows)];
  }

  private link(body: number, name: string): HTMLElement {
    return el("a", { href: "#", "data-body": String(body), style: "color:inherit" }, name);
  }
}
