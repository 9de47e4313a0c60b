import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Route } from 'playwright-core';
import { consolePaths } from '../../support/console-paths.js';
import { createGame } from '../../support/game.js';
import { sharedStack } from '../../support/shared-stack.js';
import { type SharedStack } from '../../support/stack.js';
import { openWeb, signInAs, type WebPage } from '../../support/web.js';

/** Needed by every page, or for the sign-in. */
const ofEveryPage = /\/api\/v1\/(browser\/|brand|account$|account\/preferences$|servers\/[^/]+\/ws)/;
const requestId = 'request-of-the-test';
const refusal = {
  status: 400,
  headers: { 'x-request-id': requestId },
  json: { error: { code: 'bad_request', message: 'refused by the test', details: {} } },
};
/** Pages without reads of their own. */
const withoutReads = (serverId: string): readonly string[] => [
  '/account',
  '/account/security',
  `/servers/${serverId}/settings`,
  `/servers/${serverId}/schedules/new`,
];
const emptyPages: readonly { readonly where: string; readonly text: string }[] = [
  { where: '/', text: 'You have no servers yet.' },
  { where: '/wall', text: 'You have no servers yet.' },
  { where: '/account/api-keys', text: 'You have no API keys.' },
  { where: '/account/ssh-keys', text: 'You have no SSH keys.' },
  { where: '/billing', text: 'There are no invoices.' },
  { where: '/billing/services', text: 'Nothing has been bought yet.' },
  { where: '/billing/orders', text: 'Nothing has been ordered yet.' },
  { where: '/billing/credits', text: 'No credits have been added or used yet.' },
  { where: '/nowhere', text: 'There is no page at this address.' },
];
const stateMs = 10_000;

