// The page for experiments, with files as `sotto evaluate` writes them.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {openPage, world} from './serve.mjs';

const on = world();

const cell = (mechanism, epsilon, repetition, n_w, extra = {}) => JSON.stringify({
  kind: 'words', dataset: 'Reviews', model: 'Words', mechanism, epsilon, repetition, run: 0, status: 'done',
  values: {n_w, n_w_interval: [n_w, n_w, n_w], exact: true, words: 10, ...extra}});
const RESULTS = [cell('santext', 5, 0, 0.2), cell('santext', 5, 1, 0.4), cell('santext', 20, 0, 0.9), cell('cmp', 5, 0, 0),
                 JSON.stringify({kind: 'words', mechanism: 'cmp', epsilon: 20, status: 'absent'}), ''].join('\n');
const TABLE = 'mechanism,"ε = 5, ""N_w""",note\r\nsantext,12.345678,"a\nb"\r\n<script>alert(1)</script>,,x\r\n';

async function withFiles(files, work) {
  const {page, problems, close} = await openPage(on.browser, `${on.server.url}/experiments`);
  await page.setInputFiles('#files', files.map(([name, content]) => ({name, mimeType: 'text/plain', buffer: Buffer.from(content)})));
  await page.waitForFunction(() => document.getElementById('status').textContent !== '');
  await work(page);
  assert.deepEqual(problems, []);
  await close();
}

test('cells become plots of means over repetitions', async () => {
  await withFiles([['results.jsonl', RESULTS]], async (page) => {
    assert.match(await page.locator('#status').textContent(), /^Cells: 4\. Tables: 0\./);
    assert.equal(await page.locator('svg.plot').count(), 1);  // the number of words is the same everywhere
    assert.match(await page.locator('.stamp').textContent(), /not private/);
    await page.locator('summary').click();
    assert.deepEqual(await page.locator('tbody tr').first().locator('td').allTextContents(), ['0.3', '0']);
  });
});

test('tables are read as CSV, and shown as text', async () => {
  await withFiles([['privacy-reviews.csv', TABLE]], async (page) => {
    assert.deepEqual(await page.locator('thead th').allTextContents(), ['mechanism', 'ε = 5, "N_w"', 'note']);
    assert.deepEqual(await page.locator('tbody tr').first().locator('th, td').allTextContents(), ['santext', '12.3', 'a\nb']);
    assert.equal(await page.locator('tbody tr').nth(1).locator('th').textContent(), '<script>alert(1)</script>');
  });
});

test('files that are something else are named', async () => {
  await withFiles([['results.jsonl', '{"kind": '], ['photo.png', 'x'], ['privacy.csv', TABLE]], async (page) => {
    const status = await page.locator('#status').textContent();
    assert.match(status, /results\.jsonl: line 1 is no JSON/);
    assert.match(status, /photo\.png: neither/);
    assert.equal(await page.locator('table').count(), 1);
  });
});

test('no file leaves the browser', async () => {
  const {page, problems, close} = await openPage(on.browser, `${on.server.url}/experiments`);
  const sent = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET' || request.url().includes('?')) sent.push(request.url());
  });
  await page.setInputFiles('#files', [{name: 'results.jsonl', mimeType: 'text/plain', buffer: Buffer.from(RESULTS)}]);
  await page.waitForSelector('svg.plot');
  assert.deepEqual(sent, []);
  assert.deepEqual(problems, []);
  await close();
});
