import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { createGame } from '../../support/game.js';
import { sharedStack } from '../../support/shared-stack.js';
import { type SharedStack } from '../../support/stack.js';
import { keepScreenshot, openWeb, type WebPage } from '../../support/web.js';

describe('large texts in the editor of the web console', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let web: WebPage;
  let serverId: string;

  before(async function () {
    test = await sharedStack();
    ({ id: serverId } = await createGame(test));
    web = await openWeb(this, test);
    await web.signIn();
  });
  afterEach(async function () {
    await keepScreenshot(this, web);
  });
  after(async () => web?.close());

  const fileAt = (path: string) => ({ params: { id: serverId }, query: { path } });
  const write = async (path: string, bytes: string): Promise<unknown> =>
    test.admin.put('/servers/{id}/files/write', { ...fileAt(path), bytes });
  const contents = async (path: string): Promise<string> => {
    const headers = { accept: 'application/octet-stream' };
    const { body } = await test.admin.download('/servers/{id}/files/contents', { ...fileAt(path), headers });
    return new Response(body).text();
  };
  const unsaved = () => web.page.getByText('Not saved', { exact: true });

  async function open(path: string, text: string): Promise<void> {
    const { page } = web;
    await page.goto(`${test.stack.baseUrl}/servers/${serverId}/files`);
    await page.getByRole('button', { name: path.slice(1), exact: true }).click();
    await page.locator('.editor .cm-content', { hasText: text }).click();
    await page.keyboard.press('Control+Home');
  }

  async function save(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await web.page.keyboard.press(key);
    await unsaved().waitFor();
    await web.page.keyboard.press('Control+s');
  }

  it('saves in pieces behind a proxy that refuses the whole, and overwrites nothing of somebody else', async () => {
    const { page } = web;
    const [path, text] = ['/large.yml', 'a: 1\n'.repeat(40_000)];
    await page.route('**/files/write?*', async (route) => route.fulfill({ status: 413, body: '<h1>413</h1>' }));
    await write(path, text);
    await open(path, 'a: 1');
    for (const [key, saved] of [
      ['b', `b${text}`],
      ['c', `bc${text}`],
    ] as const) {
      await save(key);
      await unsaved().waitFor({ state: 'detached' });
      expect(await contents(path)).to.equal(saved);
    }
    await write(path, 'theirs');
    await save('d');
    const conflict = page.getByText('Somebody else has changed this file');
    await conflict.waitFor();
    expect(await contents(path)).to.equal('theirs');
    await page.getByRole('button', { name: 'Overwrite with mine' }).click();
    await conflict.waitFor({ state: 'detached' });
    expect(await contents(path)).to.equal(`bcd${text}`);
    const { data: uploads } = await test.admin.get('/servers/{id}/files/uploads', { params: { id: serverId } });
    expect(uploads).to.deep.equal([]);
    await page.unroute('**/files/write?*');
  });

  it('saves 4 MiB of quotes as they are, and a text that has grown beyond', async () => {
    // As JSON twice as much.
    const [path, text] = ['/largest.yml', `${'"'.repeat(31)}\n`.repeat(128 * 1024)];
    await write(path, text);
    await open(path, '"');
    for (const [keys, saved] of [
      [['Delete', 'b'], `b${text.slice(1)}`],
      [['c'], `bc${text.slice(1)}`],
    ] as const) {
      await save(...keys);
      await unsaved().waitFor({ state: 'detached' });
      expect((await contents(path)) === saved, 'the file is what was written').to.equal(true);
    }
  });

  const tooLarge = () => web.page.getByText('Their version is too large for the editor');
  const button = (name: string) => web.page.getByRole('button', { name, exact: true });

  it('says that the version of somebody else is too large for the editor, downloads it and overwrites it', async () => {
    const { page } = web;
    const [path, theirs] = ['/grown.yml', 'b: 2\n'.repeat(1024 * 1024)];
    await write(path, 'a: 1\n');
    await open(path, 'a: 1');
    await write(path, theirs);
    await save('c');
    await tooLarge().waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), button('Download theirs').click()]);
    expect((await readFile(await download.path(), 'utf8')) === theirs, 'the download is theirs').to.equal(true);
    // Again another version than the one that was refused.
    await write(path, `${theirs}#`);
    const refused = page.waitForResponse((response) => response.url().includes('/files/write'));
    await button('Overwrite with mine').click();
    expect((await refused).status()).to.equal(409);
    expect((await contents(path)) === `${theirs}#`, 'a version that the conflict did not show is kept').to.equal(true);
    await button('Overwrite with mine').click();
    await tooLarge().waitFor({ state: 'detached' });
    expect(await contents(path)).to.equal('ca: 1\n');
  });

  it('keeps the draft of a text that somebody else has made too large, until it is discarded', async () => {
    const { page } = web;
    const [path, theirs] = ['/drafted.yml', 'b: 2\n'.repeat(1024 * 1024)];
    await write(path, 'a: 1\n');
    await open(path, 'a: 1');
    await page.keyboard.press('c');
    await unsaved().waitFor();
    await write(path, theirs);
    await page.reload();
    await tooLarge().waitFor();
    await button('Discard changes').click();
    await tooLarge().waitFor({ state: 'detached' });
    expect((await contents(path)) === theirs, 'theirs is kept').to.equal(true);
    await page.goto(`${test.stack.baseUrl}/servers/${serverId}/files?edit=${path}`);
    await page.getByText('This file is too large for the editor').waitFor();
  });

  it('shows no bytes where the version of somebody else is no text', async () => {
    const path = '/no-text.yml';
    await write(path, 'a: 1\n');
    await open(path, 'a: 1');
    const bytes = new Uint8Array([0xff, 0xfe, 0x00, 0x80]);
    await test.admin.put('/servers/{id}/files/write', { ...fileAt(path), bytes });
    await save('c');
    const conflict = web.page.getByText('Their version is no text');
    await conflict.waitFor();
    await button('Overwrite with mine').click();
    await conflict.waitFor({ state: 'detached' });
    expect(await contents(path)).to.equal('ca: 1\n');
  });
});