describe('states of the pages of the web console', function () {
  this.timeout(480_000);
  let test: SharedStack;
  let paths: readonly string[];

  before(async () => {
    test = await sharedStack();
    const { id: serverId } = await createGame(test);
    const ofServer = { params: { id: serverId } };
    const { data: server } = await test.admin.get('/admin/servers/{id}', ofServer);
    const body = {
      name: 'nightly',
      hour: '4',
      minute: '0',
      tasks: [{ action: 'command' as const, payload: 'say hello' }],
    };
    const { data: schedule } = await test.admin.post('/servers/{id}/schedules', { ...ofServer, body });
    const ids = { serverId, scheduleId: schedule.id, nodeId: server.node?.id ?? '', eggId: server.egg?.id ?? '' };
    const skipped = withoutReads(serverId);
    paths = consolePaths(ids).filter((where) => !skipped.includes(where));
  });

  class Answers {
    readonly #held: Route[] = [];
    #mode: 'hold' | 'refuse' | 'pass' = 'pass';

    static async of({ page }: WebPage): Promise<Answers> {
      const answers = new Answers();
      await page.route(
        (url) => url.pathname.startsWith('/api/') && !ofEveryPage.test(url.pathname),
        async (route) => answers.#answer(route),
      );
      return answers;
    }

    hold(): void {
      this.#mode = 'hold';
    }

    pass(): void {
      this.#mode = 'pass';
    }

    /** Including held requests. */
    async refuse(): Promise<void> {
      this.#mode = 'refuse';
      await Promise.all(this.#held.splice(0).map(async (route) => this.#answer(route)));
    }

    async #answer(route: Route): Promise<void> {
      if (this.#mode === 'hold') this.#held.push(route);
      // A left page ends its requests.
      else await (this.#mode === 'refuse' ? route.fulfill(refusal) : route.continue()).catch(() => undefined);
    }
  }

  async function faultsOf({ page }: WebPage, answers: Answers, where: string): Promise<string[]> {
    const skeleton = page.locator('#main .skeleton').first();
    const errors = page.locator('#main .note[data-kind=error]');
    const retry = errors.getByRole('button', { name: 'Try again' });
    let step = 'shows no skeleton while it loads';
    try {
      answers.hold();
      await page.evaluate(`history.pushState(null, '', ${JSON.stringify(where)})`);
      await skeleton.waitFor({ timeout: stateMs });
      step = 'has no heading while it loads';
      await page.locator('#main h1').waitFor({ timeout: stateMs });
      await answers.refuse();
      step = 'does not say which request failed';
      await errors.getByText(requestId).first().waitFor({ timeout: stateMs });
      step = 'still loads beside its error';
      await skeleton.waitFor({ state: 'detached', timeout: stateMs });
      answers.pass();
      step = 'cannot be tried again';
      await retry.first().waitFor({ timeout: stateMs });
      // Retried reads lose their error.
      for (let left = await retry.count(); left > 0; left--) await retry.first().click({ timeout: stateMs });
      await errors.first().waitFor({ state: 'detached', timeout: stateMs });
      step = 'loads for ever after it was tried again';
      await skeleton.waitFor({ state: 'detached', timeout: stateMs });
      return [];
    } catch (error) {
      const [reason] = String(error).split('\n');
      return [`${where}: ${step} (${reason})`];
    } finally {
      answers.pass();
    }
  }

  it('shows a skeleton, then an error with its request and a way to try again', async function () {
    const web = await openWeb(this, test);
    try {
      // Its page shares no reads with others.
      await web.signIn();
      await web.page.goto(`${test.stack.baseUrl}/account`);
      await web.page.locator('[name=username]').waitFor();
      const answers = await Answers.of(web);
      const faults: string[] = [];
      for (const where of paths) faults.push(...(await faultsOf(web, answers, where)));
      expect(faults).to.deep.equal([]);
      expect(web.complaints.filter((text) => !/\b400\b/.test(text))).to.deep.equal([]);
    } finally {
      await web.close();
    }
  });

  it('asks to reload where an update has removed what a page or a dialog is made of', async function () {
    const web = await openWeb(this, test);
    const { page } = web;
    try {
      await web.signIn();
      const isRemoved = ({ pathname }: URL) => /^\/assets\/(palette|store)-[^/]+\.js$/.test(pathname);
      await page.route(isRemoved, async (route) => route.fulfill({ status: 404 }));
      await page.goto(test.stack.baseUrl);
      const notice = page.getByRole('alert').filter({ hasText: 'The panel has been updated.' });
      for (const open of [
        async () => page.getByRole('navigation').getByRole('link', { name: 'Store' }).click(),
        async () => page.keyboard.press('Control+k'),
      ]) {
        await page.getByRole('link', { name: 'Store' }).waitFor();
        await open();
        await notice.waitFor();
        await notice.getByRole('button', { name: 'Reload' }).click();
        await notice.waitFor({ state: 'detached' });
        await page.goto(test.stack.baseUrl);
      }
    } finally {
      await web.close();
    }
  });

  it('shows pages again by themselves when the panel can be reached', async function () {
    const web = await openWeb(this, test);
    const { page, context } = web;
    try {
      await web.signIn();
      const isOrders = (url: URL) => url.pathname === '/api/v1/billing/orders';
      await page.route(isOrders, async (route) => route.abort('connectionrefused'));
      await page.evaluate(`history.pushState(null, '', '/billing/orders')`);
      await page.getByText('The panel cannot be reached.').waitFor({ timeout: 30_000 });
      await page.unroute(isOrders);
      await page.getByText('Nothing has been ordered yet.').waitFor({ timeout: 30_000 });
      await context.setOffline(true);
      await page.getByText('You are offline').waitFor();
      await page.evaluate(`history.pushState(null, '', '/billing/services')`);
      await page.locator('#main .skeleton').first().waitFor();
      await context.setOffline(false);
      await page.getByText('Nothing has been bought yet.').waitFor();
    } finally {
      await web.close();
    }
  });

  it('names what a new customer does not have yet', async function () {
    const name = `new-${randomUUID().slice(0, 8)}`;
    const customer = { email: `${name}@panel.test`, username: name, password: 'a long enough password' };
    await test.admin.post('/admin/users', { body: customer });
    const web = await openWeb(this, test);
    const { page } = web;
    try {
      await page.goto(test.stack.baseUrl);
      await signInAs(page, customer.email, customer.password);
      await page.waitForSelector('.shell');
      for (const { where, text } of emptyPages) {
        await page.evaluate(`history.pushState(null, '', ${JSON.stringify(where)})`);
        await page.locator('#main .empty', { hasText: text }).waitFor({ timeout: stateMs });
      }
      expect(web.complaints).to.deep.equal([]);
    } finally {
      await web.close();
    }
  });
});
