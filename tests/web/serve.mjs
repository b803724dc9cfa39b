// The built program serving the page, and Chromium.
import {execFileSync, spawn} from 'node:child_process';
import {randomBytes} from 'node:crypto';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before} from 'node:test';

import {chromium} from 'playwright-core';

const PROGRAM = process.env.SOTTO;
const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium';
const START_SECONDS = 60;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const {port} = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function answers(url) {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

/** Starts `sotto serve` with a profile that has a ledger and one that has none; `key` is its only API key, if it has keys. */
export async function startServer({limit = 100, keys = false} = {}) {
  if (!PROGRAM) throw new Error('SOTTO must be the path of the program');
  const folder = mkdtempSync(join(tmpdir(), 'sotto-web-'));
  writeFileSync(join(folder, 'secret.key'), randomBytes(32), {mode: 0o600});
  writeFileSync(join(folder, 'serve.yaml'), [
    'profiles:',
    '  reviews:',
    '    mechanism: diffractor-geometric',
    '    epsilon: 0.5',
    `    key_file: ${folder}/secret.key`,
    `    ledger: {file: ${folder}/reviews.ledger, limit: ${limit}}`,
    '  notes:',
    '    mechanism: diffractor-geometric',
    '    epsilon: 1',
    ''].join('\n'));
  const port = await freePort();
  const files = ['--keys-file', join(folder, 'keys.yaml'), '--secret-file', join(folder, 'server.secret')];
  const key = keys ? execFileSync(PROGRAM, ['serve', 'key', 'page', ...files]).toString().trim() : '';
  const child = spawn(PROGRAM, ['serve', '--config', join(folder, 'serve.yaml'), '--listen', `127.0.0.1:${port}`, '--quiet', ...(keys ? files : [])],
                      {stdio: ['ignore', 'inherit', 'inherit']});
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; !(await answers(`${url}/healthz`)); ++tries) {
    if (child.exitCode !== null) throw new Error(`the program ended with ${child.exitCode}`);
    if (tries > START_SECONDS * 10) throw new Error('the program does not answer');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, {recursive: true});
  };
  return {url, key, stop};
}

function startBrowser() {
  return chromium.launch({executablePath: BROWSER, args: ['--no-sandbox']});
}

/** A server and a browser for all tests of a file: set when they run. */
export function world() {
  const made = {};
  before(async () => {
    made.server = await startServer();
    made.browser = await startBrowser();
  });
  after(async () => {
    await made.browser?.close();
    await made.server?.stop();
  });
  return made;
}

/** A page whose console must stay silent: a violation of the content policy is an error there. */
export async function openPage(browser, url, options = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const problems = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(url).origin)) problems.push(`asked for ${request.url()}`);
  });
  await page.goto(url);
  return {page, problems, close: () => context.close()};
}

/** Until the preview is that of the page's text and ε. */
export async function drawn(page) {
  await page.waitForFunction(() => document.getElementById('status')?.textContent === '' &&
                                   document.querySelector('.words') !== null);
}

export async function outputs(page) {
  return page.locator('.lane').first().locator('.word .out').allTextContents();
}
