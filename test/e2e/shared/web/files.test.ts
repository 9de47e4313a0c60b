import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { waitUntil } from '@panel/kit/testing';
import { createGame } from '../../support/game.js';
import { sharedStack } from '../../support/shared-stack.js';
import { type SharedStack } from '../../support/stack.js';
import { keepScreenshot, openWeb, type WebPage } from '../../support/web.js';

describe('files in the web console', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let web: WebPage;
  /** Files to upload. */
  let temporary: string;
  let serverId: string;
  let nodeId: string;
  let directory: string;
  /** The node's address for uploads of pages. */
  let nodeUrl: string;

  before(async function () {
    temporary = await mkdtemp(path.join(tmpdir(), 'panel-uploads-'));
    const shared = await sharedStack();
    ({ nodeUrl } = shared);
    test = shared;
    ({ id: serverId } = await createGame(test));
    const { data: nodes } = await test.admin.get('/admin/nodes');
    nodeId = nodes[0]?.id ?? expect.fail('no node');
    directory = path.join(nodes[0]?.data_root ?? '', 'servers', serverId);
    web = await openWeb(this, test);
    await web.signIn();
    await web.page.goto(`${test.stack.baseUrl}/servers/${serverId}/files`);
  });
  afterEach(async function () {
    await keepScreenshot(this, web);
  });
  after(async () => {
    await web?.close();
    await rm(temporary, { recursive: true, force: true });
  });

  const contents = async (path: string): Promise<string> =>
    (await test.admin.get('/servers/{id}/files/contents', { params: { id: serverId }, query: { path } })).data.content;

  it('uploads files with malicious names and shows the names as text', async () => {
    const { page } = web;
    const name = '<img src=x onerror=alert(1)>.txt';
    const upload = page.locator('input[type=file][multiple]');
    await upload.setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('uploaded') });
    await page.getByRole('button', { name, exact: true }).waitFor();
    expect(await contents(`/${name}`)).to.equal('uploaded');
  });

  const write = async (path: string, content: string): Promise<unknown> =>
    test.admin.put('/servers/{id}/files/write', { params: { id: serverId }, body: { path, content } });
  const openDirectory = async (path: string): Promise<unknown> =>
    web.page.goto(`${test.stack.baseUrl}/servers/${serverId}/files?dir=${path}`);
  const fresh = (name: string) => `${randomUUID().slice(0, 8)}-${name}`;

  it('shows a file whose upload ends while its directory is being read', async () => {
    const { page } = web;
    const name = fresh('early.txt');
    const list = '**/files/list?*';
    const uploaded = page.waitForResponse((response) => response.url().includes('/files/write'));
    let begin = (): void => undefined;
    const isRead = new Promise<void>((resolve) => (begin = resolve));
    await page.route(list, async (route) => {
      const response = await route.fetch();
      begin();
      await uploaded;
      // The page may have given the request up.
      await route.fulfill({ response }).catch(() => undefined);
    });
    await openDirectory('/');
    await isRead;
    const upload = page.locator('input[type=file][multiple]');
    await upload.setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('early') });
    await page.getByRole('button', { name, exact: true }).waitFor();
    await page.unroute(list);
  });

  it('edits a file and saves it', async () => {
    const { page } = web;
    const name = fresh('notes.yml');
    await openDirectory('/');
    await page.getByRole('button', { name: 'New file' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(name);
    await page.getByRole('dialog').getByRole('button', { name: 'New file' }).click();
    await page.getByRole('button', { name, exact: true }).click();
    await page.locator('.editor .cm-content').click();
    await page.keyboard.type('motd: first');
    await page.keyboard.press('Control+s');
    await page.getByText(`${name} is saved`).waitFor();
    expect(await contents(`/${name}`)).to.equal('motd: first');
  });

  it('keeps the line endings of a file, and takes percent signs of a path as they are', async () => {
    const { page } = web;
    const directory = `/${fresh('d%2541')}`;
    await write(`${directory}/f%62.txt`, 'a\r\nb\nc\r\n');
    await write(`${directory}/fb.txt`, 'another file');
    await openDirectory('/');
    await page.getByRole('button', { name: directory.slice(1), exact: true }).click();
    await page.getByRole('button', { name: 'f%62.txt', exact: true }).click();
    await page.locator('.editor .cm-content', { hasText: 'abc' }).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('d\ne');
    await page.keyboard.press('Control+s');
    await page.getByText('f%62.txt is saved').waitFor();
    expect(await contents(`${directory}/f%62.txt`)).to.equal('a\r\nb\nc\r\nd\r\ne');
    expect(await contents(`${directory}/fb.txt`)).to.equal('another file');
  });

  it('compares instead of overwriting what somebody else has saved meanwhile in another editor', async () => {
    const { page, context } = web;
    await write('/notes.yml', 'motd: first');
    await openDirectory('/');
    await page.getByRole('button', { name: 'notes.yml', exact: true }).click();
    await page.locator('.editor .cm-content', { hasText: 'motd: first' }).waitFor();
    const other = await context.newPage();
    await other.goto(page.url());
    await other.locator('.editor .cm-content').click();
    await other.keyboard.press('Control+a');
    await other.keyboard.type('motd: theirs');
    await other.keyboard.press('Control+s');
    await other.getByText('notes.yml is saved').waitFor();
    await other.close();
    await page.locator('.editor .cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' and mine');
    await page.keyboard.press('Control+s');
    await page.getByText('Somebody else has changed this file').waitFor();
    expect(await contents('/notes.yml')).to.equal('motd: theirs');
    await page.getByRole('button', { name: 'Overwrite with mine' }).click();
    await page.getByText('Somebody else has changed this file').waitFor({ state: 'detached' });
    expect(await contents('/notes.yml')).to.equal('motd: first and mine');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  });

  it('takes a deletion back', async () => {
    const { page } = web;
    await page.getByRole('button', { name: 'Actions for notes.yml' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'notes.yml', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByRole('button', { name: 'notes.yml', exact: true }).waitFor();
    expect(await contents('/notes.yml')).to.equal('motd: first and mine');
  });

  it('deletes what was chosen, whatever directory is open when the time for undoing is over', async () => {
    const { page } = web;
    for (const name of ['/chosen/same.txt', '/chosen/deeper/same.txt']) await write(name, name);
    await openDirectory('/chosen');
    await page.evaluate(`{
      const original = setTimeout;
      window.setTimeout = (act, ms) => original(act, ms === 8_000 ? 2_000 : ms);
    }`);
    const file = page.getByRole('button', { name: 'same.txt', exact: true });
    await page.getByRole('checkbox', { name: 'Select same.txt' }).check();
    const deletion = page.waitForResponse((response) => response.url().endsWith('/files/delete'));
    await page.getByRole('group', { name: 'Selected files' }).getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'deeper', exact: true }).click();
    await file.waitFor();
    // Pending deletions stay hidden.
    await page.goBack();
    await page.getByRole('button', { name: 'deeper', exact: true }).waitFor();
    expect(await file.count()).to.equal(0);
    await page.goForward();
    await file.waitFor();
    expect((await deletion).ok()).to.equal(true);
    expect(await contents('/chosen/deeper/same.txt')).to.equal('/chosen/deeper/same.txt');
    const gone = await contents('/chosen/same.txt').catch(({ status }: { status: number }) => status);
    expect(gone).to.equal(404);
  });

  it('forgets what was selected when another directory is opened by a step back', async () => {
    const { page } = web;
    await write('/chosen/deeper/same.txt', 'same');
    await openDirectory('/chosen');
    await page.getByRole('button', { name: 'deeper', exact: true }).click();
    await page.getByRole('checkbox', { name: 'Select same.txt' }).check();
    await page.getByRole('group', { name: 'Selected files' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'deeper', exact: true }).waitFor();
    expect(await page.getByRole('group', { name: 'Selected files' }).count()).to.equal(0);
  });

  it('keeps a text that is not saved, and compares it with what somebody else has saved meanwhile', async () => {
    const { page } = web;
    await write('/chosen/draft.yml', 'motd: old');
    await openDirectory('/chosen');
    const file = page.getByRole('button', { name: 'draft.yml', exact: true });
    await file.click();
    await page.locator('.editor .cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' and mine');
    await page.getByRole('button', { name: 'Close', exact: true }).first().click();
    await page.locator('.editor').waitFor({ state: 'detached' });
    await file.click();
    await page.locator('.editor .cm-content', { hasText: 'motd: old and mine' }).waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).first().click();
    await write('/chosen/draft.yml', 'motd: theirs');
    await file.click();
    await page.getByText('Somebody else has changed this file').waitFor();
    await page.getByRole('button', { name: 'Take theirs' }).click();
    await page.locator('.editor .cm-content', { hasText: 'motd: theirs' }).waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).first().click();
    await file.click();
    // Discarded text does not return.
    await page.locator('.editor .cm-content', { hasText: 'motd: theirs' }).waitFor();
    expect(await page.getByText('Not saved').count()).to.equal(0);
    await page.keyboard.press('Escape');
    await openDirectory('/');
  });

  it('uploads a folder with a few requests, however many files it holds', async () => {
    const { page } = web;
    const root = temporary;
    const world = fresh('world');
    await openDirectory('/');
    const deep = path.join(
      'maps',
      'a directory with a long name '.repeat(3).trim(),
      'as deep as this one is, and deeper',
    );
    await mkdir(path.join(root, world, deep), { recursive: true });
    for (let index = 0; index < 40; index++) await writeFile(path.join(root, world, `${index}.txt`), `file ${index}`);
    await writeFile(path.join(root, world, deep, 'höhle.txt'), 'deep');
    const changes: string[] = [];
    // The sign-in may be renewed meanwhile.
    const watch = (request: { method(): string; url(): string }): void => {
      if (request.method() !== 'GET' && request.url().includes('/files/'))
        changes.push(`${request.method()} ${new URL(request.url()).pathname}`);
    };
    page.on('request', watch);
    await page.locator('input[type=file]:not([multiple])').setInputFiles(path.join(root, world));
    await page.getByRole('button', { name: world, exact: true }).waitFor();
    await page
      .locator('.queue li', { hasText: `${world} (41 files)` })
      .getByText('done')
      .waitFor();
    page.off('request', watch);
    const files = `/api/v1/servers/${serverId}/files`;
    expect(changes).to.deep.equal([`PUT ${files}/write`, `POST ${files}/decompress`, `POST ${files}/delete`]);
    expect(await contents(`/${world}/39.txt`)).to.equal('file 39');
    expect(await contents(`/${world}/${deep}/höhle.txt`)).to.equal('deep');
    expect(await page.getByRole('button', { name: /\.upload-/ }).count()).to.equal(0);
  });

  it('goes on with an upload while another page of the server is open', async () => {
    const { page } = web;
    const name = fresh('slow.txt');
    await openDirectory('/');
    let goOn = (): void => undefined;
    const isHeld = new Promise<void>((resolve) => (goOn = resolve));
    let tries = 0;
    await page.route('**/files/write?*', async (route) => {
      await isHeld;
      // A rate limit is waited out.
      const body = JSON.stringify({ error: { code: 'rate_limit_exceeded', message: 'too many requests' } });
      if (tries++ === 0) await route.fulfill({ status: 429, headers: { 'retry-after': '1' }, body });
      else await route.continue();
    });
    const upload = page.locator('input[type=file][multiple]');
    await upload.setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('slow') });
    await page.locator('.queue li', { hasText: name }).getByText('sending').waitFor();
    const tabs = page.getByRole('navigation', { name: 'Pages of the server' });
    await tabs.getByRole('link', { name: 'Network' }).click();
    await page.waitForURL('**/network');
    goOn();
    await page.getByText(`${name} is uploaded`).waitFor();
    await page.unroute('**/files/write?*');
    expect(tries).to.equal(2);
    expect(await contents(`/${name}`)).to.equal('slow');
    await tabs.getByRole('link', { name: 'Files', exact: true }).click();
    await page.getByRole('button', { name, exact: true }).waitFor();
    await page.locator('.queue li', { hasText: name }).getByText('done').waitFor();
  });

  const largeBytes = 9_000_000;
  const uploadLarge = async (name: string): Promise<void> => {
    const file = path.join(temporary, name);
    await writeFile(file, '');
    await truncate(file, largeBytes);
    await web.page.locator('input[type=file][multiple]').setInputFiles(file);
  };
  const untilUploaded = async (name: string): Promise<void> =>
    web.page.locator('.queue li', { hasText: name }).getByText('done').waitFor({ timeout: 120_000 });
  const sizeOf = async (name: string): Promise<number | undefined> => {
    const query = { search: name };
    const { data } = await test.admin.get('/servers/{id}/files/list', { params: { id: serverId }, query });
    return data[0]?.size;
  };

  it('sends a large file in pieces that go on where the connection was lost', async () => {
    const { page } = web;
    const name = fresh('large.bin');
    let lost = 0;
    await page.route('**/files/uploads/*', async (route) => {
      if (route.request().method() === 'PATCH' && lost++ === 0) await route.abort('connectionreset');
      else await route.continue();
    });
    await uploadLarge(name);
    await untilUploaded(name);
    await page.unroute('**/files/uploads/*');
    expect(lost).to.equal(2);
    expect(await sizeOf(name)).to.equal(largeBytes);
  });

  it('goes on with an upload after the page was closed, when the same file is chosen', async () => {
    const { page } = web;
    const [name, wrong] = [fresh('later.bin'), path.join(temporary, fresh('wrong.bin'))];
    await writeFile(wrong, '');
    await truncate(wrong, largeBytes);
    // By size and time a page knows a file again.
    await utimes(wrong, 1, 1);
    const begun = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.route('**/files/uploads/*', async (route) => {
      // Its first piece never arrives.
      if (route.request().method() !== 'PATCH') await route.continue();
    });
    await uploadLarge(name);
    await begun;
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.unroute('**/files/uploads/*');
    const unfinished = page.getByRole('list', { name: 'Unfinished uploads' });
    await unfinished.getByText(`/${name}`).waitFor();
    const choose = page.locator('input[type=file][aria-label="Go on"]');
    await unfinished.getByRole('button', { name: 'Go on' }).click();
    await choose.setInputFiles(wrong);
    await page.getByText(`This is not the ${name} that the upload began with.`).waitFor();
    const goesOn = page.waitForRequest((request) => request.method() === 'HEAD');
    await choose.setInputFiles(path.join(temporary, name));
    await goesOn;
    await untilUploaded(name);
    expect(await unfinished.count()).to.equal(0);
    expect(await sizeOf(name)).to.equal(largeBytes);
  });

  it('moves entries that are dragged into a directory, and back', async () => {
    const { page } = web;
    const drag = fresh('drag');
    await write(`/${drag}/one.txt`, 'one');
    await write(`/${drag}/two.txt`, 'two');
    await write(`/${drag}/into/other.txt`, 'other');
    await openDirectory(`/${drag}`);
    const row = (name: string) => page.locator('.file-row', { has: page.getByRole('button', { name, exact: true }) });
    for (const name of ['one.txt', 'two.txt']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    await row('one.txt').dragTo(row('into'));
    await page.getByText(`2 entries moved to /${drag}/into`).waitFor();
    expect(await contents(`/${drag}/into/two.txt`)).to.equal('two');
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await row('two.txt').waitFor();
    expect(await contents(`/${drag}/one.txt`)).to.equal('one');
    await page.getByRole('button', { name: 'into', exact: true }).click();
    await row('other.txt').dragTo(page.getByRole('navigation', { name: 'Path' }).getByText(drag));
    await page.getByText(`1 entry moved to /${drag}`).waitFor();
    expect(await contents(`/${drag}/other.txt`)).to.equal('other');
  });

  it('walks, selects, renames and removes with the keyboard', async () => {
    const { page } = web;
    const walk = fresh('walk');
    for (const name of ['into/nothing.txt', 'one.txt', 'other.txt', 'two.txt']) await write(`/${walk}/${name}`, name);
    await openDirectory(`/${walk}`);
    await page.getByRole('button', { name: 'other.txt', exact: true }).waitFor();
    await page.locator('.file-list').focus();
    for (const key of ['ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    const focused = async () => page.evaluate<string>('document.activeElement.textContent');
    expect(await focused()).to.equal('one.txt');
    await page.keyboard.press('End');
    expect(await focused()).to.equal('two.txt');
    await page.keyboard.press('Shift+ArrowUp');
    await page.getByText('2 selected').waitFor();
    // Into the directory and back, by keyboard.
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/files?dir=%2F${walk}%2Finto`);
    await page.locator('.file-list:focus').waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'other.txt', exact: true }).waitFor();
    await page.locator('.file-list:focus').waitFor();
    for (const key of ['ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    await page.keyboard.press('F2');
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('uno.txt');
    await page.keyboard.press('Enter');
    const renamed = page.getByRole('button', { name: 'uno.txt', exact: true });
    await renamed.focus();
    await page.keyboard.press('Delete');
    await renamed.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await renamed.waitFor();
    await openDirectory('/');
  });

  /** Runs `act` with a file name while the node takes uploads itself. */
  const directly = async (act: (name: string) => Promise<void>): Promise<void> => {
    await test.admin.put('/admin/nodes/{id}', { params: { id: nodeId }, body: { public_url: nodeUrl } });
    try {
      const policy = async () => (await fetch(test.stack.baseUrl, { headers: { accept: 'text/html' } })).headers;
      await waitUntil('the policy to name the node', async () =>
        (await policy()).get('content-security-policy')?.includes(`connect-src 'self' ${nodeUrl};`),
      );
      await openDirectory('/');
      await act(fresh('direct.bin'));
    } finally {
      await test.admin.put('/admin/nodes/{id}', { params: { id: nodeId }, body: { public_url: null } });
    }
  };

  it('sends it straight to a node with a public address, without the token', async () => {
    const { page } = web;
    await directly(async (name) => {
      const piece = page.waitForRequest((request) => request.method() === 'PATCH');
      await uploadLarge(name);
      const { origin } = new URL((await piece).url());
      expect(origin).to.equal(nodeUrl);
      expect((await (await piece).allHeaders())['authorization']).to.equal(undefined);
      await untilUploaded(name);
      expect(await sizeOf(name)).to.equal(largeBytes);
    });
  });

  it('sends it by way of the panel where the node cannot be reached', async () => {
    const { page } = web;
    await directly(async (name) => {
      await page.route(`${nodeUrl}/**`, async (route) => route.abort('connectionrefused'));
      await uploadLarge(name);
      await untilUploaded(name);
      await page.unroute(`${nodeUrl}/**`);
      expect(await sizeOf(name)).to.equal(largeBytes);
    });
  });

  it('downloads by a link, not by way of the memory of the page', async () => {
    const { page } = web;
    await write('/linked/linked.txt', 'linked');
    await openDirectory('/linked');
    await page.getByRole('button', { name: 'Actions for linked.txt' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Download' }).click();
    const started = await download;
    expect(started.suggestedFilename()).to.equal('linked.txt');
    expect(new URL(started.url()).pathname).to.match(/^\/api\/v1\/downloads\//);
    expect(await started.failure()).to.equal(null);
  });

  it('shows a directory of 50,000 files with a handful of rows', async () => {
    const { page } = web;
    await mkdir(path.join(directory, 'many'), { recursive: true });
    execFileSync('sh', ['-c', "seq -f 'entry-%05g.txt' 50000 | xargs touch"], { cwd: path.join(directory, 'many') });
    await page.goto(`${test.stack.baseUrl}/servers/${serverId}/files?dir=/many`);
    const list = page.getByRole('group', { name: '50,000 entries' });
    await list.getByRole('button', { name: 'entry-00001.txt', exact: true }).waitFor();
    await list.press('End');
    await list.getByRole('button', { name: 'entry-50000.txt', exact: true }).waitFor();
    expect(await page.locator('.file-row').count()).to.be.lessThan(100);
    await page.getByRole('searchbox', { name: 'Search in this folder' }).fill('43210');
    await page.getByRole('button', { name: 'entry-43210.txt', exact: true }).waitFor();
    expect(await page.locator('.file-row').count()).to.equal(1);
  });

  it('violates no policy and asks no other host', () => {
    const expected = /409 \(Conflict\)|429 \(|ERR_CONNECTION_RE(SET|FUSED)/;
    const strange = web.complaints.filter(
      (text) => !expected.test(text) && !text.startsWith(`foreign request: ${nodeUrl}/`),
    );
    expect(strange).to.deep.equal([]);
  });
});
