// The playground: what the controls say, and what the service makes of it.
/** @import {Choice, Mechanism, Model} from './types.js' */
/** @import {Lane} from './lanes.js' */

import {ApiError, ask, useKey} from './api.js';
import {calls} from './calls.js';
import {byId, fillSelect, h} from './dom.js';
import {epsilonAt, middle, positionOf, roundEpsilon} from './epsilon.js';
import {asks, showLanes} from './lanes.js';
import {Latest} from './latest.js';
import {meaning} from './meaning.js';
import {figure} from './numbers.js';
import {previews} from './preview_client.js';
import {Release} from './release.js';
import {Tradeoff} from './tradeoff.js';
import {WordPanel} from './word_panel.js';
import {followWords} from './word_view.js';

const SAMPLE = 'The doctor met Anna Schmidt in Munich on 12 May 2021. She paid 300 euros and was not happy with the treatment.';
const MOST_CHARACTERS = 2000;
// What takes half a minute at each ε has no preview.
const WITHOUT_PREVIEW = ['gumbel'];

const controls = {
  text: byId('text', HTMLTextAreaElement),
  mechanism: byId('mechanism', HTMLSelectElement),
  model: byId('model', HTMLSelectElement),
  policy: byId('policy', HTMLSelectElement),
  slider: byId('epsilon', HTMLInputElement),
  number: byId('epsilon-number', HTMLInputElement),
  view: byId('view', HTMLSelectElement),
  second: byId('second', HTMLSelectElement),
  third: byId('third', HTMLSelectElement),
};
const status = byId('status', HTMLElement);
const lanesNode = byId('lanes', HTMLElement);

/** @type {Mechanism[]} */
let mechanisms = [];
/** @type {Model[]} */
let models = [];
/** @type {Lane[]} */
let lanes = [];
let epsilon = 1;
let draw = 0;
/** @type {string | undefined} */
let profile;

const latest = new Latest(90);
const tradeoff = new Tradeoff(byId('tradeoff', HTMLElement), failed);
const release = new Release(byId('release-body', HTMLElement), choice, (name) => {
  profile = name;
  showCalls();
});
const panel = new WordPanel(byId('panel', HTMLElement), () => pinned?.focus());
/** @type {HTMLElement | null} */
let pinned = null;

/** @returns {Choice} */
function choice() {
  return {text: controls.text.value, mechanism: controls.mechanism.value, model: controls.model.value,
          policy: controls.policy.value, epsilon, draw};
}

function chosenMechanism() {
  return mechanisms.find((m) => m.name === controls.mechanism.value);
}

/** @param {unknown} error */
function failed(error) {
  if (error instanceof ApiError && error.status === 401) {
    byId('key-form', HTMLFormElement).hidden = false;
    status.textContent = 'An API key is needed.';
    byId('key', HTMLInputElement).focus();
    return;
  }
  status.textContent = error instanceof Error ? error.message : String(error);
  status.classList.add('error');
}

function showCalls() {
  byId('calls', HTMLElement).replaceChildren(...calls(choice(), chosenMechanism()?.default_model ?? '', profile));
}

/** @param {number} value */
function setEpsilon(value) {
  epsilon = roundEpsilon(value);
  controls.slider.value = String(positionOf(epsilon));
  controls.slider.setAttribute('aria-valuetext', `ε ${epsilon}`);
  controls.number.value = String(epsilon);
}

function countCharacters() {
  const characters = [...controls.text.value].length;
  const node = byId('text-count', HTMLElement);
  node.textContent = `${characters.toLocaleString('en')} of ${MOST_CHARACTERS.toLocaleString('en')} characters.`;
  node.classList.toggle('error', characters > MOST_CHARACTERS);
  return characters <= MOST_CHARACTERS;
}

function showUseful() {
  const info = chosenMechanism();
  const range = info?.useful_epsilon;
  const mark = byId('useful', HTMLElement);
  mark.hidden = !range;
  if (range) {
    mark.style.setProperty('--from', String(positionOf(range.low) / 600));
    mark.style.setProperty('--to', String(positionOf(range.high) / 600));
  }
  byId('useful-note', HTMLElement).textContent =
    range ? `Useful from ${figure(range.low)} to ${figure(range.high)}: below it is noise, above it hardly a word changes.` : `${info?.summary ?? ''}.`;
}

/** @param {Mechanism} info */
const takesLists = (info) => info.parameters.some((p) => p.name === 'lists');

/**
 * Those that may fit: language models by their kind, and no list set that ships for mechanisms of lists where vectors
 * are needed. The service knows the rest.
 * @param {Mechanism} info
 * @returns {Model[]}
 */
function modelsFor(info) {
  const kind = models.find((m) => m.name === info.default_model)?.kind;
  const sets = mechanisms.filter(takesLists).map((m) => m.default_model);
  return models.filter((m) => m.kind === kind && (takesLists(info) || !sets.includes(m.name)));
}

