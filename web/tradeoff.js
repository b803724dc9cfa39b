// Kept words, similarity and the attacker's success against ε, for the text on the page.
/** @import {Choice, Mechanism, Setting} from './types.js' */

import {h} from './dom.js';
import {SMALLEST, LARGEST, roundEpsilon, spread} from './epsilon.js';
import {Latest} from './latest.js';
import {percent, readableUnit} from './numbers.js';
import {plot} from './plot.js';
import {previews} from './preview_client.js';

const POINTS = 11;

/**
 * The ε to draw at: the useful range of the mechanism, or a decade to each side of the one chosen.
 * @param {Mechanism | undefined} mechanism
 * @param {number} epsilon
 */
function epsilonsFor(mechanism, epsilon) {
  const range = mechanism?.useful_epsilon;
  const low = range && range.high / range.low < 1e5 ? range.low / 1.5 : epsilon / 10;
  const high = range && range.high / range.low < 1e5 ? range.high * 1.5 : epsilon * 10;
  return spread(Math.max(SMALLEST, roundEpsilon(low)), Math.min(LARGEST, roundEpsilon(high)), POINTS);
}

/** @param {Setting[]} settings @param {(s: Setting) => number | null | undefined} value */
function points(settings, value) {
  return settings.flatMap((s) => {
    const y = value(s);
    return y === null || y === undefined ? [] : [{x: s.epsilon, y}];
  });
}

export class Tradeoff {
  /** @param {HTMLElement} node @param {(error: unknown) => void} failed */
  constructor(node, failed) {
    this.node = node;
    this.failed = failed;
    this.latest = new Latest(450);
    this.name = '';
    /** @type {Setting[]} */
    this.curve = [];
    /** @type {Setting | undefined} */
    this.chosen = undefined;
    this.unit = 'ε';
  }

  /**
   * @param {Choice} choice
   * @param {Mechanism | undefined} mechanism
   */
  follow(choice, mechanism) {
    const {epsilon, ...rest} = choice;
    const name = JSON.stringify(rest) + (mechanism?.useful_epsilon ? '' : epsilon);
    if (name === this.name) return;
    this.name = name;
    this.curve = [];
    this.chosen = undefined;
    const body = {text: choice.text, mechanism: choice.mechanism, model: choice.model, policy: {policy: choice.policy},
                  epsilons: epsilonsFor(mechanism, epsilon), draw: choice.draw, measure: true};
    this.latest.run((signal) => previews(body, signal, (preview) => {
      this.curve = preview.settings;
      this.draw();
    }), (error) => {
      this.name = '';
      this.failed(error);
    });
  }

  /** There is nothing to draw. */
  clear() {
    this.latest.cancel();
    this.name = '';
    this.curve = [];
    this.chosen = undefined;
    this.draw();
  }

  /** @param {Setting} setting of the preview */
  mark(setting) {
    this.chosen = setting;
    this.unit = readableUnit(setting.guarantee.unit);
    this.draw();
  }

  draw() {
    const chosen = this.chosen;
    if (this.curve.length === 0) {
      this.node.replaceChildren(h('p', {class: 'hint'}, 'The curve appears when there is a text.'));
      return;
    }
    const lines = [{name: 'words kept', points: points(this.curve, (s) => s.kept)},
                   {name: 'similarity of the text', points: points(this.curve, (s) => s.similarity)},
                   {name: 'attacker’s success, all words', points: points(this.curve, (s) => s.attacker?.success)}];
    const single = chosen ? [{name: 'words kept', points: points([chosen], (s) => s.kept)},
                             {name: 'attacker’s success, all words', points: points([chosen], (s) => s.attacker?.success)}] : [];
    const here = chosen && h('p', {class: 'here'}, `At ε ${chosen.epsilon}: `,
      ...[['kept', chosen.kept], ['attacker', chosen.attacker?.success]].flatMap(([label, value]) =>
        typeof value === 'number' ? [h('span', {}, `${label} `, h('b', {}, percent(value)), ' ')] : []));
    this.node.replaceChildren(...[here,
      plot(lines, {title: 'Words kept, similarity and attacker’s success against ε', x: this.unit, range: [0, 1], single,
                   format: (y) => `${Math.round(100 * y)}%`, chosen: chosen?.epsilon}),
      h('p', {class: 'hint'}, 'The lines are means of draws under public noise; the large marks are the draw above. The attacker’s success was measured once on all words, not on this text.')]
      .filter((n) => n instanceof Node));
  }
}
