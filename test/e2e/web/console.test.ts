import { expect } from 'chai';
import { waitUntil } from '@panel/kit/testing';
import { createGame } from '../support/game.js';
import { bootStack, type TestStack } from '../support/stack.js';
import { keepScreenshot, openWeb, type WebPage } from '../support/web.js';

const reconnecting = 'The connection was lost';

describe('the web console in a browser', function () {
  this.timeout(120_000);
  let test: TestStack;
  let web: WebPage;
  let serverId: string;

  before(async function () {
    test = await bootStack();
    ({ id: serverId } = await createGame(test, { name: 'Caverns <b>bold</b>' }));
    web = await openWeb(this, test);
  });
  afterEach(async function () {
    await keepScreenshot(this, web);
  });
  after(async () => {
    await web?.close();
    await test?.stop();
  });

  it('refuses a wrong password with a message', async () => {
    const { page } = web;
    await page.goto(test.stack.baseUrl);
    await page.fill('[name=email]', test.stack.adminEmail);
    await page.fill('[name=password]', 'not the password');
    await page.click('button[type=submit]');
    await page
      .getByRole('alert')
      .getByText(/is wrong/)
      .waitFor();
  });

  it('signs in, keeps the sign-in over a reload, and stores no token where scripts find it', async () => {
    const { page } = web;
    await web.signIn();
    await page.reload();
    await page.getByRole('link', { name: 'Caverns <b>bold</b>' }).waitFor();
    const stored = await page.evaluate(
      'JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.cookie',
    );
    expect(stored).not.to.match(/eyJ/);
  });

  it('starts a game and shows its console', async () => {
    const { page } = web;
    await page.getByRole('link', { name: 'Caverns <b>bold</b>' }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.locator('.page-actions .status', { hasText: 'running' }).waitFor();
    await page.locator('.console-row', { hasText: 'lantern' }).first().waitFor();
  });

  it('sends a command and shows hostile text as text', async () => {
    const { page } = web;
    const prompt = page.getByRole('textbox', { name: 'Type a command' });
    await prompt.fill('say <img src=x onerror=alert(1)>');
    await prompt.press('Enter');
    await page.locator('.console-row', { hasText: '[say] <img src=x onerror=alert(1)>' }).waitFor();
    expect(await page.locator('.console-row img').count()).to.equal(0);
    await prompt.press('ArrowUp');
    expect(await prompt.inputValue()).to.equal('say <img src=x onerror=alert(1)>');
    await prompt.fill('');
  });

  it('finds lines and shows only those', async () => {
    const { page } = web;
    await page.getByRole('searchbox', { name: 'Search lines' }).fill('onerror');
    await page.getByRole('button', { name: 'Show matching lines only' }).click();
    const rows = "[...document.querySelectorAll('.console-row')].every((row) => row.textContent.includes('onerror'))";
    await waitUntil('matching rows only', async () => page.evaluate<boolean>(rows));
    await page.getByRole('button', { name: 'Show matching lines only' }).click();
    await page.getByRole('searchbox', { name: 'Search lines' }).fill('');
  });

  let said = 0;

  /** Say something while `meanwhile` lasts and after it, and expect each line once. */
  async function expectEachLineOnce(begin: () => Promise<void>, end: () => Promise<void>): Promise<void> {
    const { page } = web;
    const row = (text: string) => page.locator('.console-row', { hasText: `[say] ${text}` });
    // A test that is repeated says something else.
    said += 1;
    const lines = [`before ${said}.`, `in between ${said}.`, `after ${said}.`] as const;
    const prompt = page.getByRole('textbox', { name: 'Type a command' });
    const say = async (text: string) => {
      await prompt.fill(`say ${text}`);
      // What is not sent, because the console is connecting, stays in the prompt.
      await waitUntil('the command to be sent', async () => {
        await prompt.press('Enter');
        return (await prompt.inputValue()) === '';
      });
      await row(text).first().waitFor();
    };
    await say(lines[0]);
    await begin();
    const body = { command: `say ${lines[1]}` };
    await test.admin.post('/servers/{id}/command', { params: { id: serverId }, body });
    await end();
    await row(lines[1]).first().waitFor();
    await say(lines[2]);
    for (const line of lines) expect(await row(line).count(), line).to.equal(1);
  }

  it('shows a line that came while the browser was offline once', async () => {
    const { page, context } = web;
    await expectEachLineOnce(
      async () => {
        await context.setOffline(true);
        await page.getByText('You are offline').waitFor();
      },
      async () => {
        await context.setOffline(false);
        await page.getByText('You are offline').waitFor({ state: 'detached' });
      },
    );
  });

  it('shows every line once over a restart of the gateway', async () => {
    const { page } = web;
    await expectEachLineOnce(
      async () => {
        const isDisconnected = page.getByText(reconnecting).waitFor();
        await test.stack.kill('gateway', 'SIGKILL');
        await isDisconnected;
        await test.stack.whenReady('gateway');
      },
      async () => page.getByText(reconnecting).waitFor({ state: 'detached' }),
    );
  });

  it('opens anything with Ctrl K', async () => {
    const { page } = web;
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /Server, page or action/ }).fill('servers');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${test.stack.baseUrl}/`);
  });

  it('violates no policy, asks no other host and throws nothing', () => {
    const expected = /401 \(Unauthorized\)|ERR_INTERNET_DISCONNECTED|ERR_CONNECTION_REFUSED|WebSocket connection/;
    expect(web.complaints.filter((text) => !expected.test(text))).to.deep.equal([]);
  });

  it('signs out in every tab and removes what it kept', async () => {
    const { page, context } = web;
    const second = await context.newPage();
    await second.goto(test.stack.baseUrl);
    await second.waitForSelector('.shell');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForSelector('[name=password]');
    await second.waitForSelector('[name=password]');
    expect(
      await page.evaluate('Object.keys(localStorage).filter((name) => /history|signed/.test(name))'),
    ).to.deep.equal([]);
  });
});
