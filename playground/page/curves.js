// Draws misses by capacity as SVG: a line for each policy, told apart by colour, dash and the shape of its points.
import { make, svg } from "./dom.js";

const WIDTH = 640;
const HEIGHT = 360;
const LEFT = 52;
const RIGHT = 14;
const TOP = 12;
const BOTTOM = 44;
const DASHES = ["", "7 3", "2 3", "10 3 2 3", "5 5", "1 4"];

const shapes = [
  (x, y) => svg("circle", { cx: x, cy: y, r: 4 }),
  (x, y) => svg("rect", { x: x - 4, y: y - 4, width: 8, height: 8 }),
  (x, y) => svg("path", { d: `M${x - 5} ${y + 4}h10L${x} ${y - 5}z` }),
  (x, y) => svg("path", { d: `M${x} ${y - 5}l5 5-5 5-5-5z` }),
];

/** `lines` is a map of names to maps of capacities to misses. */
export function draw(lines, capacities, requests) {
  const most = Math.max(...capacities);
  const x = (capacity) => LEFT + (capacity / most) * (WIDTH - LEFT - RIGHT);
  const y = (ratio) => TOP + (1 - ratio) * (HEIGHT - TOP - BOTTOM);
  const chart = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    role: "img",
    "aria-label": `Misses by capacity of ${[...lines.keys()].join(", ")}; the table below has the numbers`,
  });
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    chart.append(
      svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(part), y2: y(part) }),
      svg("text", { x: LEFT - 8, y: y(part) + 4, "text-anchor": "end" }, `${part * 100} %`),
    );
  }
  let end = -Infinity;
  for (const capacity of capacities) {
    if (x(capacity) - end < 30) continue;
    end = x(capacity);
    chart.append(svg("text", { x: x(capacity), y: HEIGHT - BOTTOM + 20, "text-anchor": "middle" }, String(capacity)));
  }
  chart.append(svg("text", { x: (LEFT + WIDTH) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, "capacity in pages"));
  [...lines].forEach(([, points], number) => {
    const places = capacities.filter((each) => points.has(each)).map((each) => [x(each), y(points.get(each) / requests)]);
    const group = svg("g", { class: `line line-${number % 8}` });
    group.append(
      svg("polyline", { points: places.map((place) => place.join(",")).join(" "), "stroke-dasharray": DASHES[number % DASHES.length] }),
      ...places.map((place) => shapes[number % shapes.length](...place)),
    );
    chart.append(group);
  });
  return chart;
}

export function legend(lines) {
  return make(
    "ul",
    { class: "legend" },
    [...lines.keys()].map((name, number) => {
      const sign = svg("svg", { viewBox: "0 0 40 14", "aria-hidden": "true" });
      const group = svg("g", { class: `line line-${number % 8}` });
      group.append(
        svg("polyline", { points: "0,7 40,7", "stroke-dasharray": DASHES[number % DASHES.length] }),
        shapes[number % shapes.length](20, 7),
      );
      sign.append(group);
      return make("li", {}, sign, ` ${name}`);
    }),
  );
}

/** The same as numbers: misses, and their share. */
export function table(lines, capacities, requests) {
  const share = (misses) => `${((100 * misses) / requests).toFixed(1)} %`;
  return make(
    "table",
    {},
    make("caption", {}, `Misses of ${requests} requests`),
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "capacity"), [...lines.keys()].map((name) => make("th", { scope: "col" }, name)))),
    make(
      "tbody",
      {},
      capacities.map((capacity) =>
        make(
          "tr",
          {},
          make("th", { scope: "row" }, String(capacity)),
          [...lines.values()].map((points) =>
            make("td", {}, points.has(capacity) ? `${points.get(capacity)} (${share(points.get(capacity))})` : "…"),
          ),
        ),
      ),
    ),
  );
}
