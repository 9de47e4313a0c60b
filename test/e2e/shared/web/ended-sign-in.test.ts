import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { createGame, startGame } from '../../support/game.js';
import { createAdministrator, sharedStack } from '../../support/shared-stack.js';
import type { SharedStack } from '../../support/stack.js';
import { keepScreenshot, openWeb, signInAs, type WebPage } from '../../support/web.js';

type Administrator = Awaited<ReturnType<typeof createAdministrator>>;

describe('a sign-in that ends while the web console is open', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let web: WebPage;
  let someone: Administrator;
  let id: string;

  before(async function () {
    test = await sharedStack();
    someone = await createAdministrator(test);
    ({ id } = await createGame(test));
    await startGame(test.admin, id);
    web = await openWeb(this, test);
  });
  afterEach(async function () {
    await keepScreenshot(this, web);
  });
  after(async () => {
    await web?.close();
  });

  const dialog = () => web.page.locator('dialog[data-covers]');
  const prompt = () => web.page.locator('.console-prompt input');
  const open = async (where: string) => {
    await web.context.clearCookies();
    await web.page.goto(test.stack.baseUrl);
    await web.page.evaluate('localStorage.clear()');
    await web.page.goto(`${test.stack.baseUrl}${where}`);
    await signInAs(web.page, someone.adminEmail, someone.password);
  };
  const endSessions = async () => {
    await test.admin.delete('/admin/users/{id}/sessions', { params: { id: someone.adminId } });
    await dialog().waitFor({ timeout: 60_000 });
  };
  const signInAgain = async ({ adminEmail: email, password }: Pick<Administrator, 'adminEmail' | 'password'>) => {
    await dialog().locator('[name=email]').fill(email);
    await dialog().locator('[name=password]').fill(password);
    await dialog().locator('button[type=submit]').click();
    await dialog().waitFor({ state: 'detached' });
  };

  it('keeps a half typed command, which is sent after signing in again', async () => {
    await open(`/servers/${id}`);
    await web.page.locator('.console-row').first().waitFor();
    await prompt().fill('say half a thought');
    await endSessions();
    await web.page.keyboard.press('Escape');
    await web.page.keyboard.press('Escape');
    // Browsers let the second one close a dialog, which opens again.
    await dialog().waitFor();
    await signInAgain(someone);
    expect(await prompt().inputValue()).to.equal('say half a thought');
    await waitUntil('the command to be said', async () => {
      if ((await prompt().inputValue()) !== '') await prompt().press('Enter');
      return (await web.page.locator('.console-row', { hasText: '[say] half a thought' }).count()) > 0;
    });
  });

  it('sends a form that was saved meanwhile, with what was typed', async () => {
    await open(`/servers/${id}/settings`);
    const name = web.page.locator('#main [name=name]').first();
    await name.fill('a name typed before');
    await test.admin.delete('/admin/users/{id}/sessions', { params: { id: someone.adminId } });
    await web.page.locator('#main form:has([name=name]) button[type=submit]').click();
    await dialog().waitFor();
    expect(await name.inputValue()).to.equal('a name typed before');
    await signInAgain(someone);
    await waitUntil('the new name', async () => {
      const { data } = await test.admin.get('/servers/{id}', { params: { id } });
      return data.name === 'a name typed before';
    });
  });

  it('shows another user nothing of what was typed', async () => {
    await open(`/servers/${id}`);
    await web.page.locator('.console-row').first().waitFor();
    await prompt().fill('say a secret');
    await endSessions();
    await signInAgain(test);
    await web.page.locator('.console-row').first().waitFor();
    expect(await prompt().inputValue()).to.equal('');
  });

  it('leads to the page to sign in when it is left', async () => {
    await open(`/servers/${id}`);
    await web.page.locator('.console-row').first().waitFor();
    await endSessions();
    await dialog().getByRole('button', { name: 'Leave this page' }).click();
    await web.page.locator('main.centre [name=email]').waitFor();
    expect(await web.page.locator('.shell').count()).to.equal(0);
  });
});
