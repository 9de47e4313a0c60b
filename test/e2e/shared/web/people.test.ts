import { randomUUID } from 'node:crypto';
import { createPanelClient } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { password, type TestUser, TestUsers } from '../../security/support/users.js';
import { createGame } from '../../support/game.js';
import { sharedStack } from '../../support/shared-stack.js';
import { type SharedStack } from '../../support/stack.js';
import { keepScreenshot, openWeb, signInAs, type WebPage } from '../../support/web.js';

describe('people of a server in the web console', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let web: WebPage;
  let friend: TestUser;
  let id: string;

  before(async function () {
    test = await sharedStack();
    ({ id } = await createGame(test, { name: 'shared' }));
    friend = await new TestUsers(test.stack.baseUrl, test.admin.token() ?? '').signUp();
    web = await openWeb(this, test);
    await web.signIn();
  });
  afterEach(async function () {
    await keepScreenshot(this, web);
  });
  after(async () => {
    await web?.close();
  });

  const access = async () => (await test.admin.get('/servers/{id}/subusers', { params: { id } })).data;
  const choose = async (name: string, action: string) => {
    await web.page.getByRole('button', { name: `Actions for ${name}` }).click();
    await web.page.getByRole('menuitem', { name: action, exact: true }).click();
  };

  /** A server's page without other users, or with the friend by a role or by permissions. */
  const open = async (given: 'nobody' | 'a role' | 'by role' | 'by permissions') => {
    const params = { id };
    for (const subuser of await access())
      await test.admin.delete('/servers/{id}/subusers/{subuser-id}', { params: { id, subuser_id: subuser.id } });
    for (const old of (await test.admin.get('/servers/{id}/subuser-roles', { params })).data)
      if (/^(builders|by the friend)/.test(old.name))
        await test.admin.delete('/servers/{id}/subuser-roles/{role-id}', { params: { id, role_id: old.id ?? '' } });
    const { email } = friend;
    if (given === 'a role' || given === 'by role') {
      const body = { name: 'builders', permissions: ['file.read' as const] };
      const { data: role } = await test.admin.post('/servers/{id}/subuser-roles', { params, body });
      const rules = [{ path: '/plugins', access: 'read_only' as const }];
      const shared = { email, role: role.id ?? '', path_rules: rules, expires_at: '2031-05-06T07:08:00.000Z' };
      if (given === 'by role') await test.admin.post('/servers/{id}/subusers', { params, body: shared });
    }
    if (given === 'by permissions') {
      const permissions = ['user.read', 'user.create', 'file.read', 'file.read-content'] as const;
      await test.admin.post('/servers/{id}/subusers', { params, body: { email, permissions: [...permissions] } });
    }
    await web.page.goto(`${test.stack.baseUrl}/servers/${id}/people`);
  };

  it('creates a role of the server', async () => {
    const { page } = web;
    await open('nobody');
    await page.getByText('Nobody else has access to this server.').waitFor();
    await page.getByRole('button', { name: 'Create a role' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('builders');
    const files = dialog.getByRole('group', { name: 'Files', exact: true });
    await files.getByRole('button', { name: 'All of these' }).click();
    await files.getByRole('checkbox', { name: 'Use SFTP' }).uncheck();
    await dialog.getByRole('button', { name: 'Create a role' }).click();
    await page.getByRole('row', { name: /builders 7 permissions/ }).waitFor();
  });

  it('shows what the panel refuses, and shares the server by role, for some files, until a time', async () => {
    const { page } = web;
    await open('a role');
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'E-mail' }).fill(friend.email);
    await dialog.getByRole('button', { name: 'Add a rule' }).click();
    await dialog.getByRole('textbox', { name: 'Path' }).fill('no/slash');
    await dialog.getByRole('button', { name: 'Invite somebody' }).click();
    await dialog.locator('.problem').first().waitFor();
    await dialog.getByRole('textbox', { name: 'Path' }).fill('/plugins');
    await dialog.getByRole('combobox', { name: 'Role' }).selectOption('builders');
    await dialog.getByLabel('Ends').fill('2031-05-06T07:08');
    await dialog.getByRole('button', { name: 'Invite somebody' }).click();
    const row = page.getByRole('row', { name: new RegExp(friend.email) });
    await row.getByText('builders').waitFor();
    await row.getByText('some files only').waitFor();
    await row.locator('.status', { hasText: 'active' }).waitFor();
    const [given] = await access();
    expect(given?.path_rules).to.deep.equal([{ path: '/plugins', access: 'read_only' }]);
    expect(given?.role?.name).to.equal('builders');
    expect(given?.expires_at).to.match(/^2031-05-0/);
  });

  it('changes the role to single permissions and removes the end', async () => {
    const { page } = web;
    await open('by role');
    await choose(friend.email, 'Edit');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Role' }).selectOption('Chosen one by one');
    await dialog.getByRole('checkbox', { name: 'See people' }).check();
    await dialog.getByRole('checkbox', { name: 'Invite people' }).check();
    await dialog.getByLabel('Ends').fill('');
    await dialog.getByRole('button', { name: 'Remove rule 1' }).click();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const [given] = await access();
    expect(given?.permissions).to.include.members(['user.read', 'user.create', 'file.read']);
    expect([given?.role, given?.expires_at, given?.path_rules]).to.deep.equal([null, null, []]);
  });

  it('invites an address that has no account, and takes the invitation back', async () => {
    const { page } = web;
    await open('nobody');
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'E-mail' }).fill('nobody@example.com');
    await dialog.getByRole('button', { name: 'Invite somebody' }).click();
    const row = page.getByRole('row', { name: /nobody@example\.com/ });
    await row.locator('.status', { hasText: 'invited' }).waitFor();
    await choose('nobody@example.com', 'Remove');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
  });

  it('keeps a role that somebody has, and removes it afterwards', async () => {
    const { page } = web;
    await open('a role');
    await choose('builders', 'Remove');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('row', { name: /builders/ }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Actions for Viewer' }).click();
    const remove = page.getByRole('menuitem', { name: /^Remove/ });
    expect(await remove.getAttribute('aria-disabled')).to.equal('true');
    await page.keyboard.press('Escape');
  });

  it('names the person who has done something in the activity', async () => {
    const { page } = web;
    await open('by permissions');
    const client = createPanelClient({ baseUrl: test.stack.baseUrl, token: friend.token });
    const name = `by the friend ${randomUUID()}`;
    const body = { name, permissions: ['file.read' as const] };
    await client.post('/servers/{id}/subuser-roles', { params: { id }, body });
    await waitUntil('the activity', async () => {
      const { data } = await test.admin.get('/servers/{id}/activity', { params: { id } });
      return data.some(({ actor_id }) => actor_id !== test.adminId && actor_id !== null);
    });
    await page.goto(`${test.stack.baseUrl}/servers/${id}/activity`);
    const row = page.getByRole('row', { name: new RegExp(name) });
    const { user } = (await access())[0] ?? expect.fail('nobody has access');
    await row.getByRole('cell', { name: user.username ?? '', exact: true }).waitFor();
    await page.goto(`${test.stack.baseUrl}/servers/${id}/people`);
  });

  it('lets a subuser grant no more than they hold, and leave', async () => {
    const { page } = web;
    await open('by permissions');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signInAs(page, friend.email, password);
    await page.getByRole('navigation', { name: 'Pages of the server' }).waitFor();
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Role' }).selectOption('Chosen one by one');
    expect(await dialog.getByRole('checkbox', { name: 'Send commands' }).isDisabled()).to.equal(true);
    expect(await dialog.getByRole('checkbox', { name: 'Read files' }).isEnabled()).to.equal(true);
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('button', { name: 'Leave this server' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave this server' }).click();
    await page.waitForURL(`${test.stack.baseUrl}/`);
    await page.getByText('You have no servers yet.').waitFor();
    const client = createPanelClient({ baseUrl: test.stack.baseUrl, token: friend.token });
    expect((await client.get('/servers')).data).to.deep.equal([]);
  });

  it('violates no policy and asks no other host', () => {
    // After leaving, open reads get 404.
    const expected = /(401|403|404|409|422) \(|WebSocket connection/;
    expect(web.complaints.filter((text) => !expected.test(text))).to.deep.equal([]);
  });
});
