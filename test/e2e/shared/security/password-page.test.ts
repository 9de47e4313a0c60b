import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { type Browser, needBrowser, openBrowser } from '../../support/browser.js';
import { sharedStack } from '../../support/shared-stack.js';
import { type SharedStack } from '../../support/stack.js';
import { type Databases, openDatabases } from '../../security/support/database.js';
import { password, TestUsers } from '../../security/support/users.js';
import { send } from '../../security/support/requests.js';

describe('password page in a browser', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let databases: Databases;
  let users: TestUsers;
  let browser: Browser;

  before(async function () {
    const program = needBrowser(this);
    test = await sharedStack();
    databases = await openDatabases(test.stack);
    users = new TestUsers(test.stack.baseUrl, test.admin.token() ?? '');
    browser = await openBrowser(program);
  });

  after(async () => {
    await browser?.close();
    await databases?.close();
  });

  const open = async (path: string) => browser.goto(`${test.stack.baseUrl}${path}`);
  const text = async (id: string) => browser.evaluate<string>(`document.getElementById('${id}').textContent`);
  const isShown = async (id: string) => browser.evaluate<boolean>(`document.getElementById('${id}').checkVisibility()`);
  const focused = async () => browser.evaluate<string>('document.activeElement.id');
  const submit = async (typed: string) => {
    await browser.type(typed);
    await browser.press('Enter');
  };

  it('lets a new user choose a password', async () => {
    const { email } = await users.create();
    const token = await users.readMailedToken(test.stack, email);
    await open(`/password/set#token=${token}`);
    expect(await focused()).to.equal('password');
    await submit('a password of my own');
    await waitUntil('the good news', async () => isShown('done'));
    expect(await focused(), 'read out').to.equal('done');
    expect(await isShown('choose')).to.equal(false);
    expect(await browser.evaluate('location.href'), 'the token is gone from the address').not.to.contain(token);
    await users.login(email, 'a password of my own');
  });

  it('lets a user choose another password once per link', async () => {
    const { email } = await users.create({ password });
    const token = await users.resetToken(test.stack, email);
    await open(`/password/reset#token=${token}`);
    await submit('another password of mine');
    await waitUntil('the good news', async () => isShown('done'));
    await users.login(email, 'another password of mine');

    await open(`/password/reset#token=${token}`);
    await submit('and yet another one');
    await waitUntil('the bad news', async () => isShown('again'));
    expect(await text('again-why')).to.contain('does not work any more');
    expect(await focused()).to.equal('email');
  });

  it('sends another link that works', async () => {
    const { email } = await users.create({ password });
    await open('/password/reset#token=too-short');
    expect(await text('again-why')).to.contain('not whole');
    await submit(email);
    await waitUntil('the answer', async () => isShown('asked'));
    const token = await users.readMailedToken(test.stack, email);
    await open(`/password/reset#token=${token}`);
    await submit('the password after all');
    await waitUntil('the good news', async () => isShown('done'));
  });

  it('validates the password before sending and can show it', async () => {
    const { email } = await users.create({ password });
    await open(`/password/reset#token=${await users.resetToken(test.stack, email)}`);
    const before = await databases.snapshot('identity');
    const requests = browser.requests.length;
    await submit('short');
    await waitUntil('the problem', async () => (await text('problem')) !== '');
    expect(await text('problem')).to.contain('at least 10 characters');
    expect(await browser.evaluate("document.getElementById('password').getAttribute('aria-invalid')")).to.equal('true');
    expect(browser.requests).to.have.length(requests);
    expect(await databases.snapshot('identity')).to.deep.equal(before);
    await browser.evaluate("document.getElementById('reveal').click()");
    expect(await browser.evaluate("document.getElementById('password').type")).to.equal('text');
    await browser.type(' no more');
    expect(await browser.evaluate("document.getElementById('rule-length').className")).to.equal('met');
  });

  it('fits phone and desktop screens', async () => {
    await open(`/password/set#token=${'x'.repeat(43)}`);
    for (const [width, height] of [
      [360, 640],
      [1280, 800],
    ] as const) {
      const picture = await browser.screenshot(width, height);
      expect(picture.subarray(1, 4).toString()).to.equal('PNG');
      const overflows = await browser.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
      expect(overflows, `${width} wide`).to.equal(false);
    }
  });

  it('loads nothing from other hosts, violates no policy and runs no script from its address', async () => {
    await open('/password/reset#<script>alert(1)</script>&token=<img src=x onerror=alert(1)>');
    expect(await isShown('again')).to.equal(true);
    const own = new URL(test.stack.baseUrl).host;
    const hosts = browser.requests.filter((url) => !url.startsWith('about:')).map((url) => new URL(url).host);
    expect([...new Set(hosts)]).to.deep.equal([own]);
    const serious = browser.complaints.filter(
      (text) => !/favicon\.ico|status of 4\d\d|"source":"recommendation"/.test(text),
    );
    expect(serious).to.deep.equal([]);
    const page = await send(test.stack.baseUrl, '/password/set');
    expect(page.headers['content-security-policy']).to.contain("default-src 'none'");
  });
});
