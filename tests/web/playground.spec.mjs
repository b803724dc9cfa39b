// The playground as somebody at a keyboard, a mouse or a phone uses it.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {drawn, openPage, outputs, startServer, world} from './serve.mjs';

const on = world();

/** Runs `work` on the playground, whose console must stay silent. */
function onPlayground(name, work, options = {}) {
  test(name, {timeout: 240_000}, async () => {
    const {page, problems, close} = await openPage(on.browser, `${on.server.url}/`, options);
    await drawn(page);
    await work(page);
    assert.deepEqual(problems, []);
    await close();
  });
}

/** A change of the text, and the preview of it. */
async function type(page, text) {
  await page.fill('#text', text);
  await page.waitForFunction((count) => document.querySelectorAll('.lane .word, .lane .whole').length > 0 &&
                                        document.getElementById('text-count').textContent.startsWith(count),
                             [...text].length.toLocaleString('en'));
  await page.waitForTimeout(150);
  await drawn(page);
}

async function setEpsilon(page, value) {
  await page.fill('#epsilon-number', String(value));
  await page.locator('#epsilon-number').press('Tab');
  await page.waitForTimeout(150);
  await drawn(page);
}

onPlayground('the preview says that it is not private', async (page) => {
  assert.equal(await page.locator('#preview-title').textContent(), 'Preview: not private');
});

onPlayground('dragging the slider changes the words below', async (page) => {
  await setEpsilon(page, 0.01);
  const noisy = await page.locator('.word.changed').count();
  const before = await outputs(page);
  await page.focus('#epsilon');
  await page.keyboard.press('End');
  assert.equal(await page.inputValue('#epsilon-number'), '1000');
  await page.waitForTimeout(150);
  await drawn(page);
  assert.equal(await page.locator('button.word.changed').count(), 0);
  assert.ok(noisy > 10, `${noisy} words changed`);
  assert.notDeepEqual(await outputs(page), before);
});

onPlayground('of many quick changes only the last one is shown', async (page) => {
  const epsilons = [];
  page.on('response', async (response) => {
    if (response.url().endsWith('/v1/preview') && response.ok())
      epsilons.push(...JSON.parse(response.request().postData()).epsilons);
  });
  await page.focus('#epsilon');
  for (let i = 0; i < 30; ++i) await page.keyboard.press('ArrowLeft');
  const last = Number(await page.inputValue('#epsilon-number'));
  await page.waitForTimeout(200);
  await drawn(page);
  assert.match(await page.locator('.lane').getAttribute('aria-label'), new RegExp(`ε ${last}$`));
  assert.ok(epsilons.includes(last));
  assert.ok(epsilons.length < 30, `${epsilons.length} ε were drawn for 30 steps`);
});

onPlayground('a word under the pointer shows what it could become', async (page) => {
  await page.locator('button.word', {hasText: 'doctor'}).first().hover();
  await page.waitForSelector('.panel .bars li');
  assert.match(await page.locator('.panel h3').textContent(), /^doctor/);
  assert.match(await page.locator('.panel .figures').textContent(), /stays.*%.*distinct in 100 draws/s);
  assert.equal(await page.locator('.panel .bars').first().locator('li').count(), 8);
});

onPlayground('an unknown word says how it enters', async (page) => {
  await type(page, 'Write to anna@example.com or the docttor.');
  await page.locator('button.word').nth(2).focus();
  await page.keyboard.press('Shift');
  await page.locator('button.word').nth(2).click();
  await page.waitForSelector('.panel .bars li');
  assert.match(await page.locator('.panel').textContent(), /no meaningful place/);
  await page.locator('button.word').nth(5).click();
  await page.waitForFunction(() => document.querySelector('.panel')?.textContent.includes('corrects it to'));
});

onPlayground('arrow keys move between words, Escape closes the panel', async (page) => {
  await page.locator('button.word').first().focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => document.activeElement.dataset.token), '1');
  await page.waitForSelector('.panel.open');
  await page.keyboard.press('End');
  const last = await page.locator('button.word').count();
  assert.equal(await page.evaluate(() => [...document.querySelectorAll('button.word')].indexOf(document.activeElement)), last - 1);
  await page.keyboard.press('Home');
  assert.equal(await page.evaluate(() => document.activeElement.dataset.token), '0');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.panel.open').count(), 0);
  // One stop for the Tab key, however long the text is.
  assert.equal(await page.locator('.lane button.word[tabindex="0"]').count(), 1);
});

onPlayground('everything can be reached with the Tab key', async (page) => {
  const reached = new Set();
  await page.evaluate(() => document.activeElement.blur());
  for (let i = 0; i < 60; ++i) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.className));
  }
  for (const id of ['text', 'mechanism', 'model', 'policy', 'view', 'epsilon', 'epsilon-number', 'again', 'profile', 'release-button'])
    assert.ok(reached.has(id), id);
});

