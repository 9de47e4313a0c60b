import { expect } from 'chai';
import { bootStack, type TestStack } from '../support/stack.js';
import { TestUsers } from './support/users.js';

const password = 'a long enough password';

/** A browser with one page: a cookie jar and automatic headers. */
class Browser {
  cookie: string | null = null;

  constructor(private readonly baseUrl: string) {}

  async post(path: string, body?: object): Promise<{ status: number; data: { access_token: string }; text: string }> {
    const response = await fetch(`${this.baseUrl}/api/v1/browser/${path}`, {
      method: 'POST',
      headers: {
        origin: this.baseUrl,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
        'x-panel-console': '1',
        ...(this.cookie === null ? {} : { cookie: this.cookie }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const [pair] = response.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
    if (pair !== undefined) this.cookie = pair.endsWith('=') ? null : pair;
    return { status: response.status, text, data: (text === '' ? {} : JSON.parse(text).data) as never };
  }

  /** Another tab with a copy of the jar. */
  tab(): Browser {
    const tab = new Browser(this.baseUrl);
    tab.cookie = this.cookie;
    return tab;
  }
}

describe('sessions of browsers', function () {
  this.timeout(180_000);
  let test: TestStack;
  let users: TestUsers;

  const signIn = async (email: string, browser = new Browser(test.stack.baseUrl)) => {
    const { status, data, text } = await browser.post('login', { email, password });
    expect(status, text).to.equal(200);
    return { browser, token: data.access_token };
  };
  const account = async (token: string) =>
    (await fetch(`${test.stack.baseUrl}/api/v1/account`, { headers: { authorization: `Bearer ${token}` } })).status;

  before(async () => {
    test = await bootStack({ RATE_LIMIT_AUTH: '40', RATE_LIMIT_GENERAL: '60' });
    users = new TestUsers(test.stack.baseUrl, test.admin.token() ?? '');
  });
  after(async () => test?.stop());

  it('signs in, renews and signs out with the cookie alone', async () => {
    const { email } = await users.create({ password });
    const { browser, token } = await signIn(email);
    expect(await account(token)).to.equal(200);
    const renewed = await browser.post('refresh');
    expect(renewed.status, renewed.text).to.equal(200);
    expect(renewed.text).not.to.contain(browser.cookie?.split('=')[1] ?? '');
    const old = browser.tab();
    expect((await browser.post('logout')).status).to.equal(204);
    expect(browser.cookie).to.equal(null);
    expect(await account(renewed.data.access_token)).to.equal(401);
    expect((await old.post('refresh')).status).to.equal(401);
    expect((await browser.post('logout')).status).to.equal(204);
  });

  it('gives two tabs that renew at the same moment the same session', async () => {
    const { email } = await users.create({ password });
    const { browser } = await signIn(email);
    for (let round = 0; round < 10; round += 1) {
      const tabs = Array.from({ length: 5 }, () => browser.tab());
      const answers = await Promise.all(tabs.map(async (tab) => tab.post('refresh')));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200]);
      expect(new Set(tabs.map(({ cookie }) => cookie)).size).to.equal(1);
      browser.cookie = tabs[0]?.cookie ?? null;
    }
  });

  it('counts renewals by sign-in, so that one browser does not use up the limit of its neighbours', async () => {
    const { email } = await users.create({ password });
    const { browser } = await signIn(email);
    const other = await signIn(email);
    let status = 200;
    for (let count = 0; count < 61 && status === 200; count += 1) ({ status } = await browser.post('refresh'));
    expect(status).to.equal(429);
    expect((await other.browser.post('refresh')).status).to.equal(200);
  });

  it('never adopts a cookie that was there before the sign-in', async () => {
    const [attacker, victim] = [await users.create({ password }), await users.create({ password })];
    const planted = (await signIn(attacker.email)).browser;
    const browser = planted.tab();
    const { token } = await signIn(victim.email, browser);
    expect(browser.cookie).not.to.equal(planted.cookie);
    const sessions = await fetch(`${test.stack.baseUrl}/api/v1/account`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(((await sessions.json()) as { data: { email: string } }).data.email).to.equal(victim.email);
    expect((await planted.post('refresh')).status).to.equal(200);
    const renewed = await browser.post('refresh');
    expect(await account(renewed.data.access_token)).to.equal(200);
  });

  it('refuses the cookie of a session that was revoked elsewhere', async () => {
    const { email, id } = await users.create({ password });
    const { browser } = await signIn(email);
    await test.admin.request('DELETE /admin/users/{id}/sessions', { params: { id } });
    const refused = await browser.post('refresh');
    expect(refused.status).to.equal(401);
    expect(browser.cookie).not.to.equal(null);
  });
});
