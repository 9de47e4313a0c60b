import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { createGame, startGame } from '../../support/game.js';
import { sharedStack } from '../../support/shared-stack.js';
import { type SharedStack } from '../../support/stack.js';
import { keepScreenshot, openWeb, signInAs, type WebPage } from '../../support/web.js';
import { currentStep, totpCode } from '../../security/support/users.js';

const customer = { email: 'customer@panel.test', username: 'customer', password: 'a long enough password' };

describe('a customer in the web console', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let web: WebPage;

  before(async function () {
    test = await sharedStack();
    await test.admin.post('/admin/users', { body: customer });
    web = await openWeb(this, test);
  });
  afterEach(async function () {
    await keepScreenshot(this, web);
  });
  after(async () => {
    await web?.close();
  });

  it('leads a customer to the store while there is no server', async () => {
    const page = await web.openForeign();
    await page.goto(test.stack.baseUrl);
    await signInAs(page, customer.email, customer.password);
    await page.getByText('You have no servers yet.').waitFor();
    await page.getByRole('link', { name: 'Go to the store' }).click();
    await page.getByRole('heading', { name: 'Lantern Caverns' }).waitFor();
    await page.close();
  });

  it('switches two-factor authentication on with the QR code and signs in with a code', async () => {
    const name = `careful-${randomUUID().slice(0, 8)}`;
    const careful = { ...customer, email: `${name}@panel.test`, username: name };
    await test.admin.post('/admin/users', { body: careful });
    const page = await web.openForeign();
    await page.goto(`${test.stack.baseUrl}/account/security`);
    await signInAs(page, careful.email, careful.password);
    await page.getByRole('button', { name: 'Set up', exact: true }).waitFor();
    const form = page.locator('form', { has: page.getByRole('button', { name: 'Set up', exact: true }) });
    await form.locator('[name=password]').fill(careful.password);
    await form.getByRole('button', { name: 'Set up', exact: true }).click();
    const qr = page.getByRole('img', { name: 'QR code for an authenticator app' });
    await qr.waitFor();
    const isDrawn =
      "document.querySelector('img.qr').decode().then(() => document.querySelector('img.qr').naturalWidth)";
    expect(await page.evaluate<number>(isDrawn)).to.be.greaterThan(20);
    const secret = (await page.locator('.copy code').textContent()) ?? '';
    const step = currentStep();
    await page.locator('[name=code]').fill(totpCode(secret, step));
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.locator('.codes code').first().waitFor();
    expect(await page.locator('.codes code').count()).to.be.greaterThan(5);
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByText('Two-factor authentication is on.').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForSelector('[name=password]');
    await signInAs(page, careful.email, careful.password);
    // The enabling code is used up: the next one is accepted early.
    await page.locator('[name=code]').fill(totpCode(secret, step + 1));
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.waitForSelector('.shell');
    await page.close();
  });

  it('orders a server and pays it with credits', async () => {
    const { page } = web;
    const name = `Bought ${randomUUID()}`;
    const { data: services } = await test.admin.get('/billing/services');
    const before = services.filter(({ status }) => status === 'active').length;
    await web.signIn();
    await page.getByRole('link', { name: 'Store', exact: true }).click();
    const product = page.locator('.card', { has: page.getByRole('heading', { name: 'Lantern Caverns', exact: true }) });
    await product.getByRole('button', { name: 'Order', exact: true }).click();
    await page.locator('[name=server_name]').fill(name);
    await page.getByRole('button', { name: 'Put into the cart' }).click();
    await page.getByRole('button', { name: 'Check out' }).click();
    await page.locator('[name=payment_method]').selectOption('credits');
    await page.getByRole('button', { name: /^Pay €/ }).click();
    await page.waitForURL('**/billing/services');
    await page.locator('.status', { hasText: 'active' }).nth(before).waitFor({ timeout: 60_000 });
    await page.getByRole('link', { name: 'Servers', exact: true }).click();
    await page.getByRole('link', { name }).waitFor();
  });

  async function tabTo(page: Page, selector: string): Promise<void> {
    const isThere = `document.activeElement?.matches(${JSON.stringify(selector)}) === true`;
    for (let presses = 0; presses < 80; presses++) {
      if (await page.evaluate<boolean>(isThere)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`${selector} is not reached with Tab`);
  }

  it('signs in, starts a server and types a command with the keyboard only', async () => {
    const { id } = await createGame(test, { name: 'By keyboard' });
    const page = await web.openForeign();
    await page.goto(test.stack.baseUrl);
    await page.waitForSelector('[name=email]');
    await tabTo(page, '[name=email]');
    await page.keyboard.type(test.adminEmail);
    await tabTo(page, '[name=password]');
    await page.keyboard.type(test.password);
    await page.keyboard.press('Enter');
    await page.waitForSelector(`a[href="/servers/${id}"]`);
    await tabTo(page, `a[href="/servers/${id}"]`);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.console-prompt input');
    await tabTo(page, '.page-actions .button[data-kind=primary]');
    await page.keyboard.press('Enter');
    await page.locator('.page-actions .status', { hasText: 'running' }).waitFor();
    await tabTo(page, '.console-prompt input');
    await page.keyboard.type('say no mouse');
    await page.keyboard.press('Enter');
    await page.locator('.console-row', { hasText: '[say] no mouse' }).waitFor();
    await page.close();
  });

  it('signs a customer out in the console when the sign-in is ended elsewhere', async () => {
    const { id } = await createGame(test, { name: 'Revoked' });
    await startGame(test.admin, id);
    const page = await web.openForeign();
    await page.goto(`${test.stack.baseUrl}/servers/${id}`);
    await signInAs(page, test.adminEmail, test.password);
    await page.locator('.console-row', { hasText: 'lantern' }).first().waitFor();
    const { data: sessions } = await test.admin.get('/account/sessions');
    for (const session of sessions.filter(({ current }) => !current))
      await test.admin.delete('/account/sessions/{session-id}', { params: { session_id: session.id } });
    await page.waitForSelector('[name=password]', { timeout: 60_000 });
  });

  it('violates no policy, asks no other host and throws nothing', () => {
    const expected = /401 \(Unauthorized\)|WebSocket connection/;
    expect(web.complaints.filter((text) => !expected.test(text))).to.deep.equal([]);
  });
});
