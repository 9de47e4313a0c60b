import { readFile } from 'node:fs/promises';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { createGame, power, startGame } from '../../support/game.js';
import { sharedStack } from '../../support/shared-stack.js';
import { type SharedStack } from '../../support/stack.js';
import { keepScreenshot, openWeb, type WebPage } from '../../support/web.js';

describe('the console page of the web console', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let web: WebPage;
  let serverId: string;

  before(async function () {
    test = await sharedStack();
    ({ id: serverId } = await createGame(test));
    await startGame(test.admin, serverId);
    web = await openWeb(this, test);
    await web.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await web.signIn();
    await web.page.goto(`${test.stack.baseUrl}/servers/${serverId}`);
  });
  afterEach(async function () {
    await keepScreenshot(this, web);
  });
  after(async () => {
    await web?.close();
  });

  const row = (text: string) => web.page.locator('.console-row', { hasText: text });

  async function say(...words: readonly string[]): Promise<void> {
    const params = { id: serverId };
    for (const word of words)
      await test.admin.post('/servers/{id}/command', { params, body: { command: `say ${word}` } });
    await row(`[say] ${words.at(-1)}`).waitFor();
  }

  let runs = 0;
  /** A text that was not there before. */
  const words = (...of: readonly string[]) => {
    runs += 1;
    return of.map((word) => `${word} ${runs}.`);
  };

  it('copies the lines that are marked', async () => {
    const { page } = web;
    const spoken = words('one', 'two', 'three');
    const more = (count: number) => words(...Array.from({ length: count }, (_, at) => `more ${at}`));
    // Rows of a console that is full and follows move under the pointer.
    await say(...more(30), ...spoken, ...more(8));
    await page.getByRole('log').hover();
    await page.mouse.wheel(0, -100);
    const latest = page.getByRole('button', { name: 'Latest lines' });
    await latest.waitFor();
    await row(`[say] ${spoken[0]}`).locator('time').click();
    await row(`[say] ${spoken[2]}`)
      .locator('time')
      .click({ modifiers: ['Shift'] });
    await page.getByRole('button', { name: /^Copy \d+ lines$/ }).click();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    // The game may print in between.
    const said = copied
      .trim()
      .split('\n')
      .filter((line) => line.includes('[say]'));
    expect(said.map((line) => line.replace(/^.*\[say\] /, ''))).to.deep.equal(spoken);
    await latest.click();
  });

  it('saves every line that it holds', async () => {
    const { page } = web;
    const spoken = words('before', 'to be saved');
    await say(...spoken);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save all lines' }).click(),
    ]);
    const saved = await readFile(await download.path(), 'utf8');
    for (const word of spoken) expect(saved).to.include(`[say] ${word}`);
    expect(download.suggestedFilename()).to.match(/\.log$/);
  });

  it('reads out how many lines are new, and the last of them', async () => {
    const announced = web.page.locator('.console-frame [aria-live=polite]');
    // The game prints one of four texts every second.
    const said = /[2-9] new lines\. (Water drips|A lantern flickers|Bats stir|The caverns have been open|\[say\])/;
    await announced.getByText(said).waitFor({ state: 'attached' });
  });

  it('changes its colours, and keeps the choice over a reload', async () => {
    const { page } = web;
    const background = async () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    const light = await background();
    // system, light, dark
    await page.getByRole('button', { name: 'Colours: system' }).click();
    await page.getByRole('button', { name: 'Colours: light' }).click();
    await page.getByRole('button', { name: 'Colours: dark' }).waitFor();
    expect(await background()).not.to.equal(light);
    await page.reload();
    await page.getByRole('button', { name: 'Colours: dark' }).click();
    expect(await background()).to.equal(light);
  });

  it('moves a progress bar, shows where a link leads, folds lines and saves a cut one whole where asked', async () => {
    const { page } = web;
    const startup = [
      "printf '\\033]8;;https://example.com/path\\033\\\\a link\\033]8;;\\033\\\\\\n'",
      "printf '%020000d\\n' 7; echo same; echo same; echo same",
      "printf 'get 1 %%'; for i in 2 3 4; do sleep 0.4; printf '\\rget %s %%' $i; done; read x; echo; read y",
    ].join('; ');
    const { id } = await createGame(test, { startup });
    await power(test.admin, id, 'start');
    await page.goto(`${test.stack.baseUrl}/servers/${id}`);
    const texts = (text: RegExp) => page.locator('.console-row > span:nth-child(2)', { hasText: text });
    await texts(/^get 4 %$/).waitFor();
    expect(await texts(/^get \d %$/).allTextContents()).to.deep.equal(['get 1 %', 'get 4 %']);
    const link = page.getByRole('link', { name: 'a link ⟨example.com⟩', exact: true });
    expect(await link.getAttribute('title')).to.equal('https://example.com/path');
    await page.getByLabel('Console output').focus();
    await page.keyboard.press('Tab');
    const shown = await page.evaluate("getComputedStyle(document.activeElement, '::after').content");
    expect(shown).to.contain('https://example.com/path');
    expect(await texts(/^same/).allTextContents()).to.deep.equal(['same', 'same', 'same']);
    await page.getByRole('button', { name: 'Fold equal lines' }).click();
    await texts(/^same×3$/).waitFor();
    expect(await texts(/^same/).count()).to.equal(1);
    await page.getByRole('button', { name: 'Fold equal lines' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the whole line' }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).to.equal(`${'0'.repeat(19_999)}7`);
    await power(test.admin, id, 'kill');
    await page.goto(`${test.stack.baseUrl}/servers/${serverId}`);
  });

  it('draws no graphs while its tab is hidden', async () => {
    const { page } = web;
    await page.evaluate(`{
      window.drawn = 0;
      const { clearRect } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.clearRect = function (...area) {
        window.drawn += 1;
        return clearRect.apply(this, area);
      };
    }`);
    const drawn = async () => page.evaluate<number>('window.drawn');
    const untilDrawn = async (before: number) => waitUntil('a graph to be drawn', async () => (await drawn()) > before);
    await untilDrawn(await drawn());
    await page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })");
    const before = await drawn();
    const samples = page.locator('figure figcaption').first();
    const said = await samples.textContent();
    await waitUntil('a new sample', async () => (await samples.textContent()) !== said);
    expect(await drawn()).to.equal(before);
    await page.evaluate("Object.defineProperty(document, 'hidden', { value: false, configurable: true })");
    await untilDrawn(before);
  });

  it('asks the API at most six times a minute while it stays open', async () => {
    const { page } = web;
    await page.clock.install();
    await page.goto('about:blank');
    await page.goto(`${test.stack.baseUrl}/servers/${serverId}`);
    await page.locator('.console-row').first().waitFor();
    await page.waitForLoadState('networkidle');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/v1/')) asked.push(request.url());
    });
    for (let second = 0; second < 60; second += 5) {
      await page.clock.runFor(5_000);
      await page.waitForLoadState('networkidle');
    }
    expect(asked.length).to.be.within(1, 6);
  });
});
