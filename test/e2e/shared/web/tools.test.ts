import { randomUUID } from 'node:crypto';
import { readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { waitUntil } from '@panel/kit/testing';
import { createGame, power, startGame, untilStatus } from '../../support/game.js';
import { sharedStack } from '../../support/shared-stack.js';
import { type SharedStack } from '../../support/stack.js';
import { keepScreenshot, openWeb, type WebPage } from '../../support/web.js';

describe('tools of the web console', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let web: WebPage;
  let first: string;
  let second: string;
  let dataRoot: string;

  before(async function () {
    test = await sharedStack();
    ({ id: first } = await createGame(test, { name: 'First' }));
    ({ id: second } = await createGame(test, { name: 'Second' }));
    await Promise.all([startGame(test.admin, first), startGame(test.admin, second)]);
    dataRoot = (await test.admin.get('/admin/nodes')).data[0]?.data_root ?? expect.fail('no node');
    web = await openWeb(this, test);
    await web.signIn();
  });
  afterEach(async function () {
    await keepScreenshot(this, web);
  });
  after(async () => {
    await web?.close();
  });

  /** A game ended by a failed test runs again for the next. */
  beforeEach(async () => {
    for (const id of [first, second]) {
      const { data } = await test.admin.get('/servers/{id}', { params: { id } });
      if (data.status === 'offline') await startGame(test.admin, id);
    }
  });

  it('sends one command to the servers of a wall and says what came of it at each', async () => {
    const { page } = web;
    const said = `to everybody ${randomUUID()}`;
    await page.goto(test.stack.baseUrl);
    await page.getByRole('checkbox', { name: 'Select First' }).check();
    await page.getByRole('checkbox', { name: 'Select Second' }).check();
    await page.getByRole('link', { name: 'Consoles side by side' }).click();
    const command = page.getByRole('textbox', { name: 'Command for all that are chosen' });
    await command.fill(`say ${said}`);
    await command.press('Enter');
    for (const name of ['First', 'Second']) {
      const pane = page.getByRole('region', { name, exact: true });
      await pane.locator('.console-row', { hasText: `[say] ${said}` }).waitFor();
    }
    for (const name of ['First', 'Second'])
      await page.locator('.results [data-kind=sent]', { hasText: name }).waitFor();
  });

  /** On the page of several consoles. */
  async function sendTwice(): Promise<void> {
    const { page } = web;
    await power(test.admin, second, 'stop');
    await untilStatus(test.admin, second, 'offline');
    const command = page.getByRole('textbox', { name: 'Command for all that are chosen' });
    await command.fill('say once more');
    await command.press('Enter');
    await page.locator('.results [data-kind=failed]', { hasText: 'Second The server is not running' }).waitFor();
    await startGame(test.admin, second);
    await page.getByRole('button', { name: 'Try 1 again' }).click();
    await page.locator('.results [data-kind=sent]', { hasText: 'Second' }).waitFor();
    expect(await page.locator('.results [data-kind=sent]').count()).to.equal(2);
  }

  it('repeats a command where it has failed', sendTwice);

  it('shows what it has done as a command that works in a shell', async () => {
    const { page } = web;
    await sendTwice();
    await page.locator('h1').click();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Show as curl' });
    await dialog
      .getByRole('button', { name: /POST \/servers\/\{id\}\/command/ })
      .first()
      .click();
    const curl = (await dialog.locator('pre', { hasText: 'curl -X POST' }).textContent()) ?? '';
    expect(curl).to.contain(`/api/v1/servers/${second}/command'`);
    expect(curl).to.contain(`-d '{"command":"say once more"}'`);
    expect(await dialog.locator('pre', { hasText: 'createPanelClient' }).textContent()).to.contain(
      'client.post("/servers/{id}/command"',
    );
    await page.keyboard.press('Escape');
  });

  const names = async (): Promise<string[]> => web.page.locator('.server-card h3').allTextContents();
  const savedOrder = async (): Promise<unknown> => {
    const { data } = await test.admin.get('/account/preferences');
    const { order } = (data as { console?: { order?: readonly string[] } }).console ?? {};
    return order;
  };

  it('lists servers in an order of their own, by keyboard and by dragging', async () => {
    const { page } = web;
    await page.goto(test.stack.baseUrl);
    await page.locator('.server-card').nth(1).waitFor();
    const [upper = '', lower = ''] = await names();
    const grip = page.getByRole('button', { name: `Move ${lower}` });
    await grip.focus();
    await page.keyboard.press('ArrowUp');
    await page.getByText('Now at place 1 of 2').waitFor();
    expect(await names()).to.deep.equal([lower, upper]);
    expect(await page.evaluate<string>('document.activeElement.dataset.grip')).to.be.a('string');
    const ids = { First: first, Second: second };
    const idsOf = (...order: string[]) => order.map((name) => ids[name as keyof typeof ids]);
    await waitUntil('the order to be saved', async () => isDeepStrictEqual(await savedOrder(), idsOf(lower, upper)));
    await grip.dragTo(page.locator('.server-card').nth(1));
    await waitUntil('the order to be saved', async () => isDeepStrictEqual(await savedOrder(), idsOf(upper, lower)));
    expect(await names()).to.deep.equal([upper, lower]);
    await page.reload();
    await page.locator('.server-card').nth(1).waitFor();
    expect(await names()).to.deep.equal([upper, lower]);
  });

  it('finds any server by the palette, also one that no page has read', async () => {
    const { page } = web;
    const name = `Far away ${randomUUID().slice(0, 8)}`;
    const { id } = await createGame(test, { name });
    await page.goto(`${test.stack.baseUrl}/account`);
    await page.locator('[name=username]').waitFor();
    await page.keyboard.press('Control+k');
    const searched = page.waitForRequest((request) => /servers\?.*search=far(\+|%20)away/.test(request.url()));
    await page.getByRole('combobox', { name: 'Server, page or action' }).fill(name.toLowerCase());
    await page.getByRole('option', { name: new RegExp(name) }).waitFor();
    await searched;
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/servers/${id}`);
  });

  it('keeps the search of the list in the address', async () => {
    const { page } = web;
    await page.goto(test.stack.baseUrl);
    await page.getByRole('searchbox', { name: 'Search servers' }).fill('Sec');
    await page.waitForURL('**/?search=Sec');
    await page.getByRole('link', { name: 'First', exact: true }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('link', { name: 'Second', exact: true }).waitFor();
    expect(await names()).to.deep.equal(['Second']);
  });

  it('asks before a game is killed from the list', async () => {
    const { page } = web;
    await page.goto(test.stack.baseUrl);
    await page.getByRole('button', { name: 'Actions for Second' }).click();
    await page.getByRole('menuitem', { name: 'Kill' }).click();
    const question = page.getByRole('dialog', { name: 'Kill: Second' });
    await question.getByText('What it has not saved is lost.').waitFor();
    await question.getByRole('button', { name: 'Cancel', exact: true }).click();
    await question.waitFor({ state: 'detached' });
    await untilStatus(test.admin, second, 'running');
  });

  it('draws the usage of an hour, a day and 90 days', async () => {
    const { page } = web;
    await page.goto(`${test.stack.baseUrl}/servers/${first}`);
    for (const [name, range, step] of [
      ['Hour', 'hour', 10],
      ['Day', 'day', 60],
      ['90 days', 'quarter', 900],
    ] as const) {
      const answered = page.waitForResponse((response) => response.url().includes('/metrics?'));
      await page.getByRole('button', { name, exact: true }).click();
      const answer = await answered;
      expect(answer.status()).to.equal(200);
      expect(((await answer.json()) as { data: { step: number } }).data.step).to.equal(step);
      await page.locator('figure', { hasText: 'Disk' }).locator('canvas').waitFor();
      expect(new URL(page.url()).searchParams.get('range')).to.equal(range);
    }
  });

  it('asks with a plan before a change is saved, and says what waits for a restart', async () => {
    const { page } = web;
    // Changes of an earlier run no longer wait.
    await power(test.admin, first, 'kill');
    await untilStatus(test.admin, first, 'offline');
    await startGame(test.admin, first);
    await page.goto(`${test.stack.baseUrl}/servers/${first}/startup`);
    const welcome = page.getByRole('textbox', { name: /^Welcome/ });
    const [before, after] = [await welcome.inputValue(), `Bring a lamp, ${randomUUID()}.`];
    expect(before).to.match(/^(Mind the gap|Bring a lamp, .*)\.$/);
    await welcome.fill(after);
    await page.getByRole('button', { name: 'Save', exact: true }).last().click();
    const plan = page.getByRole('dialog', { name: '1 change' });
    await plan.getByText(before).waitFor();
    await plan.getByText(after).waitFor();
    await plan.getByRole('button', { name: 'Save', exact: true }).click();
    await plan.waitFor({ state: 'detached' });
    await page.goto(`${test.stack.baseUrl}/servers/${first}`);
    await page.getByText('One change waits for a restart:').waitFor();
    await page.getByText('Startup changed: WELCOME').first().waitFor();
  });

  it('leads from the time in a graph to the lines of that time', async () => {
    const { page } = web;
    await page.goto(`${test.stack.baseUrl}/servers/${first}`);
    const graph = page.locator('figure', { hasText: 'Memory' }).locator('.u-over');
    await page.locator('.console-row').first().waitFor();
    await graph.click();
    await page.locator('.console-row[data-marked]').waitFor();
  });

  it('says after a crash how it ended, with the last lines and what was changed before, by whom', async () => {
    const { page } = web;
    for (const pid of await processesIn(path.join(dataRoot, 'servers', first))) process.kill(pid, 'SIGKILL');
    const card = page.locator('.card', { has: page.getByRole('heading', { name: /The server crashed/ }) });
    await card.waitFor();
    await card.getByText('137').or(card.getByText('SIGKILL')).first().waitFor();
    await card.locator('pre').waitFor();
    const change = card.locator('li', { hasText: 'Startup changed: WELCOME' }).first();
    await change.getByText('you', { exact: false }).waitFor();
    await card.getByRole('button', { name: 'Show the lines of that time' }).click();
    await page.locator('.console-row[data-marked]').waitFor();
  });

  it('says why something cannot be done now', async () => {
    const { page } = web;
    // A crashed game restarts.
    await untilStatus(test.admin, first, 'running', 60_000);
    await page.locator('.page-actions .status', { hasText: 'running' }).waitFor();
    const start = page.getByRole('button', { name: 'Start', exact: true });
    expect(await start.getAttribute('aria-disabled')).to.equal('true');
    expect(await start.getAttribute('title')).to.equal('The server runs already.');
    await start.click({ force: true });
    await page.locator('.toast', { hasText: 'The server runs already.' }).waitFor();
  });

  it('shows the pages as a subuser sees them', async () => {
    const { page } = web;
    const params = { id: first };
    for (const { id } of (await test.admin.get('/servers/{id}/subusers', { params })).data)
      await test.admin.delete('/servers/{id}/subusers/{subuser-id}', { params: { ...params, subuser_id: id } });
    await test.admin.post('/servers/{id}/subusers', {
      params,
      body: { email: 'helper@panel.test', permissions: ['websocket.connect', 'control.start', 'user.read'] },
    });
    await page.goto(`${test.stack.baseUrl}/servers/${first}/settings`);
    await page.getByRole('button', { name: 'View as a subuser' }).click();
    await page.getByText('You see this server as helper@panel.test does.').waitFor();
    const tabs = page.getByRole('navigation', { name: 'Pages of the server' });
    expect(await tabs.getByRole('link', { name: 'Files', exact: true }).count()).to.equal(0);
    const stop = page.getByRole('button', { name: 'Stop', exact: true });
    expect(await stop.getAttribute('aria-disabled')).to.equal('true');
    expect(await stop.getAttribute('title')).to.equal('You lack the right control.stop on this server.');
    await page.getByRole('button', { name: 'View as yourself' }).click();
    await tabs.getByRole('link', { name: 'Files', exact: true }).waitFor();
  });

  it('violates no policy, asks no other host and throws nothing', () => {
    expect(web.complaints.filter((text) => !/409 \(Conflict\)/.test(text))).to.deep.equal([]);
  });
});

async function processesIn(directory: string): Promise<number[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const places = await Promise.all(names.map(async (name) => readlink(`/proc/${name}/cwd`).catch(() => '')));
  return names.filter((_, index) => places[index] === directory).map(Number);
}
