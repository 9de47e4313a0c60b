import { readFile } from 'node:fs/promises';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { createGame, power, startGame, untilStatus } from '../../support/game.js';
import { sharedStack } from '../../support/shared-stack.js';
import { type SharedStack } from '../../support/stack.js';
import { keepScreenshot, openWeb, type WebPage } from '../../support/web.js';

describe('backups in the web console', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let web: WebPage;
  let id: string;

  before(async function () {
    test = await sharedStack();
    ({ id } = await createGame(test, { backups_limit: 1 }));
    web = await openWeb(this, test);
    await web.signIn();
  });
  afterEach(async function () {
    await keepScreenshot(this, web);
  });
  after(async () => {
    await web?.close();
  });

  const write = async (path: string, content: string) =>
    test.admin.put('/servers/{id}/files/write', { params: { id }, body: { path, content } });
  const names = async () =>
    (await test.admin.get('/servers/{id}/files/list', { params: { id } })).data.map(({ name }) => name);
  const read = async (path: string) =>
    (await test.admin.get('/servers/{id}/files/contents', { params: { id }, query: { path } })).data.content;
  const row = (name: string) => web.page.getByRole('row', { name: new RegExp(name) });
  const completed = (name: string) => row(name).locator('.status', { hasText: 'completed' });
  const choose = async (name: string, action: string) => {
    await web.page.getByRole('button', { name: `Actions for ${name}` }).click();
    await web.page.getByRole('menuitem', { name: action, exact: true }).click();
  };

  const open = async (...backups: readonly string[]) => {
    const ofServer = { params: { id } };
    if ((await test.admin.get('/servers/{id}', ofServer)).data.status !== 'offline') {
      await power(test.admin, id, 'kill');
      await untilStatus(test.admin, id, 'offline');
    }
    const list = async () => (await test.admin.get('/servers/{id}/backups', ofServer)).data;
    for (const old of await list()) {
      const params = { id, backup_id: old.id };
      await test.admin.post('/servers/{id}/backups/{backup-id}/lock', { params, body: { is_locked: false } });
      await test.admin.delete('/servers/{id}/backups/{backup-id}', { params });
    }
    await write('/kept.txt', 'to be deleted');
    await test.admin.post('/servers/{id}/files/delete', { ...ofServer, body: { files: ['/kept.txt'] } });
    await write('/note.txt', 'old');
    await write('/secret.log', 'not in the backup');
    for (const name of backups)
      await test.admin.post('/servers/{id}/backups', { ...ofServer, body: { name, ignored_files: ['*.log'] } });
    await waitUntil('the backups', async () => (await list()).every(({ status }) => status === 'completed'), 60_000);
    await untilStatus(test.admin, id, 'offline');
    await web.page.goto(`${test.stack.baseUrl}/servers/${id}/backups`);
    for (const name of backups) await completed(name).waitFor();
  };

  it('says that there are none, and creates one without ignored files', async () => {
    const { page } = web;
    await open();
    await page.getByText('There are no backups yet.').waitFor();
    await page.getByRole('button', { name: 'Create a backup' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('before <b>update</b>');
    await dialog.getByRole('textbox', { name: 'Files to leave out' }).fill('*.log\n\ncache/');
    await dialog.getByRole('button', { name: 'Create a backup' }).click();
    await completed('before <b>update</b>').waitFor({ timeout: 60_000 });
    await page.getByText('without *.log cache/').waitFor();
    await page.getByText('1 of 1 used').waitFor();
  });

  it('shows what the panel refuses in the form, and replaces the oldest one on request', async () => {
    const { page } = web;
    await open('before');
    await page.getByRole('button', { name: 'Create a backup' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Files to leave out' }).fill('a'.repeat(1100));
    await dialog.getByRole('button', { name: 'Create a backup' }).click();
    await dialog.getByRole('alert').first().waitFor();
    await dialog.getByRole('textbox', { name: 'Files to leave out' }).fill('*.log');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('second');
    await dialog.getByRole('button', { name: 'Create a backup' }).click();
    await dialog.getByText('as many backups as it may').waitFor();
    await dialog.getByRole('checkbox', { name: /Replace the oldest/ }).check();
    await dialog.getByRole('button', { name: 'Create a backup' }).click();
    await completed('second').waitFor({ timeout: 60_000 });
    await row('before').waitFor({ state: 'detached', timeout: 60_000 });
  });

  it('locks a backup, which then cannot be removed', async () => {
    const { page } = web;
    await open('second');
    await choose('second', 'Lock');
    await row('second').getByRole('img', { name: 'This backup is locked.' }).waitFor();
    await page.getByRole('button', { name: 'Actions for second' }).click();
    const remove = page.getByRole('menuitem', { name: /^Remove/ });
    expect(await remove.getAttribute('aria-disabled')).to.equal('true');
    await page.keyboard.press('Escape');
  });

  it('downloads a backup', async () => {
    await open('second');
    const download = web.page.waitForEvent('download');
    await choose('second', 'Download');
    const file = await download;
    expect(file.suggestedFilename()).to.equal('second.tar.gz');
    const bytes = await readFile(await file.path());
    expect([...bytes.subarray(0, 2)]).to.deep.equal([0x1f, 0x8b]);
  });

  it('restores a single file that was chosen in the backup', async () => {
    const { page } = web;
    await open('second');
    await write('/note.txt', 'new');
    await write('/kept.txt', 'kept');
    await choose('second', 'Browse files');
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByText('secret.log').count()).to.equal(0);
    await dialog.getByRole('checkbox', { name: 'Select note.txt' }).check();
    await dialog.getByRole('button', { name: 'Restore 1 entry' }).click();
    await dialog.getByText('/note.txt').waitFor();
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await untilStatus(test.admin, id, 'offline', 60_000);
    expect([await read('/note.txt'), await read('/kept.txt')]).to.deep.equal(['old', 'kept']);
  });

  it('restores everything and deletes what is not in the backup', async () => {
    const { page } = web;
    await open('second');
    await write('/kept.txt', 'not in the backup');
    await choose('second', 'Restore');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: /Delete all files/ }).check();
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText(/^restored /).waitFor({ timeout: 60_000 });
    await untilStatus(test.admin, id, 'offline', 60_000);
    expect(await names())
      .to.include('note.txt')
      .and.not.include('kept.txt');
  });

  it('says that a running server has to be stopped before a restore', async () => {
    const { page } = web;
    await open('second');
    await startGame(test.admin, id);
    await page.locator('.page-actions .status', { hasText: 'running' }).waitFor();
    await choose('second', 'Restore');
    const restore = page.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true });
    expect(await restore.getAttribute('aria-disabled')).to.equal('true');
    await page.getByRole('dialog').getByText('Stop the server first').first().waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  });

  it('unlocks and removes a backup', async () => {
    const { page } = web;
    await open('second');
    await choose('second', 'Lock');
    await row('second').getByRole('img', { name: 'This backup is locked.' }).waitFor();
    await choose('second', 'Unlock');
    await row('second').getByRole('img').waitFor({ state: 'detached' });
    await choose('second', 'Remove');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('There are no backups yet.').waitFor();
  });

  it('violates no policy and asks no other host', () => {
    expect(web.complaints.filter((text) => !/(409|422) \(/.test(text))).to.deep.equal([]);
  });
});
