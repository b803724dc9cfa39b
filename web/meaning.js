// What an ε means, in figures and in words.
/** @import {Preview, Setting} from './types.js' */

import {h} from './dom.js';
import {factor, figure, readableUnit} from './numbers.js';

/**
 * @param {string} title
 * @param {string} value
 * @param {string} note
 */
function card(title, value, note) {
  return h('div', {}, h('dt', {}, title), h('dd', {}, h('span', {class: 'large'}, value), h('span', {class: 'hint'}, note)));
}

/** @param {Setting} setting @param {boolean} byWord whether each draw sees one word only */
function cards(setting, byWord) {
  const loss = setting.loss;
  if (!loss) return null;
  const unit = setting.guarantee.pure ? '' : ` times ${setting.guarantee.metric}`;
  return h('dl', {class: 'cards'},
           card(byWord ? 'per word' : 'per draw', `ε ${figure(loss.token)}`, setting.guarantee.pure ? 'pure ε' : `ε${unit}`),
           loss.sentence === null
             ? card('per sentence', '—', 'every draw reads the whole text')
             : card('per sentence', `ε ${figure(loss.sentence)}`, 'the longest, if all its words change'),
           card('per document', `ε ${figure(loss.document)}`, `${setting.draws} draws, if all words change`));
}

// What a promise leaves out.
const LIMITS = /** @type {Record<string, string>} */ ({
  'sensitive outputs': 'This holds for outputs in the sensitive set only. A word that is kept is revealed.',
  'privatized words': 'This holds for words that pass through the mechanism. Those that the policy keeps are in clear.',
});

/** @param {number} loss */
function odds(loss) {
  return h('b', {}, `a factor of ${factor(loss)}`);
}

/** @param {Setting} setting @param {boolean} byWord */
function pureSentences(setting, byWord) {
  const {epsilon, additive, scope} = setting.guarantee;
  if (!byWord)
    return [h('p', {}, 'Every draw reads the whole text. So an observer’s odds for a guess, be it about one word or about all of them, change by at most ',
              odds((setting.loss?.document ?? 0) + (setting.loss?.additive ?? 0)), '.')];
  const group = scope === 'inside a group' ? ' among the words of its group, which is revealed,' : '';
  return [h('p', {}, `An observer’s odds for any guess about one word${group} change by at most `, odds(epsilon + additive), '.'),
          setting.loss && setting.draws > 1 &&
            h('p', {}, 'For a guess about the whole text they change by at most ', odds(setting.loss.document + setting.loss.additive), '.')];
}

/** @param {Setting} setting @param {Preview} preview */
function metricSentences(setting, preview) {
  const {epsilon, additive, metric} = setting.guarantee;
  const typical = preview.typical_distances;
  const general = h('p', {}, `Here ε multiplies a distance: the ${metric}. How far an observer’s odds between two guesses move depends on how far apart the two words are; between words at distance d, at most by e`,
                    h('sup', {}, additive > 0 ? `ε·d + ${figure(additive)}` : 'ε·d'), '.');
  if (!typical) return [general];
  const near = epsilon * typical.nearest_neighbour + additive;
  const far = epsilon * typical.random_pair + additive;
  return [general,
          h('p', {}, `Between a word and its nearest neighbour (typically d = ${figure(typical.nearest_neighbour)}), an observer’s odds change by at most `,
            odds(near), `. Between two words picked at random (d = ${figure(typical.random_pair)}), by at most `, odds(far),
            far > Math.log(1000) ? ': so much is hardly a promise.' : '.')];
}

/** @param {Setting} setting */
function attackerSentence(setting) {
  if (!setting.attacker) return null;
  const {success, blind_success: blind, candidates} = setting.attacker;
  const share = (/** @type {number} */ x) => `${(100 * x).toFixed(0)}%`;
  return h('p', {}, 'As measured: an attacker with public word frequencies recovers about ', h('b', {}, share(success)),
           ` of the words, knowing that each is one of ${candidates.toLocaleString('en')}; without seeing the output, ${share(blind)}. One who reads the context does better.`);
}

/**
 * @param {Preview} preview
 * @param {Setting} setting
 * @returns {Node[]}
 */
export function meaning(preview, setting) {
  const guarantee = setting.guarantee;
  const byWord = preview.kind === 'word by word';
  const sentences = guarantee.kind === 'none'
    ? [h('p', {class: 'warning'}, 'Nothing is promised with these settings, whatever ε is.')]
    : guarantee.pure ? pureSentences(setting, byWord) : metricSentences(setting, preview);
  const limit = guarantee.kind === 'none' ? undefined : LIMITS[guarantee.scope];
  const details = h('details', {}, h('summary', {}, 'The exact statement'), h('p', {}, guarantee.statement),
                    h('p', {class: 'hint'}, `Kind: ${guarantee.kind}. Scope: ${guarantee.scope}. Unit: ${readableUnit(guarantee.unit)}.`));
  return /** @type {Node[]} */ ([cards(setting, byWord), ...sentences, limit && h('p', {class: 'warning'}, limit), attackerSentence(setting), details].filter((n) => n instanceof Node));
}
