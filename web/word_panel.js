// What can become of one word, and what an attacker makes of what came out.
/** @import {Choice, Explanation, Preview} from './types.js' */

import {ApiError, ask} from './api.js';
import {h, svg} from './dom.js';
import {Latest} from './latest.js';
import {count, percent} from './numbers.js';

const LISTED = 8;
const MOST_KEPT = 200;
// Without a closed form the service draws; so many give two digits.
const DRAWS = 5000;
const GUESS_DRAWS = 300;  // for each of the words that it could have been

const ENTRIES = /** @type {Record<string, string>} */ ({
  folded: 'The model does not have this spelling. A public map gives it the word',
  corrected: 'The model does not have this word. A public map corrects it to',
  subword: 'The model does not have this word. By its parts, a public map gives it',
});

/** @param {Explanation} explanation */
function entrySentence(explanation) {
  const entry = explanation.enters_as;
  if (!entry || entry.path === 'vocabulary') return null;
  if (entry.word && ENTRIES[entry.path])
    return h('p', {}, `${ENTRIES[entry.path]} `, h('b', {}, h('bdi', {}, entry.word)), '.');
  if (entry.path === 'uniform')
    return h('p', {}, 'It has no meaningful place in the model: it enters as a word drawn uniformly from all.');
  return h('p', {}, 'It enters as the one place that all words outside the model share.');
}

/**
 * @param {{word: string, probability: number}[]} rows
 * @param {{came?: string, label: string}} options
 */
