// One to three outputs beside each other.
/** @import {Choice, Mechanism, Preview, Setting} from './types.js' */

import {h} from './dom.js';
import {LARGEST, SMALLEST, roundEpsilon} from './epsilon.js';
import {percent} from './numbers.js';
import {wordView} from './word_view.js';

/** @typedef {{mechanism: string, model: string, epsilons: number[]}} Ask */
/** @typedef {{preview: Preview, setting: Setting}} Lane */

/**
 * What to ask the service for: a mechanism at its ε, for each request.
 * @param {Choice} choice
 * @param {string} view
 * @param {string[]} others further mechanisms
 * @param {Mechanism[]} mechanisms
 * @returns {Ask[]}
 */
export function asks(choice, view, others, mechanisms) {
  const {mechanism, model, epsilon} = choice;
  if (view === 'epsilons') {
    const range = mechanisms.find((m) => m.name === mechanism)?.useful_epsilon;
    // A factor that is wide enough to see, within what is useful.
    const step = Math.min(4, Math.max(1.3, range ? (range.high / range.low) ** 0.25 : 2));
    const epsilons = [...new Set([epsilon / step, epsilon, epsilon * step].map(roundEpsilon))];
    return [{mechanism, model, epsilons: epsilons.filter((e) => e >= SMALLEST && e <= LARGEST)}];
  }
  const first = {mechanism, model, epsilons: [epsilon]};
  if (view !== 'mechanisms') return [first];
  const beside = others.flatMap((name) => {
    const info = mechanisms.find((m) => m.name === name);
    return info ? [{mechanism: name, model: info.default_model, epsilons: [epsilon]}] : [];
  });
  return [first, ...beside];
}

/** @param {Lane} lane */
function facts({setting}) {
  return [setting.kept !== null && `${percent(setting.kept)} kept`,
          setting.attacker && `attacker ${percent(setting.attacker.success)}`].filter(Boolean).join(' · ');
}

/**
 * @param {string} text
 * @param {Lane} lane
 * @param {boolean} headed
 * @param {number} index
 */
function laneView(text, lane, headed, index) {
  const {preview, setting} = lane;
  return h('article', {class: 'lane', 'data-lane': index, 'aria-label': `${preview.mechanism} at ε ${setting.epsilon}`},
           h('header', {class: 'lane-head'},
             headed && h('h3', {}, preview.mechanism, h('span', {class: 'at'}, ` ε ${setting.epsilon}`)),
             h('p', {class: 'facts'}, facts(lane))),
           wordView(text, preview, setting));
}

/**
 * @param {HTMLElement} node
 * @param {string} text
 * @param {Lane[]} lanes
 */
export function showLanes(node, text, lanes) {
  const focused = node.contains(document.activeElement) ? document.activeElement : null;
  const place = focused?.closest('[data-lane]')?.getAttribute('data-lane');
  const token = focused?.getAttribute('data-token');
  const units = new Set(lanes.map((l) => l.setting.guarantee.unit));
  node.classList.toggle('many', lanes.length > 1);
  node.replaceChildren(
      ...lanes.map((lane, i) => laneView(text, lane, lanes.length > 1, i)),
      ...(units.size > 1 ? [h('p', {class: 'hint warning'}, 'These ε multiply different things and do not compare; what the attacker recovers does.')] : []));
  if (place && token)
    /** @type {HTMLElement | null} */ (node.querySelector(`[data-lane="${place}"] [data-token="${token}"]`))?.focus();
}