function mechanismChosen() {
  const info = chosenMechanism();
  if (!info) return;
  fillSelect(controls.model, modelsFor(info).map((m) => ({value: m.name, label: m.name})), info.default_model);
  const range = info.useful_epsilon;
  if (range && (epsilon < range.low || epsilon > range.high)) setEpsilon(middle(range));
  const names = mechanisms.filter((m) => m.name !== info.name).map((m) => ({value: m.name, label: m.name}));
  fillSelect(controls.second, names);
  fillSelect(controls.third, [{value: '', label: 'no third'}, ...names.filter((n) => n.value !== controls.second.value)]);
  showUseful();
}

function showResults() {
  const first = lanes.find((l) => l.setting.epsilon === epsilon) ?? lanes[0];
  if (!first) return;
  showLanes(lanesNode, controls.text.value, lanes);
  byId('meaning', HTMLElement).replaceChildren(...meaning(first.preview, first.setting));
  tradeoff.mark(first.setting);
  release.follow(first.preview.tokens.filter((t) => t.kind === 'word' || t.kind === 'other').length);
}

/** @param {AbortSignal} signal */
async function drawPreviews(signal) {
  const now = choice();
  const others = [controls.second.value, controls.third.value].filter(Boolean);
  const wanted = asks(now, controls.view.value, others, mechanisms);
  /** @type {Lane[][]} */
  const found = wanted.map(() => []);
  status.textContent = 'Drawing …';
  status.classList.remove('error');
  for (const [i, {mechanism, model, epsilons}] of wanted.entries()) {
    const body = {text: now.text, mechanism, model, policy: {policy: now.policy}, epsilons, draw: now.draw};
    await previews(body, signal, (preview) => {
      found[i] = preview.settings.map((setting) => ({preview, setting}));
      lanes = found.flat();
      showResults();
    });
  }
  status.textContent = '';
}

function refresh() {
  showCalls();
  const fits = countCharacters();
  if (controls.text.value.trim() === '' || !fits) {
    latest.cancel();
    tradeoff.clear();
    panel.empty();
    lanes = [];
    lanesNode.replaceChildren(h('p', {class: 'hint'}, fits ? 'Type a text above.' : 'A preview takes up to 2,000 characters.'));
    byId('meaning', HTMLElement).replaceChildren();
    status.textContent = '';
    return;
  }
  tradeoff.follow(choice(), chosenMechanism());
  latest.run(drawPreviews, failed);
}

/** @param {HTMLButtonElement} button @param {boolean} stays */
function wordChosen(button, stays) {
  const lane = lanes[Number(button.closest('[data-lane]')?.getAttribute('data-lane'))];
  const index = Number(button.dataset.token);
  if (!lane) return;
  if (stays) pinned = button;
  panel.show({...choice(), epsilon: lane.setting.epsilon}, lane.preview, index, lane.setting.out[index]);
  if (stays) button.scrollIntoView({block: 'nearest'});
}

function connect() {
  controls.text.addEventListener('input', refresh);
  controls.slider.addEventListener('input', () => {
    setEpsilon(epsilonAt(Number(controls.slider.value)));
    refresh();
  });
  controls.number.addEventListener('change', () => {
    const value = Number(controls.number.value);
    if (value > 0) setEpsilon(value);
    else setEpsilon(epsilon);
    refresh();
  });
  controls.mechanism.addEventListener('change', () => {
    mechanismChosen();
    refresh();
  });
  controls.second.addEventListener('change', () => {
    mechanismChosen();
    refresh();
  });
  controls.view.addEventListener('change', () => {
    byId('others', HTMLElement).hidden = controls.view.value !== 'mechanisms';
    refresh();
  });
  for (const select of [controls.model, controls.policy, controls.third]) select.addEventListener('change', refresh);
  byId('again', HTMLButtonElement).addEventListener('click', () => {
    ++draw;
    refresh();
  });
  byId('key-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    useKey(byId('key', HTMLInputElement).value.trim());
    byId('key', HTMLInputElement).value = '';
    byId('key-form', HTMLFormElement).hidden = true;
    start();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && byId('panel', HTMLElement).classList.contains('open')) {
      panel.empty();
      pinned?.focus();
    }
  });
  followWords(lanesNode, wordChosen);
}

/** @param {{models: string[], language_models: Model[]}} answer @returns {Model[]} */
function readModels(answer) {
  return [...answer.models.map((name) => ({name})), ...answer.language_models];
}

async function start() {
  try {
    const [known, installed, listed] = await Promise.all([ask('/v1/mechanisms'), ask('/v1/models'), ask('/v1/profiles')]);
    mechanisms = known.filter((/** @type {Mechanism} */ m) => m.default_model && !WITHOUT_PREVIEW.includes(m.name));
    models = readModels(installed);
    fillSelect(controls.mechanism, mechanisms.map((m) => ({value: m.name, label: m.name})));
    release.show(listed.profiles ?? []);
    mechanismChosen();
    refresh();
  } catch (error) {
    failed(error);
  }
}

controls.text.value ||= SAMPLE;
setEpsilon(1);
countCharacters();
connect();
start();
