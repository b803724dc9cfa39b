// The page for experiments: a run's tables and plots.
/** @import {Cell, Chart, Table} from './run_files.js' */

import {byId, h} from './dom.js';
import {figure} from './numbers.js';
import {plot} from './plot.js';
import {charts, readRunFile} from './run_files.js';

const TITLES = /** @type {Record<string, string>} */ ({n_w: 'N_w: words that stay', s_w: 'S_w: distinct outputs', pp: 'PP', cs: 'CS: cosine similarity', low: 'LOW', e_m: 'E_M', l_m: 'L_M'});
const MOST_ROWS = 500;

/** @param {string} text */
function cellText(text) {
  return text !== '' && Number.isFinite(Number(text)) ? figure(Number(text)) : text;
}

/** @param {Table} table */
function tableView(table) {
  const [head = [], ...rows] = table.rows;
  const numeric = head.map((_, column) => rows.some((r) => r[column]) && rows.every((r) => !r[column] || Number.isFinite(Number(r[column]))));
  return h('section', {class: 'table'}, h('h3', {}, table.name.replaceAll('-', ' ')),
           h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': table.name},
             h('table', {}, h('thead', {}, h('tr', {}, ...head.map((t, i) => h('th', {scope: 'col', class: numeric[i] ? 'n' : null}, t)))),
               h('tbody', {}, ...rows.slice(0, MOST_ROWS).map((row) =>
                 h('tr', {}, ...row.map((t, i) => i === 0 ? h('th', {scope: 'row'}, t) : h('td', {class: numeric[i] ? 'n' : null}, cellText(t)))))))),
           rows.length > MOST_ROWS && h('p', {class: 'hint'}, `The first ${MOST_ROWS} of ${rows.length} rows.`));
}

/** @param {Chart} chart */
function chartView(chart) {
  return h('section', {}, h('h2', {}, chart.title),
           h('div', {class: 'plots'}, ...chart.measures.map((measure) =>
             h('div', {}, h('h3', {}, TITLES[measure.name] ?? measure.name.replaceAll('_', ' ')),
               plot(measure.lines, {title: `${measure.name} against ε, ${chart.title}`, x: 'ε, in the unit of each mechanism'})))));
}

/** @param {Cell[]} cells @param {Table[]} tables */
function show(cells, tables) {
  const drawn = charts(cells);
  byId('report', HTMLElement).replaceChildren(
      ...[(drawn.length > 0 || tables.length > 0) && h('p', {class: 'stamp'}, 'Seeded: not private'),
          drawn.length > 0 && h('p', {class: 'hint'}, 'ε of different units do not compare: N_w, PP and what attackers recover do.'),
          ...drawn.map(chartView), tables.length > 0 && h('h2', {}, 'Tables'), ...tables.map(tableView)].filter((n) => n instanceof Node));
}

/** @param {Iterable<File>} files */
async function open(files) {
  const status = byId('status', HTMLElement);
  /** @type {Cell[]} */
  const cells = [];
  /** @type {Table[]} */
  const tables = [];
  const problems = [];
  for (const file of files) {
    try {
      const read = await readRunFile(file);
      cells.push(...read.cells);
      tables.push(...read.tables);
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  show(cells, tables);
  status.textContent = [`Cells: ${cells.length}. Tables: ${tables.length}.`, ...problems].join(' ');
  status.classList.toggle('error', problems.length > 0);
}

const picker = byId('files', HTMLInputElement);
picker.addEventListener('change', () => open(picker.files ?? []));
const drop = byId('drop', HTMLElement);
drop.addEventListener('dragover', (event) => {
  event.preventDefault();
  drop.classList.add('over');
});
drop.addEventListener('dragleave', () => drop.classList.remove('over'));
drop.addEventListener('drop', (event) => {
  event.preventDefault();
  drop.classList.remove('over');
  open(event.dataTransfer?.files ?? []);
});