onPlayground('what passes in clear is marked, and not by colour alone', async (page) => {
  await page.selectOption('#policy', 'paper');
  await page.waitForTimeout(150);
  await drawn(page);
  const clear = page.locator('button.word.clear').first();
  assert.match(await clear.textContent(), /in clear/);
  assert.equal(await clear.locator('.out').evaluate((n) => getComputedStyle(n).borderBottomStyle), 'dashed');
  assert.equal(await page.locator('.legend li').count(), 3);
});

onPlayground('two and three mechanisms stand side by side at the same ε', async (page) => {
  await page.selectOption('#view', 'mechanisms');
  await page.waitForFunction(() => document.querySelectorAll('.lane').length === 2);
  await page.selectOption('#third', 'santext');
  await page.waitForFunction(() => document.querySelectorAll('.lane').length === 3);
  await drawn(page);
  const labels = await page.locator('.lane').evaluateAll((lanes) => lanes.map((l) => l.getAttribute('aria-label')));
  assert.equal(new Set(labels.map((l) => l.split(' at ')[0])).size, 3);
  assert.equal(new Set(labels.map((l) => l.split(' at ')[1])).size, 1);
  assert.match(await page.locator('#lanes').textContent(), /do not compare/);
});

onPlayground('one mechanism stands beside itself at several ε', async (page) => {
  await page.selectOption('#view', 'epsilons');
  await page.waitForFunction(() => document.querySelectorAll('.lane').length === 3);
  const labels = await page.locator('.lane').evaluateAll((lanes) => lanes.map((l) => l.getAttribute('aria-label')));
  const epsilons = labels.map((l) => Number(l.split('ε ')[1]));
  assert.deepEqual(epsilons, [...epsilons].sort((a, b) => a - b));
  assert.equal(new Set(epsilons).size, 3);
});

onPlayground('the curve has its lines and the chosen point', async (page) => {
  await page.waitForSelector('.tradeoff svg.plot .chosen', {state: 'attached'});
  await page.waitForFunction(() => document.querySelectorAll('.tradeoff svg.plot .line').length >= 5);
  const before = await page.locator('.tradeoff .chosen').getAttribute('x1');
  await setEpsilon(page, 0.1);
  await page.waitForFunction((x) => document.querySelector('.tradeoff .chosen')?.getAttribute('x1') !== x, before);
  await page.locator('.tradeoff summary').click();
  assert.ok(await page.locator('.tradeoff tbody tr').count() >= 8);
});

onPlayground('what ε means is said in its own unit', async (page) => {
  const says = (words) => page.waitForFunction((w) => document.getElementById('meaning').textContent.includes(w), words);
  await says('ε multiplies a distance');
  await page.selectOption('#mechanism', 'custext');
  await says('any guess about one word among the words of its group');
  await setEpsilon(page, 1);
  await says('a factor of 2.8');
  await page.selectOption('#mechanism', 'santext-plus');
  await says('A word that is kept is revealed');
});

onPlayground('where every draw reads the whole text, one word is as exposed as all', async (page) => {
  await page.selectOption('#mechanism', 'dp-mlm');
  await setEpsilon(page, 1);
  await page.waitForFunction(() => document.getElementById('meaning').textContent.includes('Every draw reads the whole text'));
  const text = await page.locator('#meaning').textContent();
  assert.match(text, /be it about one word or about all of them, change by at most a factor of 10⁹/);  // exp(19)
  assert.doesNotMatch(text, /per word/);
});

onPlayground('a release is confirmed, made once, and has a receipt', async (page) => {
  let releases = 0;
  page.on('request', (request) => { if (request.url().endsWith('/v1/privatize')) ++releases; });
  await page.selectOption('#profile', 'reviews');
  await page.click('#release-button');
  assert.match(await page.locator('.release .error').textContent(), /name the subject/);
  await page.fill('#subject', 'anna');
  await page.fill('#document-id', 'note-1');
  await page.click('#release-button');
  assert.match(await page.locator('dialog').textContent(), /It spends up to ε 9\.5: 0\.5 for each of 19 words\..*“anna”/s);
  assert.equal(releases, 0);
  await page.click('dialog .primary');
  await page.waitForSelector('.result blockquote');
  assert.match(await page.locator('.amounts').textContent(), /id note-1 · spent ε 9\.5 · left ε 90\.5/);
  await page.locator('.result summary').click();
  assert.match(await page.locator('.receipt').first().textContent(), /diffractor-geometric/);
  assert.equal(releases, 1);
});

