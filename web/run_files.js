// The files of a run of `sotto evaluate`, read in the browser.

/**
 * @typedef {object} Cell
 * @property {string} kind
 * @property {string} dataset
 * @property {string} model
 * @property {string} mechanism
 * @property {number} epsilon
 * @property {Record<string, number>} values
 *
 * @typedef {{name: string, rows: string[][]}} Table
 * @typedef {{title: string, measures: {name: string, lines: {name: string, points: {x: number, y: number}[]}[]}[]}} Chart
 */

const MOST_BYTES = 64 << 20;

/** @param {any} line @returns {Cell | null} */
function cellOf(line) {
  if (line?.status !== 'done' || typeof line.epsilon !== 'number' || line.epsilon <= 0 || typeof line.mechanism !== 'string') return null;
  const values = Object.fromEntries(Object.entries(line.values ?? {}).filter(([, v]) => typeof v === 'number'));
  return {kind: String(line.kind), dataset: String(line.dataset ?? ''), model: String(line.model ?? ''), mechanism: line.mechanism, epsilon: line.epsilon,
          values: /** @type {Record<string, number>} */ (values)};
}

/**
 * @param {string} text of results.jsonl
 * @returns {Cell[]}
 */
export function readCells(text) {
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    try {
      const cell = cellOf(JSON.parse(line));
      return cell ? [cell] : [];
    } catch {
      throw new Error(`line ${i + 1} is no JSON`);
    }
  });
}

/**
 * RFC 4180: fields in quotes may contain anything.
 * @param {string} text
 * @returns {string[][]}
 */
export function readCsv(text) {
  const rows = [];
  let row = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\r|$)/gy;
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const match = field.exec(text);
    if (!match) throw new Error(`no CSV at character ${at + 1}`);
    row.push(match[1] === undefined ? match[2] : match[1].replaceAll('""', '"'));
    if (match[3] === ',') {
      if (field.lastIndex === text.length) row.push('');
      else continue;
    }
    rows.push(row);
    row = [];
  }
  return rows;
}

/** @param {number[]} values */
function mean(values) {
  return values.reduce((sum, v) => sum + v, 0) / values.length;
}

/** @template T @param {T[]} items @param {(item: T) => string} name @returns {Map<string, T[]>} */
function groups(items, name) {
  /** @type {Map<string, T[]>} */
  const found = new Map();
  for (const item of items) found.set(name(item), [...(found.get(name(item)) ?? []), item]);
  return found;
}

/** @param {Cell[]} cells @param {string} measure */
function linesOf(cells, measure) {
  return [...groups(cells.filter((c) => measure in c.values), (c) => [c.mechanism, c.model].filter(Boolean).join(' · '))].map(([name, of]) => ({
    name, points: [...groups(of, (c) => String(c.epsilon))].map(([epsilon, same]) => ({x: Number(epsilon), y: mean(same.map((c) => c.values[measure]))})),
  }));
}

/**
 * Means over repetitions, one chart per kind of cell and data set.
 * @param {Cell[]} cells
 * @returns {Chart[]}
 */
export function charts(cells) {
  return [...groups(cells, (c) => `${c.kind}: ${c.dataset}`)].map(([title, of]) => ({
    title,
    measures: [...new Set(of.flatMap((c) => Object.keys(c.values)))]
      .filter((name) => !name.endsWith('_spread'))
      // Sizes of the sample are the same everywhere, and no result.
      .filter((name) => new Set(of.flatMap((c) => c.values[name] ?? [])).size > 1)
      .map((name) => ({name, lines: linesOf(of, name)})),
  })).filter((chart) => chart.measures.length > 0);
}

/**
 * @param {File} file
 * @returns {Promise<{cells: Cell[], tables: Table[]}>}
 */
export async function readRunFile(file) {
  if (file.size > MOST_BYTES) throw new Error(`${file.name} is larger than 64 MiB`);
  const text = await file.text();
  try {
    if (file.name.endsWith('.jsonl')) return {cells: readCells(text), tables: []};
    if (file.name.endsWith('.csv')) return {cells: [], tables: [{name: file.name.replace(/\.csv$/, ''), rows: readCsv(text)}]};
  } catch (error) {
    throw new Error(`${file.name}: ${error instanceof Error ? error.message : error}`);
  }
  throw new Error(`${file.name}: neither results.jsonl nor a table as CSV`);
}
