import { randomUUID } from 'node:crypto';
import { waitUntil } from '@panel/kit/testing';
import { readEgg } from '@panel/stack';
import { expect } from 'chai';
import { createGame, importEgg } from '../../support/game.js';
import { sharedStack } from '../../support/shared-stack.js';
import { type SharedStack } from '../../support/stack.js';
import { keepScreenshot, openWeb, type WebPage } from '../../support/web.js';

/** One pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

describe('staff pages of the web console', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let web: WebPage;
  let nodeId: string;

  before(async function () {
    test = await sharedStack();
    const { id } = await createGame(test, { name: 'on this node' });
    const { data } = await test.admin.get('/admin/servers/{id}', { params: { id } });
    nodeId = data.node?.id ?? '';
    web = await openWeb(this, test);
    await web.signIn();
  });
  afterEach(async function () {
    await keepScreenshot(this, web);
  });
  after(async () => {
    await web?.close();
  });

  const open = async (path: string) => web.page.goto(`${test.stack.baseUrl}${path}`);
  const egg = (name: string) => ({ ...(JSON.parse(readEgg('lantern-caverns')) as Record<string, unknown>), name });

  async function drop(name: string, content: string): Promise<void> {
    const { page } = web;
    const data = await page.evaluateHandle(
      `(() => {
        const data = new DataTransfer();
        data.items.add(new File([${JSON.stringify(content)}], ${JSON.stringify(name)}));
        return data;
      })()`,
    );
    await page.locator('#main').dispatchEvent('drop', { dataTransfer: data });
  }

  it('imports an egg that is dropped, whose name stays text, and says what is wrong with a file', async () => {
    const { page } = web;
    await open('/staff/eggs');
    await page
      .getByRole('link', { name: /Lantern/i })
      .first()
      .waitFor();
    await drop('wrong.json', '{"name":');
    await page.getByRole('alert').waitFor();
    const name = `Caves <img src=x> ${randomUUID()}`;
    await drop('egg.json', JSON.stringify(egg(name)));
    await page.getByText(`${name} is imported.`).waitFor();
    await page.getByRole('button', { name: /^Imported/ }).click();
    await page.getByRole('link', { name }).first().waitFor();
  });

  it('checks an egg while it is typed, keeps it when somebody else changes the egg, and saves it', async () => {
    const { page } = web;
    const id = await importEgg(test.admin, JSON.stringify(egg('Caves to change')));
    await open(`/staff/eggs/${id}`);
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await page.getByRole('button', { name: 'Add a variable' }).click();
    const added = page.getByRole('group', { name: 'New variable' });
    await added.getByRole('textbox', { name: 'Name' }).fill('Players');
    await added.getByRole('textbox', { name: 'Environment variable' }).fill('max players');
    await page.getByText('Capital letters, digits and _ only.').waitFor();
    expect(await save.getAttribute('aria-disabled')).to.equal('true');
    const variable = page.getByRole('group', { name: 'max players' });
    await variable.getByRole('textbox', { name: 'Environment variable' }).fill('PLAYERS');
    const players = page.getByRole('group', { name: 'PLAYERS', exact: true });
    await players.getByRole('textbox', { name: 'Rules' }).fill('required|integer|between');
    await players.getByText(/needs a value/).waitFor();
    await players.getByRole('textbox', { name: 'Rules' }).fill('required|integer|between:1,100');
    await players.getByRole('textbox', { name: 'Default' }).fill('many');
    await players.getByText('The default is no whole number.').waitFor();
    await players.getByRole('textbox', { name: 'Default' }).fill('20');
    const files = page.getByRole('textbox', { name: /Changes of configuration files/ });
    await files.fill('{');
    await page.getByText(/This is no JSON object/).waitFor();
    await files.fill('{}');
    expect(await save.getAttribute('aria-disabled')).to.equal(null);
    await changeElsewhere(id);
    await players.waitFor();
    await page.getByRole('textbox', { name: 'Stop' }).fill('stop now');
    const saved = page.waitForResponse((response) => response.request().method() === 'PUT');
    await save.click();
    await saved;
    await page.getByText('Saved', { exact: true }).waitFor();
    const { data } = await test.admin.get('/admin/eggs/{id}', { params: { id } });
    expect(data.config.stop).to.equal('stop now');
    expect(data.author).to.equal('somebody@example.com');
    const retained = data.variables.find(({ env_variable }) => env_variable === 'PLAYERS');
    expect(retained?.rules).to.deep.equal(['required', 'integer', 'between:1,100']);
  });

  /** Another user changes the egg, and the page reloads it as on a visible tab. */
  async function changeElsewhere(id: string): Promise<void> {
    const { page } = web;
    await test.admin.put('/admin/eggs/{id}', { params: { id }, body: { author: 'somebody@example.com' } });
    const again = page.waitForResponse((response) => response.url().endsWith(`/admin/eggs/${id}`));
    await page.evaluate(`(() => {
      const { now } = Date;
      Date.now = () => now() + 60_000;
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    })()`);
    expect(((await (await again).json()) as { data: { author: string } }).data.author).to.equal('somebody@example.com');
  }

  it('shows how full a node is, what runs there and what that has used', async () => {
    const { page } = web;
    await open('/staff/nodes');
    await page.getByRole('row').getByRole('link').first().click();
    await page.waitForURL(`${test.stack.baseUrl}/staff/nodes/${nodeId}`);
    await page.getByRole('progressbar', { name: 'Memory' }).waitFor();
    await page
      .getByRole('table', { name: 'Servers on this node' })
      .getByRole('link', { name: 'on this node' })
      .waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill('no such server');
    await page.getByText('There are no servers on this node.').waitFor();
    const ofDay = new RegExp(`/admin/nodes/${nodeId}/metrics\\?.*step=60`);
    const day = page.waitForResponse((response) => ofDay.test(response.url()));
    await page.getByRole('button', { name: 'Day', exact: true }).click();
    expect(((await (await day).json()) as { data: { step: number } }).data.step).to.equal(60);
    await page.locator('figure', { hasText: 'Network' }).locator('canvas').waitFor();
  });

  it('finds the owner of a new server among all users, by what is typed', async () => {
    const { page } = web;
    const name = `somebody-${randomUUID().slice(0, 8)}`;
    const body = { email: `${name}@panel.test`, username: name, password: 'a long enough password' };
    await test.admin.post('/admin/users', { body });
    await open('/staff/servers?create');
    const dialog = page.getByRole('dialog', { name: 'Create a server' });
    const owner = dialog.getByRole('combobox', { name: 'Owner' });
    await owner.fill('nobody@panel.test');
    await dialog.locator('[name=name]').fill('For somebody');
    await dialog.getByRole('button', { name: 'Create a server' }).click();
    await dialog.getByText('Nobody has this address.').waitFor();
    await owner.fill(name.slice(0, -2));
    await dialog.locator(`datalist option[value="${body.email}"]`).waitFor({ state: 'attached' });
    await owner.fill(`S${body.email.slice(1)}`);
    await dialog.getByRole('button', { name: 'Create a server' }).click();
    await page.getByRole('heading', { name: 'For somebody' }).waitFor();
    const { data } = await test.admin.get('/admin/users', { query: { email: body.email } });
    expect(data[0]?.servers_count).to.equal(1);
  });

  it('sends a test mail', async () => {
    const { page } = web;
    await open('/staff/settings');
    await page.getByRole('button', { name: 'Send a test mail' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
    await page.getByText('The mail server has taken the mail.').waitFor();
  });

  it('shows name, logo and colours of the operator everywhere', async () => {
    const { page } = web;
    await open('/staff/settings');
    const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Brand' }) });
    await card.getByRole('textbox', { name: 'Name' }).fill('Hosting <b>GmbH</b>');
    await card.getByRole('textbox', { name: 'Colour of buttons' }).fill('#006d5b');
    const buffer = Buffer.from(png, 'base64');
    await card.getByLabel('Logo').first().setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer });
    await card.getByRole('img', { name: 'Logo' }).waitFor();
    await card.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.brand', { hasText: 'Hosting <b>GmbH</b>' }).first().waitFor();
    expect(await page.locator('.brand img').first().getAttribute('src')).to.equal(`data:image/png;base64,${png}`);
    const fill = await page.evaluate<string>(
      "getComputedStyle(document.documentElement).getPropertyValue('--accent-fill')",
    );
    expect(fill).to.equal('#006d5b');
    await page.reload();
    await page.locator('.brand', { hasText: 'Hosting <b>GmbH</b>' }).first().waitFor();
    // For some seconds the panel gives others the old brand.
    await card.getByRole('textbox', { name: 'Name' }).fill('Hosting AG');
    await card.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.brand', { hasText: 'Hosting AG' }).first().waitFor({ timeout: 2_000 });
    const brand = async () => (await test.admin.get('/brand')).data;
    await waitUntil('others to get the new brand', async () => (await brand()).name === 'Hosting AG');
    await page.evaluate("localStorage.removeItem('panel-brand')");
    await page.reload();
    await page.locator('.brand img[src^="/api/v1/brand/logo?v="]').first().waitFor();
  });

  it('creates a product and changes its price', async () => {
    const { page } = web;
    const name = `Small cave ${randomUUID()}`;
    await open('/staff/billing');
    await page.getByRole('button', { name: 'Create a product' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
    await dialog.getByRole('spinbutton', { name: 'Price' }).fill('499');
    await dialog.getByRole('button', { name: 'Create a product' }).click();
    await page.getByRole('row', { name: new RegExp(`${name}.*4\\.99`) }).waitFor();
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await dialog.getByRole('spinbutton', { name: 'Price' }).fill('599');
    await dialog.getByRole('combobox', { name: 'When the node starts' }).selectOption('always');
    await dialog.getByRole('textbox', { name: 'Time zone' }).fill('Europe/Berlin');
    await dialog.getByRole('textbox', { name: 'Processors' }).fill('0-1');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('row', { name: new RegExp(`${name}.*5\\.99`) }).waitFor();
    const { data } = await test.admin.get('/store/products', { query: { search: name } });
    expect(data[0]?.server).to.include({ auto_start: 'always', timezone: 'Europe/Berlin', threads: '0-1' });
  });

  it('creates gift codes, shows them once, redeems one and names its redeemer', async () => {
    const { page } = web;
    const note = `Fair ${randomUUID()}`;
    await open('/staff/billing/gift-codes');
    await page.getByRole('button', { name: 'Create gift codes' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('spinbutton', { name: 'Amount in minor units' }).fill('725');
    await dialog.getByRole('spinbutton', { name: 'How many' }).fill('3');
    await dialog.getByRole('textbox', { name: 'Note' }).fill(note);
    await dialog.getByRole('button', { name: 'Create gift codes' }).click();
    const codes = (await dialog.getByRole('textbox', { name: 'Gift codes' }).inputValue()).split('\n');
    expect(codes).to.have.length(3);
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await page.getByRole('searchbox').fill(note);
    await page
      .getByRole('row', { name: /0 \/ 1/ })
      .nth(2)
      .waitFor();
    expect(await page.content()).not.to.include(codes[0]);
    await open('/billing/credits');
    const before = (await test.admin.get('/billing/credits')).data.balance;
    await page.getByRole('textbox', { name: 'Gift code' }).fill(codes[0] ?? '');
    await page.getByRole('button', { name: 'Redeem' }).click();
    await page.getByRole('cell', { name: `gift: ${note}` }).waitFor();
    expect((await test.admin.get('/billing/credits')).data.balance).to.equal(before + 725);
    await page.getByRole('textbox', { name: 'Gift code' }).fill(codes[0] ?? '');
    await page.getByRole('button', { name: 'Redeem' }).click();
    await page.getByText('You have redeemed this gift code already.').first().waitFor();
    await open('/staff/billing/gift-codes');
    await page.getByRole('searchbox').fill(note);
    const used = page.getByRole('row', { name: /1 \/ 1/ });
    await used.getByRole('button', { name: `Actions for ${note}` }).click();
    await page.getByRole('menuitem', { name: 'Redeemed by' }).click();
    await page.getByRole('dialog').getByRole('cell', { name: test.adminId }).waitFor();
  });

  it('names events of the panel in words', async () => {
    const { page } = web;
    await open('/staff/activity');
    await page
      .getByRole('cell', { name: /Settings changed/ })
      .first()
      .waitFor();
    await page
      .getByRole('cell', { name: /Egg imported/ })
      .first()
      .waitFor();
  });

  it('violates no policy and asks no other host', () => {
    expect(web.complaints.filter((text) => !/(400|409|422) \(/.test(text))).to.deep.equal([]);
  });
});