onPlayground('nothing is released when a subject has no budget left', async (page) => {
  await page.selectOption('#profile', 'reviews');
  await type(page, 'word '.repeat(300).trim());
  await page.fill('#subject', 'spender');
  await page.click('#release-button');
  await page.click('dialog .primary');
  await page.waitForSelector('.result .error');
  assert.match(await page.locator('.result').textContent(), /Withheld/);
});

onPlayground('the calls can be copied', async (page) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.locator('.call').first().locator('button').click();
  await page.waitForFunction(() => document.querySelector('.call [role="status"]').textContent === 'Copied');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^sotto privatize .*--mechanism diffractor-geometric --epsilon 1 /);
});

onPlayground('the calls can be copied without a clipboard', async (page) => {
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', {value: undefined});
    window.copied = '';
    document.addEventListener('copy', () => (window.copied = document.getSelection().toString() || document.activeElement.value));
  });
  await page.locator('.call').nth(1).locator('button').click();
  assert.match(await page.evaluate(() => window.copied), /sotto\.Privatizer/);
});

test('an API key is asked for, used, and kept nowhere', {timeout: 240_000}, async () => {
  const locked = await startServer({keys: true});
  const {page, close} = await openPage(on.browser, `${locked.url}/`);
  await page.waitForSelector('#key-form:not([hidden])');
  assert.equal(await page.locator('button.word').count(), 0);
  await page.fill('#key', locked.key);
  await page.keyboard.press('Enter');
  await drawn(page);
  assert.ok(await page.locator('button.word').count() > 0);
  assert.equal(await page.inputValue('#key'), '');
  const stored = await page.evaluate(() => JSON.stringify({...localStorage, ...sessionStorage}) + document.cookie);
  assert.ok(!stored.includes(locked.key));
  await page.reload();
  await page.waitForSelector('#key-form:not([hidden])');
  await close();
  await locked.stop();
});

onPlayground('HTML in a text is text', async (page) => {
  const hostile = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script> </textarea><b>bold</b> &amp; {{7*7}}';
  await type(page, hostile);
  assert.equal(await page.inputValue('#text'), hostile);
  assert.equal(await page.title(), 'Sotto: playground');
  assert.equal(await page.locator('main img, main script, main b:has-text("bold")').count(), 0);
  assert.ok((await page.locator('.calls').textContent()).includes('<script>'));
});

onPlayground('right-to-left text runs from the right', async (page) => {
  await type(page, 'التقى الطبيب Anna في ميونخ.\nA second line.');
  const [first, second] = await page.locator('.words p').evaluateAll((lines) => lines.map((p) => getComputedStyle(p).direction));
  assert.deepEqual([first, second], ['rtl', 'ltr']);
  await page.locator('button.word').first().focus();
  await page.keyboard.press('ArrowLeft');
  assert.equal(await page.evaluate(() => document.activeElement.dataset.token), '1');
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
});

onPlayground('hidden and bidirectional controls stay inside their word', async (page) => {
  await type(page, 'safe \u202Eevil\u202C \u2066x \u200Bzero\u200B \u{1F600} end');
  assert.equal(await page.locator('.lane').count(), 1);
  assert.equal(await page.locator('.word bdi.in').evaluateAll((nodes) => nodes.every((n) => getComputedStyle(n).unicodeBidi.startsWith('isolate'))), true);
});

onPlayground('a text that is too long is refused before it is sent', async (page) => {
  let sent = 0;
  page.on('request', (request) => { if (request.url().endsWith('/v1/preview')) ++sent; });
  await page.fill('#text', 'x '.repeat(1500));
  await page.waitForTimeout(800);
  assert.equal(sent, 0);
  assert.match(await page.locator('#lanes').textContent(), /up to 2,000 characters/);
});

onPlayground('the theme can be chosen, and stays', async (page) => {
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.click('#theme');
  await page.click('#theme');
  assert.notEqual(await background(), light);
  await page.reload();
  await drawn(page);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
}, {colorScheme: 'light'});

onPlayground('a phone needs no scrolling sideways', async (page) => {
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await page.locator('button.word').nth(3).tap();
  await page.waitForSelector('.panel.open .bars li');
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await page.waitForFunction(() => document.querySelectorAll('button.word')[3].getBoundingClientRect().bottom <=
                                   document.getElementById('panel').getBoundingClientRect().top);
}, {viewport: {width: 390, height: 844}, hasTouch: true});

onPlayground('long words break instead of widening a phone', async (page) => {
  await type(page, `${'Donaudampfschifffahrt'.repeat(12)} and ${'x'.repeat(300)}`);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
}, {viewport: {width: 390, height: 844}});

onPlayground('nothing moves where motion is reduced', async (page) => {
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior), 'auto');
}, {reducedMotion: 'reduce'});
