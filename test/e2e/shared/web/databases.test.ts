import { readFile } from 'node:fs/promises';
import { type TestDatabaseServer, testMariadb } from '@panel/testing';
import { expect } from 'chai';
import { createConnection } from 'mysql2/promise';
import { createGame } from '../../support/game.js';
import { sharedStack } from '../../support/shared-stack.js';
import { type SharedStack } from '../../support/stack.js';
import { keepScreenshot, openWeb, type WebPage } from '../../support/web.js';

describe('databases in the web console', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let web: WebPage;
  let mariadb: TestDatabaseServer;
  let id: string;

  before(async function () {
    const found = await testMariadb();
    if (found === null) {
      this.skip();
      return;
    }
    mariadb = found;
    test = await sharedStack();
    ({ id } = await createGame(test, { databases_limit: 1 }));
    web = await openWeb(this, test);
    await web.signIn();
  });
  afterEach(async function () {
    await keepScreenshot(this, web);
  });
  after(async () => {
    await web?.close();
  });

  const choose = async (name: RegExp, action: string) => {
    await web.page.getByRole('button', { name }).click();
    await web.page.getByRole('menuitem', { name: action, exact: true }).click();
  };
  const password = async () => {
    const fact = web.page.getByRole('dialog').locator('.facts > div', { hasText: 'Password' });
    return fact.locator('code').textContent();
  };

  const removeDatabases = async () => {
    for (const database of (await test.admin.get('/servers/{id}/databases', { params: { id } })).data) {
      const params = { id, db_id: database.id };
      await test.admin.delete('/servers/{id}/databases/{db-id}', { params });
    }
  };
  const removeHosts = async () => {
    for (const host of (await test.admin.get('/admin/database-hosts')).data)
      await test.admin.delete('/admin/database-hosts/{id}', { params: { id: host.id } });
  };

  it('adds a database host after showing what is wrong with it', async () => {
    const { page } = web;
    await removeDatabases();
    await removeHosts();
    await page.goto(`${test.stack.baseUrl}/staff/database-hosts`);
    await page.getByText('There are no database hosts yet.').waitFor();
    await page.getByRole('button', { name: 'Add a database host' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('db-1');
    await dialog.getByRole('textbox', { name: 'Host name' }).fill(mariadb.host);
    await dialog.getByRole('spinbutton', { name: 'Port' }).fill(String(mariadb.port));
    await dialog.getByRole('textbox', { name: 'Username', exact: true }).fill(mariadb.username);
    await dialog.getByLabel('Password').fill('wrong');
    await dialog.getByRole('button', { name: 'Add a database host' }).click();
    await dialog.locator('.problem').waitFor();
    const username = dialog.getByRole('textbox', { name: 'Username', exact: true });
    expect(await username.getAttribute('aria-invalid')).to.equal('true');
    await dialog.getByLabel('Password').fill(mariadb.password);
    await dialog.getByRole('button', { name: 'Add a database host' }).click();
    await page.getByRole('row', { name: /db-1/ }).getByText('online').waitFor();
  });

  it('changes a host without asking for its password again', async () => {
    const { page } = web;
    await choose(/Actions for db/, 'Edit');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('spinbutton', { name: 'At most this many databases' }).fill('7');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /0 \/ 7/ }).waitFor();
  });

  it('compares a host with its records', async () => {
    const { page } = web;
    const { host, port, username: user } = mariadb;
    const connection = await createConnection({ host, port, user, password: mariadb.password });
    try {
      await connection.query('CREATE DATABASE sdeadbeef_left');
      await choose(/Actions for db/, 'Compare with records');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('sdeadbeef_left').waitFor();
      await connection.query('DROP DATABASE sdeadbeef_left');
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await choose(/Actions for db/, 'Compare with records');
      await dialog.getByText('sdeadbeef_left').waitFor({ state: 'detached' });
      await dialog.locator('.facts').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).last().click();
    } finally {
      await connection.query('DROP DATABASE IF EXISTS sdeadbeef_left');
      await connection.end();
    }
  });

  it('creates a database of a server and shows its password once', async () => {
    const { page } = web;
    await removeDatabases();
    await page.goto(`${test.stack.baseUrl}/servers/${id}/databases`);
    await page.getByText('There are no databases yet.').waitFor();
    await page.getByRole('button', { name: 'Create a database' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('players');
    await dialog.getByRole('button', { name: 'Create a database' }).click();
    await dialog.getByText('Copy the password now').waitFor();
    expect(await password()).to.have.lengthOf(32);
    await dialog.getByText(/^jdbc:mariadb:\/\//).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page
      .getByRole('row', { name: /_players/ })
      .getByText('active')
      .waitFor();
  });

  it('says that the limit is reached', async () => {
    const { page } = web;
    await page.getByRole('button', { name: 'Create a database' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('second');
    await dialog.getByRole('button', { name: 'Create a database' }).click();
    await dialog.getByText('The server has as many databases as it may.', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
  });

  it('gives a database another password', async () => {
    const { page } = web;
    await choose(/Actions for s.*_players/, 'New password');
    await page.getByRole('dialog').getByRole('button', { name: 'New password' }).click();
    await page.getByText('Copy the password now').waitFor();
    expect(await password()).to.have.lengthOf(32);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  });

  it('imports a dump and exports it again', async () => {
    const { page } = web;
    const buffer = Buffer.from(
      "DROP TABLE IF EXISTS scores;\nCREATE TABLE scores (name VARCHAR(20));\nINSERT INTO scores VALUES ('größe');\n",
    );
    await choose(/Actions for s.*_players/, 'Import a dump');
    await page.locator('input[type=file]').setInputFiles({ name: 'scores.sql', mimeType: 'application/sql', buffer });
    await page.getByRole('dialog').getByRole('button', { name: 'Import a dump' }).click();
    await page.getByText('scores.sql is imported.').waitFor();
    const download = page.waitForEvent('download');
    await choose(/Actions for s.*_players/, 'Export a dump');
    const file = await download;
    expect(file.suggestedFilename()).to.match(/_players\.sql$/);
    expect(await readFile(await file.path(), 'utf8')).to.include('größe');
  });

  it('shows what the database says about a wrong dump', async () => {
    const { page } = web;
    await choose(/Actions for s.*_players/, 'Import a dump');
    const buffer = Buffer.from('THIS IS NOT SQL;');
    await page.locator('input[type=file]').setInputFiles({ name: 'wrong.sql', mimeType: 'application/sql', buffer });
    await page.getByRole('dialog').getByRole('button', { name: 'Import a dump' }).click();
    await page.getByRole('dialog').getByText('The database refused the dump.', { exact: true }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel', exact: true }).click();
  });

  it('removes a database after its name was typed', async () => {
    const { page } = web;
    const { data } = await test.admin.get('/servers/{id}/databases', { params: { id } });
    if (data.length === 0) {
      await test.admin.post('/servers/{id}/databases', { params: { id }, body: { name: 'players' } });
      await page.reload();
    }
    await choose(/Actions for s.*_players/, 'Remove');
    const dialog = page.getByRole('dialog');
    const name = /“(.+)”/.exec((await dialog.locator('label').textContent()) ?? '')?.[1] ?? '';
    await dialog.getByRole('textbox').fill(name);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('There are no databases yet.').waitFor();
  });

  it('removes a host that has no databases', async () => {
    const { page } = web;
    const { host, port, username, password: secret } = mariadb;
    await removeDatabases();
    await removeHosts();
    const body = { name: 'db-1', engine: 'mysql' as const, host, port, username, password: secret, max_databases: 7 };
    await test.admin.post('/admin/database-hosts', { body });
    await page.goto(`${test.stack.baseUrl}/staff/database-hosts`);
    await choose(/Actions for db/, 'Remove');
    await page.getByRole('dialog').getByRole('textbox').fill('db-1');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('There are no database hosts yet.').waitFor();
  });

  it('violates no policy and asks no other host', () => {
    expect(web.complaints.filter((text) => !/(409|422) \(/.test(text))).to.deep.equal([]);
  });
});
