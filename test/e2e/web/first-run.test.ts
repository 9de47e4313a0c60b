import { expect } from 'chai';
import { bootStack, type TestStack } from '../support/stack.js';
import { keepScreenshot, openWeb, type WebPage } from '../support/web.js';

describe('the first visit of an operator', function () {
  this.timeout(180_000);
  let test: TestStack;
  let web: WebPage;

  beforeEach(async function () {
    test = await bootStack();
    web = await openWeb(this, test);
  });
  afterEach(async function () {
    await keepScreenshot(this, web);
  });
  afterEach(async () => {
    await web?.close();
    await test?.stop();
  });

  it('leads from the sign-in by one form to a command in a running game', async () => {
    const { page } = web;
    const startedAt = performance.now();
    await web.signIn();
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    const steps = page.locator('.steps li');
    await page.locator('.steps li[data-done]', { hasText: 'Make a node' }).waitFor();
    await page.locator('.steps li[data-done]', { hasText: 'Import an egg' }).waitFor();
    await steps.getByRole('link', { name: 'Create a server' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a server' });
    await dialog.locator('[name=egg_id] option:checked', { hasText: 'Lantern Caverns' }).waitFor({ state: 'attached' });
    await dialog.locator('[name=name]').fill('My first server');
    await dialog.getByRole('button', { name: 'Create a server' }).click();
    await page.getByRole('heading', { name: 'My first server' }).waitFor();
    await page.locator('.page-actions .status', { hasText: 'running' }).waitFor({ timeout: 90_000 });
    const prompt = page.getByRole('textbox', { name: 'Type a command' });
    await prompt.fill('say here I am');
    await prompt.press('Enter');
    await page.locator('.console-row', { hasText: '[say] here I am' }).waitFor();
    expect(performance.now() - startedAt).to.be.lessThan(90_000);
    expect(web.complaints, 'no policy violated, no other host asked, nothing thrown').to.deep.equal([]);
  });
});
