// A text with what became of each word below it.
/** @import {Preview, Setting, Token} from './types.js' */

import {h} from './dom.js';

const LINE_END = /[\n\r\u2028\u2029]/;
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/**
 * The direction of a line, by its first letter. `dir=auto` would not look into the isolated words.
 * @param {string} text
 */
function directionOf(text) {
  const letter = /\p{L}/u.exec(text)?.[0];
  return letter && RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr';
}

/** @param {Token} token @param {boolean} changed */
function stateOf(token, changed) {
  if (token.clear) return 'clear';
  return changed ? 'changed' : 'same';
}

const SPOKEN = {clear: ', in clear: ', same: ', unchanged: ', changed: ' becomes '};

/**
 * @param {Token} token
 * @param {string} out
 * @param {boolean} changed
 * @param {number} index
 */
function wordButton(token, out, changed, index) {
  const state = stateOf(token, changed);
  return h('button', {type: 'button', class: `word ${state}`, 'data-token': index, tabindex: -1},
           h('bdi', {class: 'in'}, token.in), h('span', {class: 'visually-hidden'}, SPOKEN[state]), h('bdi', {class: 'out'}, out));
}

/** @param {Token} token @param {string} out @param {boolean} changed */
function mark(token, out, changed) {
  return h('span', {class: `word ${stateOf(token, changed)} mark`},
           h('bdi', {class: 'in'}, token.in), h('bdi', {class: 'out'}, out));
}

/**
 * @param {string} text
 * @param {Preview} preview
 * @param {Setting} setting
 * @returns {HTMLElement}
 */
export function wordView(text, preview, setting) {
  if (!setting.aligned)
    return h('div', {class: 'words whole', dir: 'auto'},
             preview.tokens.length > 0 &&
               h('p', {class: 'hint'}, 'Words of the input and the output do not stand one for one here.'),
             h('p', {}, setting.text));
  const words = h('div', {class: 'words', role: 'group', 'aria-label': 'Words of the preview; arrow keys move between them'});
  const lineFrom = (/** @type {number} */ at) => h('p', {dir: directionOf(text.slice(at).split(LINE_END, 1)[0])});
  let line = lineFrom(preview.tokens[0]?.begin ?? 0);
  let end = 0;
  preview.tokens.forEach((token, i) => {
    const gap = text.slice(end, token.begin);
    end = token.end;
    if (LINE_END.test(gap) && line.hasChildNodes()) {
      words.append(line);
      line = lineFrom(token.begin);
    } else if (gap) {
      line.append(' ');
    }
    const isWord = token.kind === 'word' || token.kind === 'other';
    line.append(isWord ? wordButton(token, setting.out[i], setting.changed[i], i) : mark(token, setting.out[i], setting.changed[i]));
  });
  words.append(line);
  words.querySelector('button')?.setAttribute('tabindex', '0');
  return words;
}

/**
 * Keys, pointer and focus on the words below `container`.
 * @param {HTMLElement} container
 * @param {(button: HTMLButtonElement, pinned: boolean) => void} chosen
 */
export function followWords(container, chosen) {
  /** @param {EventTarget | null} target */
  const wordOf = (target) => {
    const found = target instanceof Element ? target.closest('button.word') : null;
    return found instanceof HTMLButtonElement ? found : null;
  };
  container.addEventListener('pointerover', (event) => {
    const word = wordOf(event.target);
    if (word && event.pointerType === 'mouse') chosen(word, false);
  });
  container.addEventListener('click', (event) => {
    const word = wordOf(event.target);
    if (word) chosen(word, true);
  });
  container.addEventListener('focusin', (event) => {
    const word = wordOf(event.target);
    if (!word) return;
    for (const other of word.closest('.words')?.querySelectorAll('button.word[tabindex="0"]') ?? [])
      other.setAttribute('tabindex', '-1');
    word.setAttribute('tabindex', '0');
    if (word.matches(':focus-visible')) chosen(word, true);
  });
  container.addEventListener('keydown', (event) => {
    const word = wordOf(event.target);
    const group = word?.closest('.words');
    if (!word || !group) return;
    const words = /** @type {HTMLButtonElement[]} */ ([...group.querySelectorAll('button.word')]);
    const forward = getComputedStyle(word.parentElement ?? group).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const backward = forward === 'ArrowLeft' ? 'ArrowRight' : 'ArrowLeft';
    const at = words.indexOf(word);
    const to = {[forward]: at + 1, [backward]: at - 1, Home: 0, End: words.length - 1}[event.key];
    if (to === undefined || !words[to]) return;
    event.preventDefault();
    words[to].focus();
  });
}
