// Lines against ε, as SVG. Lines differ by dash and marker, not by colour alone.

import {h, svg} from './dom.js';
import {figure} from './numbers.js';

/**
 * @typedef {{x: number, y: number}} Point
 * @typedef {{name: string, points: Point[]}} Line
 * @typedef {object} PlotOptions
 * @property {string} title what a screen reader says
 * @property {string} x the axis' title
 * @property {(value: number) => string} [format] of y
 * @property {[number, number]} [range] of y; by default that of the points
 * @property {number} [chosen] an x to mark
 * @property {Line[]} [single] points beside the lines of the same names, such as a single draw
 */

const HEIGHT = 300;
const LEFT = 52;
const RIGHT = 16;
const TOP = 14;
const BOTTOM = 44;
const MARKERS = ['circle', 'square', 'triangle', 'diamond'];

/** @param {number} low @param {number} high @returns {number[]} */
function logTicks(low, high) {
  const ticks = [];
  for (let decade = Math.floor(Math.log10(low)); decade <= Math.ceil(Math.log10(high)); ++decade)
    for (const digit of high / low > 300 ? [1] : high / low > 12 ? [1, 3] : [1, 2, 3, 5, 7])
      ticks.push(Number((digit * 10 ** decade).toPrecision(1)));
  return ticks.filter((t) => t >= low * 0.999 && t <= high * 1.001);
}

/** @param {number} low @param {number} high @returns {number[]} */
function linearTicks(low, high) {
  const rough = (high - low) / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough) ?? rough;
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

/** @param {string} shape @param {number} x @param {number} y @param {number} r */
function marker(shape, x, y, r) {
  if (shape === 'square') return svg('rect', {class: 'marker', x: x - r, y: y - r, width: 2 * r, height: 2 * r});
  if (shape === 'triangle') return svg('path', {class: 'marker', d: `M${x} ${y - 1.2 * r}l${1.2 * r} ${2.2 * r}h${-2.4 * r}z`});
  if (shape === 'diamond') return svg('path', {class: 'marker', d: `M${x} ${y - 1.4 * r}l${1.4 * r} ${1.4 * r}l${-1.4 * r} ${1.4 * r}l${-1.4 * r} ${-1.4 * r}z`});
  return svg('circle', {class: 'marker', cx: x, cy: y, r});
}

class Axes {
  /** @param {Line[]} lines @param {PlotOptions} options */
  constructor(lines, options) {
    // On a phone a scaled-down plot could not be read.
    this.width = window.innerWidth < 640 ? 360 : 640;
    const points = [...lines, ...(options.single ?? [])].flatMap((l) => l.points);
    const xs = points.map((p) => p.x);
    const ys = points.map((p) => p.y);
    this.low = Math.min(...xs);
    this.high = Math.max(...xs);
    if (this.low === this.high) [this.low, this.high] = [this.low / 2, this.high * 2];
    const range = options.range ?? [Math.min(0, ...ys), Math.max(...ys)];
    this.bottom = range[0];
    this.top = range[1];
    if (this.bottom === this.top) this.top = this.bottom + 1;
  }

  /** @param {number} value */
  x(value) {
    return LEFT + ((this.width - LEFT - RIGHT) * Math.log(value / this.low)) / Math.log(this.high / this.low);
  }

  /** @param {number} value */
  y(value) {
    return HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * (value - this.bottom)) / (this.top - this.bottom);
  }
}

/** @param {Axes} axes @param {PlotOptions} options */
function grid(axes, options) {
  const format = options.format ?? figure;
  const group = svg('g', {class: 'axes'});
  for (const value of linearTicks(axes.bottom, axes.top)) {
    const y = axes.y(value);
    group.append(svg('line', {class: 'rule', x1: LEFT, x2: axes.width - RIGHT, y1: y, y2: y}),
                 svg('text', {class: 'tick end', x: LEFT - 8, y: y + 4}, format(value)));
  }
  for (const value of logTicks(axes.low, axes.high))
    group.append(svg('text', {class: 'tick middle', x: axes.x(value), y: HEIGHT - BOTTOM + 18}, figure(value)));
  group.append(svg('text', {class: 'tick middle', x: (LEFT + axes.width - RIGHT) / 2, y: HEIGHT - 6}, options.x));
  return group;
}

/** @param {Line} line @param {number} index @param {Axes} axes @param {PlotOptions} options @param {number} [r] of markers */
function drawLine(line, index, axes, options, r = 3) {
  const points = [...line.points].sort((a, b) => a.x - b.x);
  const path = points.map((p, i) => `${i ? 'L' : 'M'}${axes.x(p.x).toFixed(1)} ${axes.y(p.y).toFixed(1)}`).join('');
  const shape = MARKERS[index % MARKERS.length];
  const group = svg('g', {class: `line s${index % 8}`}, svg('path', {class: 'stroke', d: path}));
  for (const p of points) {
    const dot = marker(shape, axes.x(p.x), axes.y(p.y), r);
    dot.append(svg('title', {}, `${line.name} at ε ${figure(p.x)}: ${(options.format ?? figure)(p.y)}`));
    group.append(dot);
  }
  return group;
}

/** @param {Line[]} lines */
function legend(lines) {
  return h('ul', {class: 'plot-legend'}, ...lines.map((line, i) =>
    h('li', {}, svg('svg', {class: `swatch line s${i % 8}`, viewBox: '0 0 34 12', 'aria-hidden': 'true'},
                    svg('path', {class: 'stroke', d: 'M1 6H33'}), marker(MARKERS[i % MARKERS.length], 17, 6, 3.5)), line.name)));
}

/** @param {Line[]} lines @param {PlotOptions} options */
function table(lines, options) {
  const format = options.format ?? figure;
  const xs = [...new Set(lines.flatMap((l) => l.points.map((p) => p.x)))].sort((a, b) => a - b);
  return h('details', {}, h('summary', {}, 'As a table'),
           h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': options.title},
             h('table', {}, h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'ε'), ...lines.map((l) => h('th', {scope: 'col', class: 'n'}, l.name)))),
               h('tbody', {}, ...xs.map((x) => h('tr', {}, h('th', {scope: 'row'}, figure(x)),
                 ...lines.map((l) => {
                   const point = l.points.find((p) => p.x === x);
                   return h('td', {class: 'n'}, point ? format(point.y) : '–');
                 })))))));
}

/**
 * A figure with its legend, and the same as a table.
 * @param {Line[]} lines
 * @param {PlotOptions} options
 * @returns {HTMLElement}
 */
export function plot(lines, options) {
  const drawn = lines.filter((l) => l.points.length > 0);
  if (drawn.length === 0) return h('p', {class: 'hint'}, 'There are no figures to draw.');
  const axes = new Axes(drawn, options);
  const image = svg('svg', {class: 'plot', viewBox: `0 0 ${axes.width} ${HEIGHT}`, role: 'img', 'aria-label': options.title}, grid(axes, options));
  if (options.chosen !== undefined && options.chosen >= axes.low && options.chosen <= axes.high) {
    const x = axes.x(options.chosen);
    image.append(svg('line', {class: 'chosen', x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM}));
  }
  drawn.forEach((line, i) => {
    image.append(drawLine(line, i, axes, options));
    const single = options.single?.find((l) => l.name === line.name);
    if (single) image.append(drawLine(single, i, axes, options, 6));
  });
  return h('figure', {class: 'plot-figure'}, legend(drawn), image, table(drawn, options));
}
