import { expect } from 'chai';
import { waitUntil } from '@panel/kit/testing';
import { readEgg } from '@panel/stack';
import { createGame, createServer, importEgg, power, untilStatus } from '../../support/game.js';
import { sharedStack } from '../../support/shared-stack.js';
import { type SharedStack } from '../../support/stack.js';
import { keepScreenshot, openWeb, signInAs, type WebPage } from '../../support/web.js';

const reconnecting = 'The connection was lost';

/** A game that requests every feature. */
function askingEgg() {
  const asks = [
    'Minecraft 1.18 requires running the server with Java 17 or above.',
    '(GSL token expired)',
    'Steamcmd needs 250MB of free disk space to update',
    'java.lang.OutOfMemoryError: unable to create native thread',
  ];
  const agree = 'echo "You need to agree to the EULA in order to run the server."; exit 0';
  const script = [
    `grep -qs eula=true eula.txt || { ${agree}; }`,
    'echo "token $STEAM_ACC"; echo ready',
    ...asks.map((line) => `echo "${line}"`),
    'while read -r word; do [ "$word" = stop ] && exit 0; done',
  ].join('; ');
  return {
    ...(JSON.parse(readEgg('lantern-caverns')) as object),
    name: 'Asking game',
    features: ['eula', 'java_version', 'gsl_token', 'steam_disk_space', 'pid_limit'],
    startup: `sh -c '${script}'`,
    config: { files: '{}', startup: '{"done": "ready"}', logs: '{}', stop: 'stop' },
    variables: [
      {
        name: 'Token',
        description: '',
        env_variable: 'STEAM_ACC',
        default_value: 'none',
        user_viewable: true,
        user_editable: true,
        rules: 'required|string',
        field_type: 'text',
      },
    ],
  };
}

