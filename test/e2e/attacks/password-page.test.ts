import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { type Browser, needBrowser, openBrowser } from '../support/browser.js';
import { bootStack, type TestStack } from '../support/stack.js';
import { type Databases, openDatabases } from './support/database.js';
import { password, People } from './support/people.js';
import { send } from './support/requests.js';

/*
 * The page behind mailed links, in a real browser, by keyboard: what a person with a mail in front of them meets.
 */
describe('the page behind a mailed link, in a browser', function () {
  this.timeout(120_000);
  let test: TestStack;
  let databases: Databases;
  let people: People;
  let browser: Browser;

  before(async function () {
    const program = needBrowser(this);
    test = await bootStack();
    databases = await openDatabases(test.stack);
    people = new People(test.stack.baseUrl, test.admin.token() ?? '');
    browser = await openBrowser(program);
  });

  after(async () => {
    await browser?.close();
    await databases?.close();
    await test?.stop();
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
    const { email } = await people.created();
    const token = await people.mailedToken(test.stack, email);
    await open(`/password/set#token=${token}`);
    expect(await focused()).to.equal('password');
    await submit('a password of my own');
    await waitUntil('the good news', async () => isShown('done'));
    expect(await focused(), 'read out').to.equal('done');
    expect(await isShown('choose')).to.equal(false);
    expect(await browser.evaluate('location.href'), 'the token is gone from the address').not.to.contain(token);
    await people.login(email, 'a password of my own');
  });

  it('lets somebody who forgot theirs choose another, and says when the link is used up', async () => {
    const { email } = await people.created({ password });
    const token = await people.resetToken(test.stack, email);
    await open(`/password/reset#token=${token}`);
    await submit('another password of mine');
    await waitUntil('the good news', async () => isShown('done'));
    await people.login(email, 'another password of mine');

    await open(`/password/reset#token=${token}`);
    await submit('and yet another one');
    await waitUntil('the bad news', async () => isShown('again'));
    expect(await text('again-why')).to.contain('does not work any more');
    expect(await focused()).to.equal('email');
  });

  it('sends another link, and the page behind that one works', async () => {
    const { email } = await people.created({ password });
    await open('/password/reset#token=too-short');
    expect(await text('again-why')).to.contain('not whole');
    await submit(email);
    await waitUntil('the answer', async () => isShown('asked'));
    const token = await people.mailedToken(test.stack, email);
    await open(`/password/reset#token=${token}`);
    await submit('the password after all');
    await waitUntil('the good news', async () => isShown('done'));
  });

  it('asks for a better password before anything is sent, and shows the one that was typed', async () => {
    const { email } = await people.created({ password });
    await open(`/password/reset#token=${await people.resetToken(test.stack, email)}`);
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

  it('fits a telephone and a desk', async () => {
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

  it('asks nobody but the panel, breaks no policy, and runs nothing that is put into its address', async () => {
    await open('/password/reset?x=<script>alert(1)</script>#token=<img src=x onerror=alert(1)>');
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
