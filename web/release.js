// A release: once, through a profile, after saying what it spends.
/** @import {Choice} from './types.js' */

import {ask} from './api.js';
import {copyButton} from './clipboard.js';
import {fillSelect, h} from './dom.js';
import {figure, readableUnit} from './numbers.js';

/**
 * @typedef {object} Profile
 * @property {string} name
 * @property {string} mechanism
 * @property {number} epsilon
 * @property {'token' | 'document'} epsilon_per
 * @property {{mechanism: string, most_epsilon: number}[]} allowed
 * @property {number | null} limit
 * @property {string} unit
 */

/** Language models may draw more often than there are words.
 * @param {string} mechanism */
const drawsOncePerWord = (mechanism) => !mechanism.startsWith('dp-') || mechanism === 'dp-mlm';

/** @param {string} id @param {string} label @param {Node} control @param {string} [hint] */
function field(id, label, control, hint) {
  return h('div', {class: 'field'}, h('label', {for: id}, label), control, hint && h('p', {class: 'hint'}, hint));
}

/** @param {unknown} value @returns {Node} */
function valueView(value) {
  if (Array.isArray(value)) {
    if (value.length === 0) return document.createTextNode('none');
    return h('ul', {}, ...value.map((v) => h('li', {}, valueView(v))));
  }
  if (value !== null && typeof value === 'object')
    return h('dl', {class: 'receipt'}, ...Object.entries(value).map(([name, v]) =>
      h('div', {}, h('dt', {}, name.replaceAll('_', ' ')), h('dd', {}, valueView(v)))));
  return document.createTextNode(value === true ? 'yes' : value === false ? 'no' : String(value));
}

export class Release {
  /** @param {HTMLElement} node @param {() => Choice} choice @param {(name: string) => void} profileChosen */
  constructor(node, choice, profileChosen) {
    this.node = node;
    this.choice = choice;
    this.profileChosen = profileChosen;
    /** @type {Profile[]} */
    this.profiles = [];
    this.words = 0;  // of the text
    this.profile = h('select', {id: 'profile'});
    this.id = h('input', {id: 'document-id', autocomplete: 'off', spellcheck: 'false'});
    this.subject = h('input', {id: 'subject', autocomplete: 'off', spellcheck: 'false'});
    this.terms = h('p', {class: 'hint', id: 'terms'});
    this.result = h('div', {class: 'result', 'aria-live': 'polite'});
    this.question = h('p', {});
    this.dialog = this.makeDialog();
    this.profile.addEventListener('change', () => this.follow());
  }

  makeDialog() {
    const yes = h('button', {type: 'button', class: 'primary'}, 'Release once');
    const no = h('button', {type: 'button'}, 'Cancel');
    yes.addEventListener('click', () => {
      this.dialog.close();
      this.release();
    });
    no.addEventListener('click', () => this.dialog.close());
    return h('dialog', {'aria-labelledby': 'confirm-title'}, h('h3', {id: 'confirm-title'}, 'Release this text?'),
             this.question, h('div', {class: 'row end'}, no, yes));
  }

  /** @param {Profile[]} profiles */
  show(profiles) {
    this.profiles = profiles;
    if (profiles.length === 0) {
      this.node.replaceChildren(h('p', {}, 'This server has no profile, so nothing can be released here. ',
                                  'Name one in its configuration, or use the command line below.'));
      return;
    }
    fillSelect(this.profile, profiles.map((p) => ({value: p.name, label: p.name})));
    const button = h('button', {type: 'button', class: 'primary', id: 'release-button'}, 'Release …');
    button.addEventListener('click', () => this.confirm());
    this.node.replaceChildren(
        h('p', {class: 'hint'}, 'A release has secret noise. It goes through a profile of the server, which decides mechanism, ε and policy, and is charged to the subject’s ledger if the profile has one.'),
        h('div', {class: 'fields'}, field('profile', 'Profile', this.profile),
          field('document-id', 'Id of the text', this.id, 'Empty: the server draws a fresh one.'),
          field('subject', 'Subject', this.subject, 'Whose budget it is charged to.')),
        this.terms, button, this.dialog, this.result);
    this.follow();
  }

  current() {
    return this.profiles.find((p) => p.name === this.profile.value);
  }

  /** @param {number} [words] of the text */
  follow(words = this.words) {
    this.words = words;
    const profile = this.current();
    if (!profile) return;
    this.profileChosen(profile.name);
    const per = profile.epsilon_per === 'document' ? 'per document' : 'per word';
    const limit = profile.limit === null ? 'It has no ledger.' : `A subject may spend ${figure(profile.limit)} in all.`;
    this.terms.textContent = `This profile releases with ${profile.mechanism} at ε ${figure(profile.epsilon)} ${per}, whatever the preview shows. ${limit}`;
    this.subject.required = profile.limit !== null;
  }

  confirm() {
    const profile = this.current();
    const {text} = this.choice();
    if (!profile || text.trim() === '') {
      this.say('There is no text to release.');
      return;
    }
    if (profile.limit !== null && this.subject.value === '') {
      this.subject.focus();
      this.say('This profile keeps a ledger: name the subject.');
      return;
    }
    const spends = this.spends(profile);
    const charged = profile.limit === null ? 'No ledger is charged.' : `The ledger of subject “${this.subject.value}” is charged, for good.`;
    this.question.textContent = `${spends} Unit: ${readableUnit(profile.unit)}. ${charged}`;
    this.dialog.showModal();
  }

  /**
   * What can be said before: a policy that keeps words spends less.
   * @param {Profile} profile
   */
  spends(profile) {
    if (profile.epsilon_per === 'document') return `It spends up to ε ${figure(profile.epsilon)}.`;
    if (!drawsOncePerWord(profile.mechanism)) return `It spends ε ${figure(profile.epsilon)} per draw; the receipt says how many draws there were.`;
    return `It spends up to ε ${figure(profile.epsilon * this.words)}: ${figure(profile.epsilon)} for each of ${this.words} words.`;
  }

  /** @param {string} text */
  say(text) {
    this.result.replaceChildren(h('p', {class: 'error'}, text));
  }

  async release() {
    const {text} = this.choice();
    /** @type {Record<string, string>} */
    const body = {text, profile: this.profile.value};
    if (this.id.value) body.id = this.id.value;
    if (this.subject.value) body.subject = this.subject.value;
    this.result.replaceChildren(h('p', {class: 'hint'}, 'Releasing …'));
    try {
      this.showAnswer(await ask('/v1/privatize', body));
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error));
    }
  }

  /** @param {any} answer */
  showAnswer(answer) {
    const text = answer.texts?.[0];
    if (typeof text !== 'string') {
      this.say('Withheld: the subject’s limit does not allow this text. Nothing was charged.');
      return;
    }
    const receipt = answer.receipt ?? {};
    const amounts = [`id ${answer.ids?.[0] ?? ''}`,
                     typeof answer.spent === 'number' && `spent ε ${figure(answer.spent)}`,
                     typeof answer.remaining === 'number' && `left ε ${figure(answer.remaining)}`].filter(Boolean).join(' · ');
    this.result.replaceChildren(
        h('div', {class: 'head'}, h('h3', {}, 'Released'), copyButton(() => text, 'the released text')),
        h('blockquote', {dir: 'auto'}, text), h('p', {class: 'amounts'}, amounts),
        h('details', {}, h('summary', {}, 'Receipt'),
          h('div', {class: 'head'}, h('h4', {}, 'What was done, what is promised, what still leaks'), copyButton(() => JSON.stringify(receipt, null, 2), 'the receipt')),
          valueView(receipt)));
  }
}
