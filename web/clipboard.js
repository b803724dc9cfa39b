// One click to copy, also where the page may not use the clipboard.

import {h} from './dom.js';

/** @param {string} text @returns {boolean} */
function copyBySelection(text) {
  const area = h('textarea', {class: 'visually-hidden', 'aria-hidden': 'true', tabindex: -1});
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
}

/** @param {string} text @returns {Promise<boolean>} */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/**
 * @param {() => string} text
 * @param {string} what for screen readers
 */
export function copyButton(text, what) {
  const label = h('span', {role: 'status'}, 'Copy');
  const button = h('button', {type: 'button', class: 'quiet copy', 'aria-label': `Copy ${what}`}, label);
  button.addEventListener('click', async () => {
    label.textContent = (await copy(text())) ? 'Copied' : 'Select and copy by hand';
    setTimeout(() => (label.textContent = 'Copy'), 2000);
    button.focus();
  });
  return button;
}