function bars(rows, {came, label}) {
  const largest = Math.max(...rows.map((r) => r.probability), 1e-12);
  const list = h('ol', {class: 'bars', 'aria-label': label});
  for (const row of rows) {
    const bar = svg('svg', {class: 'bar', viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true'},
                    svg('rect', {class: 'fill', width: (100 * row.probability) / largest, height: 6}));
    list.append(h('li', {class: row.word === came ? 'came' : null},
                  h('bdi', {class: 'name'}, row.word, row.word === came && h('span', {class: 'tag'}, 'came out')),
                  bar, h('span', {class: 'value'}, percent(row.probability))));
  }
  return list;
}

/** @param {Explanation} explanation @param {string} out */
function distribution(explanation, out) {
  const top = explanation.top.slice(0, LISTED);
  const listed = top.reduce((sum, row) => sum + row.probability, 0);
  const came = top.find((row) => row.word.toLowerCase() === out.toLowerCase())?.word;
  return h('section', {},
           h('dl', {class: 'figures'},
             h('div', {}, h('dt', {}, 'stays (N', h('sub', {}, 'w'), ')'), h('dd', {}, percent(explanation.n_w))),
             h('div', {}, h('dt', {}, 'distinct in 100 draws (S', h('sub', {}, 'w'), ')'),
               h('dd', {}, explanation.s_w.toFixed(1))),
             h('div', {}, h('dt', {}, 'words for 95%'), h('dd', {}, count(explanation.words_for_95_percent)))),
           entrySentence(explanation),
           h('h4', {}, 'What comes out'),
           bars(top, {came, label: 'Most probable outputs'}),
           h('p', {class: 'hint'},
             `${explanation.exact ? 'Exact' : `Estimated from ${count(explanation.draws)} draws`}; ` +
               `all other words together ${percent(Math.max(0, 1 - listed))}.`));
}

/** @param {any} answer @param {string} input @param {string} out */
function attackerSection(answer, input, out) {
  const guesses = /** @type {{word: string, probability: number}[]} */ (answer.guesses ?? []).slice(0, 3);
  if (guesses.length === 0) return null;
  const best = guesses[0];
  const right = best.word.toLowerCase() === input.toLowerCase();
  return h('section', {class: 'attacker'},
           h('h4', {}, 'The attacker’s best guess'),
           h('p', {}, 'Who sees ', h('b', {}, h('bdi', {}, out)), ' guesses ', h('b', {}, h('bdi', {}, best.word)),
             ` with probability ${percent(best.probability)}: ${right ? 'right' : 'wrong'}.`),
           bars(guesses, {label: 'Guesses'}));
}

export class WordPanel {
  /** @param {HTMLElement} node @param {() => void} closed */
  constructor(node, closed) {
    this.node = node;
    this.closed = closed;
    this.latest = new Latest(120);
    /** @type {Map<string, any>} */
    this.known = new Map();
    this.attacks = true;  // until the service says that it has no such route
    this.empty();
  }

  empty() {
    this.latest.cancel();
    this.node.classList.remove('open');
    this.node.replaceChildren(h('h3', {id: 'panel-title'}, 'One word'),
                              h('p', {class: 'hint'}, 'Touch a word, or move to it with the arrow keys, to see everything that it could have become.'));
  }

  /**
   * @param {Choice} choice
   * @param {Preview} preview
   * @param {number} index of the token
   * @param {string} out
   */
  show(choice, preview, index, out) {
    const token = preview.tokens[index];
    const body = h('div', {class: 'body', 'aria-busy': 'true'}, h('p', {class: 'hint'}, 'Computing …'));
    const close = h('button', {type: 'button', class: 'quiet close', 'aria-label': 'Close'}, '×');
    close.addEventListener('click', () => {
      this.empty();
      this.closed();
    });
    this.node.classList.add('open');
    this.node.replaceChildren(
        close, h('h3', {id: 'panel-title'}, h('bdi', {}, token.in), h('span', {class: 'arrow', 'aria-hidden': 'true'}, ' → '),
                 h('span', {class: 'visually-hidden'}, ' becomes '), h('bdi', {class: out.toLowerCase() === token.in.toLowerCase() ? null : 'out'}, out)),
        body);
    if (token.clear) {
      body.removeAttribute('aria-busy');
      body.replaceChildren(h('p', {}, 'The policy passes this word in clear. Nothing is promised for it.'));
      return;
    }
    this.latest.run((signal) => this.fill(body, choice, preview, index, out, signal), (error) => {
      body.removeAttribute('aria-busy');
      body.replaceChildren(h('p', {class: 'error'}, error instanceof Error ? error.message : String(error)));
    });
  }

  /**
   * @param {HTMLElement} body
   * @param {Choice} choice
   * @param {Preview} preview
   * @param {number} index
   * @param {string} out
   * @param {AbortSignal} signal
   */
  async fill(body, choice, preview, index, out, signal) {
    if (preview.kind === 'generated') {
      body.replaceChildren(h('p', {}, 'This mechanism writes a new text: no word of the input has a place of its own in the output.'));
      body.removeAttribute('aria-busy');
      return;
    }
    const token = preview.tokens[index];
    const settings = {mechanism: preview.mechanism, model: preview.model, epsilon: choice.epsilon};
    const masked = preview.kind === 'masked';
    const place = {text: choice.text, place: wordNumber(preview, index)};
    const explanation = await this.cached('/v1/explain', {...settings, ...(masked ? place : {word: token.in}), top: LISTED, draws: masked ? 200 : DRAWS}, signal);
    body.replaceChildren(distribution(explanation, out));
    body.removeAttribute('aria-busy');
    if (masked || !this.attacks) return;
    try {
      const answer = await this.cached('/v1/attack', {...settings, word: out, prior: 'counts', guesses: 3, draws: GUESS_DRAWS}, signal);
      const section = attackerSection(answer, explanation.enters_as?.word ?? token.in, out);
      if (section && !signal.aborted) body.append(section);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 404 || error.status === 501) this.attacks = false;
    }
  }

  /** @param {string} path @param {object} body @param {AbortSignal} signal */
  async cached(path, body, signal) {
    const name = path + JSON.stringify(body);
    let answer = this.known.get(name);
    if (!answer) {
      answer = await ask(path, body, signal);
      if (this.known.size >= MOST_KEPT) this.known.clear();
      this.known.set(name, answer);
    }
    return answer;
  }
}

/**
 * The place of a word in its text as the service counts: from 1, without numbers and punctuation.
 * @param {Preview} preview
 * @param {number} index
 */
function wordNumber(preview, index) {
  return preview.tokens.slice(0, index + 1).filter((t) => t.kind === 'word' || t.kind === 'other').length;
}
