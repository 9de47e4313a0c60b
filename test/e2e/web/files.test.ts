import { expect } from 'chai';
import { createGame } from '../support/game.js';
import { bootStack, type TestStack } from '../support/stack.js';
import { keepScreenshot, openWeb, type WebPage } from '../support/web.js';

describe('files in the web console', function () {
  this.timeout(120_000);
  let test: TestStack;
  let web: WebPage;
  let serverId: string;

  before(async function () {
    test = await bootStack();
    ({ id: serverId } = await createGame(test));
    web = await openWeb(this, test);
    await web.signIn();
    await web.page.goto(`${test.stack.baseUrl}/servers/${serverId}/files`);
  });
  afterEach(async function () {
    await keepScreenshot(this, web);
  });
  after(async () => {
    await web?.close();
    await test?.stop();
  });

  const contents = async (path: string): Promise<string> =>
    (await test.admin.get('/servers/{id}/files/contents', { params: { id: serverId }, query: { path } })).data.content;

  it('uploads files with hostile names and shows the names as text', async () => {
    const { page } = web;
    const name = '<img src=x onerror=alert(1)>.txt';
    const upload = page.locator('input[type=file][multiple]');
    await upload.setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('uploaded') });
    await page.getByRole('button', { name, exact: true }).waitFor();
    expect(await contents(`/${name}`)).to.equal('uploaded');
  });

  it('edits a file and saves it', async () => {
    const { page } = web;
    await page.getByRole('button', { name: 'New file' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('notes.yml');
    await page.getByRole('dialog').getByRole('button', { name: 'New file' }).click();
    await page.getByRole('button', { name: 'notes.yml', exact: true }).click();
    await page.locator('.editor .cm-content').click();
    await page.keyboard.type('motd: first');
    await page.keyboard.press('Control+s');
    await page.getByText('notes.yml is saved').waitFor();
    expect(await contents('/notes.yml')).to.equal('motd: first');
  });

  it('compares instead of overwriting what somebody else has saved meanwhile', async () => {
    const { page } = web;
    const body = { path: '/notes.yml', content: 'motd: theirs' };
    await test.admin.put('/servers/{id}/files/write', { params: { id: serverId }, body });
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
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'notes.yml', exact: true }).waitFor();
    expect(await contents('/notes.yml')).to.equal('motd: first and mine');
  });

  it('violates no policy and asks no other host', () => {
    expect(web.complaints.filter((text) => !/409 \(Conflict\)/.test(text))).to.deep.equal([]);
  });
});
