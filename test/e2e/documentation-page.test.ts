import { expect } from 'chai';
import { waitUntil } from '@panel/kit/testing';
import { type Browser, needBrowser, openBrowser } from './support/browser.js';
import { bootStack, type TestStack } from './support/stack.js';

describe('the documentation page in a browser', function () {
  this.timeout(180_000);
  let test: TestStack;
  let browser: Browser;

  before(async function () {
    const chromium = needBrowser(this);
    test = await bootStack();
    browser = await openBrowser(chromium);
    await browser.goto(`${test.stack.baseUrl}/docs`);
  });
  after(async () => {
    await browser?.close();
    await test?.stop();
  });

  const has = async (selector: string) =>
    browser.evaluate<boolean>(`document.querySelector(${JSON.stringify(selector)}) !== null`);
  const click = async (selector: string) => {
    await waitUntil(selector, async () => has(selector));
    await browser.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
  };
  const textOf = async (selector: string) =>
    browser.evaluate<string>(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ''`);

  it('renders every chapter', async () => {
    await waitUntil('the chapters', async () => has('#operations-tag-Account'));
    expect(await textOf('.info .title')).to.contain('Game server panel');
    expect(await browser.evaluate<number>("document.querySelectorAll('.opblock-tag').length")).to.be.greaterThan(14);
  });

  it('tries out GET /account with a bearer token', async () => {
    await click('.btn.authorize');
    await waitUntil('the token field', async () => has('.auth-container input'));
    await browser.evaluate("document.querySelector('.auth-container input').focus()");
    await browser.type(test.admin.token() ?? '');
    await click('.auth-btn-wrapper .btn.authorize');
    await click('.auth-btn-wrapper .btn-done');
    await click('#operations-tag-Account');
    await click('#operations-Account-get_account .opblock-summary-control');
    await click('#operations-Account-get_account .execute');
    const response = '#operations-Account-get_account .live-responses-table';
    await waitUntil('the response', async () => (await textOf(response)).includes('200'));
    expect(await textOf(response)).to.contain(test.stack.adminEmail);
  });

  it('violates no content security policy and requests nothing from other hosts', async () => {
    expect(browser.complaints).to.deep.equal([]);
    const { origin } = new URL(test.stack.baseUrl);
    const foreign = browser.requests.filter((url) => !url.startsWith(`${origin}/`) && !/^(data:|about:)/.test(url));
    expect(foreign).to.deep.equal([]);
    expect(browser.requests).to.include(`${origin}/docs/swagger-ui-bundle.js`);
  });
});