describe('the web console in a browser', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let web: WebPage;
  let serverId: string;
  /** Varies text in repeated tests. */
  let said = 0;

  before(async function () {
    test = await sharedStack();
    ({ id: serverId } = await createGame(test, { name: 'Caverns <b>bold</b>' }));
    web = await openWeb(this, test);
  });
  afterEach(async function () {
    await keepScreenshot(this, web);
  });
  after(async () => {
    await web?.close();
  });

  it('refuses a wrong password with a message', async () => {
    const { page } = web;
    await page.goto(test.stack.baseUrl);
    await page.fill('[name=email]', test.adminEmail);
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

  it('stays signed in when the panel cannot be reached during a reload, and says so', async () => {
    const { page } = web;
    const refresh = '**/api/v1/browser/refresh';
    await page.route(refresh, async (route) => route.abort('connectionrefused'));
    await page.reload();
    await page
      .getByRole('alert')
      .getByText(/cannot be reached/)
      .waitFor();
    expect(await page.getByRole('textbox', { name: 'Password' }).count()).to.equal(0);
    await page.unroute(refresh);
    await page.getByRole('link', { name: 'Caverns <b>bold</b>' }).waitFor();
  });

  it('starts a game and shows its console', async () => {
    const { page } = web;
    if ((await test.admin.get('/servers/{id}', { params: { id: serverId } })).data.status !== 'offline') {
      await power(test.admin, serverId, 'kill');
      await untilStatus(test.admin, serverId, 'offline');
    }
    await page.goto(test.stack.baseUrl);
    await page.getByRole('link', { name: 'Caverns <b>bold</b>' }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.locator('.page-actions .status', { hasText: 'running' }).waitFor();
    await page.locator('.console-row', { hasText: 'lantern' }).first().waitFor();
  });

  it('begins what a page needs before its scripts have arrived, and does each once', async () => {
    const { page } = web;
    await page.locator('.console-row').first().waitFor();
    await page.waitForLoadState('networkidle');
    const asked: string[] = [];
    const watch = (url: string): void => {
      const { pathname, search } = new URL(url);
      if (/^\/api\/v1\/(browser\/refresh|account|servers\/[^/]+)$/.test(pathname)) asked.push(pathname + search);
    };
    const onRequest = (request: { url(): string }): void => watch(request.url());
    page.on('request', onRequest);
    const server = new URL(page.url()).pathname;
    const answered = page.waitForResponse((response) => response.url().endsWith(`/api/v1${server}`));
    await page.route('**/assets/main-*.js', async (route) => {
      await answered;
      await route.continue();
    });
    await page.reload();
    await page.locator('.console-row', { hasText: 'Lantern' }).first().waitFor();
    page.off('request', onRequest);
    await page.unroute('**/assets/main-*.js');
    expect([...asked].sort((a, b) => a.localeCompare(b))).to.deep.equal([
      '/api/v1/account',
      '/api/v1/browser/refresh',
      `/api/v1${server}`,
    ]);
  });

  it('sends a command and shows malicious text as text', async () => {
    const { page } = web;
    const text = `<img src=x onerror=alert(1)> ${(said += 1)}.`;
    const prompt = page.getByRole('textbox', { name: 'Type a command' });
    await prompt.fill(`say ${text}`);
    await prompt.press('Enter');
    await page.locator('.console-row', { hasText: `[say] ${text}` }).waitFor();
    expect(await page.locator('.console-row img').count()).to.equal(0);
    await prompt.press('ArrowUp');
    expect(await prompt.inputValue()).to.equal(`say ${text}`);
    await prompt.fill('');
  });

  it('asks before it sends several pasted lines, and sends one after the other', async () => {
    const { page } = web;
    const texts = [`first ${(said += 1)}.`, `second ${said}.`];
    await page.getByRole('textbox', { name: 'Type a command' }).focus();
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', 'say pasted ${texts[0]}\\n\\nsay pasted ${texts[1]}\\n');
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    })()`);
    const question = page.getByRole('dialog', { name: 'Send several commands?' });
    await question.getByText('2 lines were pasted.').waitFor();
    await question.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Cancel 1 waiting' }).waitFor();
    for (const text of texts) await page.locator('.console-row', { hasText: `[say] pasted ${text}` }).waitFor();
  });

  it('copies a link to a line, which leads to it', async () => {
    const { page, context } = web;
    const address = page.url();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const text = `to be linked ${(said += 1)}.`;
    await test.admin.post('/servers/{id}/command', { params: { id: serverId }, body: { command: `say ${text}` } });
    const line = page.locator('.console-row', { hasText: `[say] ${text}` });
    await line.locator('time').click();
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.goto(await page.evaluate<string>('navigator.clipboard.readText()'));
    await line.and(page.locator('[data-marked]')).waitFor();
    await page.goto(address);
    await line.waitFor();
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

  it('follows the latest lines while its size changes, until somebody scrolls up', async () => {
    const { page } = web;
    const params = { id: serverId };
    for (let line = 0; line < 30; line++)
      await test.admin.post('/servers/{id}/command', { params, body: { command: `say line ${line}` } });
    await page.locator('.console-row', { hasText: '[say] line 29' }).waitFor();
    const latest = page.getByRole('button', { name: 'Latest lines' });
    for (const height of [500, 900, 400, 900]) {
      await page.setViewportSize({ width: height, height });
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(await latest.count()).to.equal(0);
    await page.getByRole('log').hover();
    await page.mouse.wheel(0, -300);
    await latest.click();
    await latest.waitFor({ state: 'detached' });
  });

  /** Prints during and after `meanwhile`, and expects each line once. */
  async function expectEachLineOnce(begin: () => Promise<void>, end: () => Promise<void>): Promise<void> {
    const { page } = web;
    const row = (text: string) => page.locator('.console-row', { hasText: `[say] ${text}` });
    said += 1;
    const lines = [`before ${said}.`, `in between ${said}.`, `after ${said}.`] as const;
    const prompt = page.getByRole('textbox', { name: 'Type a command' });
    const say = async (text: string) => {
      await prompt.fill(`say ${text}`);
      // While connecting, an unsent command stays in the prompt.
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

  it('asks what the game asks for, one after another, and does what the person agrees to', async () => {
    const { page } = web;
    const eggId = await importEgg(test.admin, JSON.stringify(askingEgg()));
    const { id } = await createServer(test, eggId, { name: 'asker', memory: 128 });
    const eula = page.getByRole('dialog', { name: 'The game asks you to agree to its licence' });
    await page.goto(`${test.stack.baseUrl}/servers/${id}`);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await eula.getByText('You need to agree to the EULA').waitFor();
    await page.reload();
    // The next run asks before the answer arrives.
    const java = page.getByRole('dialog', { name: 'The game needs another Java' });
    await page.route('**/features', async (route) => {
      const response = await route.fetch();
      await java.waitFor();
      await route.fulfill({ response });
    });
    const answer = page.waitForResponse('**/features');
    await eula.getByRole('button', { name: 'I agree' }).click();
    await (await answer).finished();
    await page.unroute('**/features');
    const putAside = async (title: string) => {
      const dialog = page.getByRole('dialog', { name: title });
      await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    // It starts again and requests all the rest at once.
    await putAside('The game needs another Java');
    const token = page.getByRole('dialog', { name: 'The login token of the game server is not valid' });
    await token.getByLabel('Game server login token').fill('SECRET-TOKEN');
    await token.getByRole('button', { name: 'Use this token' }).click();
    await token.waitFor({ state: 'detached' });
    await putAside('The game needs another Java');
    await putAside('The login token of the game server is not valid');
    await putAside('Steam needs more disk space');
    const threads = page.getByRole('dialog', { name: 'The game has reached its limit of processes' });
    await threads.getByRole('button', { name: 'Start again' }).click();
    await page.locator('.console-row', { hasText: 'token SECRET-TOKEN' }).nth(1).waitFor();
    await page.reload();
    await java.waitFor();
  });

  it('asks nobody any longer what somebody else has agreed to', async () => {
    const eggId = await importEgg(test.admin, JSON.stringify({ ...askingEgg(), name: 'Asking game of two' }));
    const { id } = await createServer(test, eggId, { name: 'asker of two', memory: 128 });
    const other = await web.openForeign();
    await other.goto(test.stack.baseUrl);
    await signInAs(other, test.adminEmail, test.password);
    await other.locator('.shell').waitFor();
    const dialogs = [web.page, other].map((page) => page.getByRole('dialog', { name: /agree to its licence/ }));
    await web.page.goto(`${test.stack.baseUrl}/servers/${id}`);
    await other.goto(`${test.stack.baseUrl}/servers/${id}`);
    await web.page.getByRole('button', { name: 'Start', exact: true }).click();
    for (const dialog of dialogs) await dialog.waitFor();
    await test.admin.post('/servers/{id}/features', { params: { id }, body: { feature: 'eula' } });
    for (const dialog of dialogs) await dialog.waitFor({ state: 'detached' });
    await other.context().close();
  });

  it('opens anything with Ctrl K', async () => {
    const { page } = web;
    await page.goto(`${test.stack.baseUrl}/servers/${serverId}`);
    await page.locator('.console-row').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /Server, page or action/ }).fill('servers');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${test.stack.baseUrl}/`);
  });

  it('violates no policy, asks no other host and throws nothing', () => {
    const expected = /401 \(Unauthorized\)|ERR_INTERNET_DISCONNECTED|ERR_CONNECTION_REFUSED|WebSocket connection/;
    expect(web.complaints.filter((text) => !expected.test(text))).to.deep.equal([]);
  });

  it('renews the sign-in once when it runs out in two tabs at the same moment', async () => {
    const { page, context } = web;
    await page.goto(test.stack.baseUrl);
    await page.waitForSelector('.shell');
    const second = await context.newPage();
    await second.goto(test.stack.baseUrl);
    await second.waitForSelector('.shell');
    const tabs = [page, second];
    let renewals = 0;
    context.on('request', (request) => {
      if (request.url().endsWith('/api/v1/browser/refresh')) renewals += 1;
    });
    // As for an expired token; to both before either renews it.
    const refused = new Set<unknown>();
    let refuseBoth: () => void = () => undefined;
    const both = new Promise<void>((resolve) => {
      refuseBoth = resolve;
    });
    const activity = '**/api/v1/account/activity**';
    await context.route(activity, async (route) => {
      const tab = route.request().frame();
      if (refused.has(tab)) return route.continue();
      refused.add(tab);
      if (refused.size === tabs.length) refuseBoth();
      await both;
      const json = { error: { code: 'unauthorized', message: 'the token has expired', details: {} } };
      return route.fulfill({ status: 401, json });
    });
    await Promise.all(tabs.map(async (tab) => tab.evaluate("history.pushState(null, '', '/account/activity')")));
    for (const tab of tabs) await tab.getByRole('cell').first().waitFor();
    expect([refused.size, renewals]).to.deep.equal([2, 1]);
    await context.unroute(activity);
    await second.close();
  });

  it('signs out in every tab and removes what it kept', async () => {
    const { page, context } = web;
    await page.goto(test.stack.baseUrl);
    await page.waitForSelector('.shell');
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
