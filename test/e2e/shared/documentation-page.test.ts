import { expect } from 'chai';
import { waitUntil } from '@panel/kit/testing';
import { type Browser, needBrowser, openBrowser } from '../support/browser.js';
import { sharedStack } from '../support/shared-stack.js';
import { type SharedStack } from '../support/stack.js';

describe('the documentation page in a browser', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let browser: Browser;

  before(async function () {
    const chromium = needBrowser(this);
    test = await sharedStack();
    browser = await openBrowser(chromium);
    await browser.goto(`${test.stack.baseUrl}/docs`);
  });
  after(async () => {
    await browser?.close();
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
    await browser.goto(`${test.stack.baseUrl}/docs`);
    await click('.btn.authorize');
    await waitUntil('the token field', async () => has('.auth-container input'));
    const token = test.admin.token() ?? '';
    // The page may rerender the field while typing.
    await waitUntil('the token to be typed', async () => {
      await browser.evaluate(
        "{ const field = document.querySelector('.auth-container input'); field.focus(); field.select(); }",
      );
      await browser.type(token);
      return (await browser.evaluate<string>("document.querySelector('.auth-container input').value")) === token;
    });
    await click('.auth-btn-wrapper .btn.authorize');
    await waitUntil('the token to be taken', async () => !(await has('.auth-container input')));
    await click('.auth-btn-wrapper .btn-done');
    await click('#operations-tag-Account');
    await click('#operations-Account-get_account .opblock-summary-control');
    // The page resolves the references of the whole document before; what is executed earlier never ends.
    await waitUntil('the operation', async () => has('#operations-Account-get_account .responses-table'));
    await click('#operations-Account-get_account .execute');
    const response = '#operations-Account-get_account .live-responses-table';
    await waitUntil('the response', async () => has(response));
    await waitUntil('the account', async () => (await textOf(response)).includes(test.adminEmail));
  });

  it('violates no content security policy and requests nothing from other hosts', async () => {
    expect(browser.complaints).to.deep.equal([]);
    const { origin } = new URL(test.stack.baseUrl);
    const foreign = browser.requests.filter((url) => !url.startsWith(`${origin}/`) && !/^(data:|about:)/.test(url));
    expect(foreign).to.deep.equal([]);
    expect(browser.requests).to.include(`${origin}/docs/swagger-ui-bundle.js`);
  });
});
