// axe on both pages, in both colour schemes and both widths, in the states that somebody sees.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {test} from 'node:test';

import {drawn, openPage, world} from './serve.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RESULTS = [5, 20].map((epsilon) => JSON.stringify({kind: 'words', dataset: 'Reviews', model: 'Words', mechanism: 'tem', epsilon, status: 'done', values: {n_w: epsilon / 20}})).join('\n');

const on = world();

async function violations(page) {
  const found = await page.evaluate(async (source) => {
    // The content policy forbids injected scripts, so axe comes through the debugger.
    (0, eval)(source);
    return (await window.axe.run(document, {resultTypes: ['violations']})).violations;
  }, AXE);
  return found.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.html} ${n.failureSummary}`));
}

for (const colorScheme of ['light', 'dark'])
  for (const width of [1280, 390]) {
    const options = {colorScheme, viewport: {width, height: 900}, bypassCSP: true};
    test(`the playground, ${colorScheme}, ${width}`, {timeout: 240_000}, async () => {
      const {page, close} = await openPage(on.browser, `${on.server.url}/`, options);
      await drawn(page);
      await page.waitForSelector('.tradeoff svg.plot');
      assert.deepEqual(await violations(page), []);
      await page.selectOption('#policy', 'paper');
      await page.selectOption('#view', 'mechanisms');
      await page.waitForFunction(() => document.querySelectorAll('.lane').length === 2);
      await page.locator('button.word.changed, button.word.same').first().click();
      await page.waitForSelector('.panel .bars li');
      await page.evaluate(() => document.querySelectorAll('details').forEach((details) => (details.open = true)));
      assert.deepEqual(await violations(page), []);
      await page.keyboard.press('Escape');
      await page.selectOption('#profile', 'notes');
      await page.click('#release-button');
      assert.deepEqual(await violations(page), []);
      await page.click('dialog .primary');
      await page.waitForSelector('.result blockquote');
      await page.locator('.result summary').click();
      assert.deepEqual(await violations(page), []);
      await close();
    });
    test(`experiments, ${colorScheme}, ${width}`, {timeout: 120_000}, async () => {
      const {page, close} = await openPage(on.browser, `${on.server.url}/experiments`, options);
      assert.deepEqual(await violations(page), []);
      await page.setInputFiles('#files', [{name: 'results.jsonl', mimeType: 'text/plain', buffer: Buffer.from(RESULTS)},
                                          {name: 'privacy.csv', mimeType: 'text/csv', buffer: Buffer.from('mechanism,N_w\ntem,1\n')}]);
      await page.waitForSelector('.table table');
      assert.deepEqual(await violations(page), []);
      await close();
    });
  }
