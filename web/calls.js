// The command line, Python and curl that do what the page shows.
/** @import {Choice} from './types.js' */

import {copyButton} from './clipboard.js';
import {h} from './dom.js';

/** @param {string} text */
function shellWord(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** @param {string} text */
function pythonString(text) {
  return JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

/** @param {Choice} choice @param {string} defaultModel */
function commandLine(choice, defaultModel) {
  const options = [`--mechanism ${shellWord(choice.mechanism)}`, `--epsilon ${choice.epsilon}`];
  if (choice.model !== defaultModel) options.push(`--model ${shellWord(choice.model)}`);
  if (choice.policy !== 'strict') options.push(`--policy ${choice.policy}`);
  return `sotto privatize notes.txt -o released.txt ${options.join(' ')} --key-file secret.key --report receipt.json`;
}

/** @param {Choice} choice @param {string} defaultModel */
function python(choice, defaultModel) {
  const options = [pythonString(choice.mechanism), `epsilon=${choice.epsilon}`];
  if (choice.model !== defaultModel) options.push(`model=${pythonString(choice.model)}`);
  if (choice.policy !== 'strict') options.push(`policy=${pythonString(choice.policy)}`);
  return ['import sotto', '', `p = sotto.Privatizer(${options.join(', ')}, key="secret.key", dataset="notes")`,
          `print(p.privatize(${pythonString(choice.text)}, id="note-1"))`, 'print(p.receipt)'].join('\n');
}

/** @param {Choice} choice @param {string | undefined} profile */
function curl(choice, profile) {
  const body = {text: choice.text, ...(profile === undefined ? {} : {profile}), mechanism: choice.mechanism, epsilon: choice.epsilon};
  return [`curl ${shellWord(`${location.origin}/v1/privatize`)} \\`, `  -H 'Content-Type: application/json' \\`,
          `  -H "Authorization: Bearer $SOTTO_API_KEY" \\`, `  -d ${shellWord(JSON.stringify(body))}`].join('\n');
}

/**
 * @param {Choice} choice
 * @param {string} defaultModel
 * @param {string} [profile]
 * @returns {HTMLElement[]}
 */
export function calls(choice, defaultModel, profile) {
  const all = [['Command line', commandLine(choice, defaultModel)], ['Python', python(choice, defaultModel)], ['curl', curl(choice, profile)]];
  return all.map(([name, text]) =>
    h('div', {class: 'call'}, h('div', {class: 'head'}, h('h3', {}, name), copyButton(() => text, `the ${name} call`)),
      h('pre', {tabindex: 0, role: 'region', 'aria-label': name}, h('code', {}, text))));
}
