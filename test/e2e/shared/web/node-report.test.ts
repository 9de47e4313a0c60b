import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ApiError, type Node, type NodeReport } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { VolumeServiceService } from '@panel/protos/files';
import { connect, createActorSigner, serviceActor } from '@panel/rpc';
import { readEgg } from '@panel/stack';
import { expect } from 'chai';
import { axeFindings, readAxe } from '../../support/axe.js';
import { createGame, importEgg } from '../../support/game.js';
import { sharedStack } from '../../support/shared-stack.js';
import { type SharedStack } from '../../support/stack.js';
import { keepScreenshot, openWeb, signInAs, type WebPage } from '../../support/web.js';

const agreed = 'Nothing found: files, instances and servers agree.';
const older = 'The database is older than the files of this node';
const world = 'built by players';
const request = '**/api/v1/admin/nodes/*/report';

describe('report of a node in the web console', function () {
  this.timeout(240_000);
  let test: SharedStack;
  let web: WebPage;
  let axe: string;
  let node: Node;

  before(async function () {
    test = await sharedStack();
    axe = await readAxe();
    const { data } = await test.admin.get('/admin/nodes');
    const [only] = data;
    if (!only) throw new Error('no node');
    node = only;
    web = await openWeb(this, test);
    await web.signIn();
  });
  beforeEach(async () => agree());
  afterEach(async function () {
    await keepScreenshot(this, web);
    await web?.page.unrouteAll();
  });
  after(async () => {
    await web?.close();
    await agree();
  });

  const ofNode = () => ({ params: { id: node.id } });
  const view = async (): Promise<Node> => (await test.admin.get('/admin/nodes/{id}', ofNode())).data;
  const report = async (): Promise<NodeReport> => (await test.admin.get('/admin/nodes/{id}/report', ofNode())).data;
  const volumeOf = (id: string) => path.join(node.data_root, 'servers', id);
  const openReport = async () => web.page.goto(`${test.stack.baseUrl}/staff/nodes/${node.id}/report`);
  const row = (text: string) => web.page.getByRole('row', { name: new RegExp(text) });

  /** Nothing differs: also after a test that failed. */
  async function agree(): Promise<void> {
    const { database_is_older, orphan_volumes } = await report();
    if (database_is_older) await test.admin.post('/admin/nodes/{id}/report/accept', ofNode());
    await waitUntil('the node to be online', async () => (await view()).status === 'online', 60_000);
    for (const { server_id } of orphan_volumes)
      await test.admin.delete('/admin/nodes/{id}/volumes/{server-id}', { params: { id: node.id, server_id } });
  }

  /** Files of no server; their id. */
  async function addStray(): Promise<string> {
    const id = randomUUID();
    await mkdir(volumeOf(id));
    await writeFile(path.join(volumeOf(id), 'world.txt'), world);
    return id;
  }

  it('shows that files, instances and servers agree', async () => {
    const { page } = web;
    await page.goto(`${test.stack.baseUrl}/staff/nodes/${node.id}`);
    await page.getByRole('navigation', { name: 'Pages of the node' }).getByRole('link', { name: 'Report' }).click();
    await page.getByText(agreed).waitFor();
    await page.getByText(/^Compared at /).waitFor();
  });

  it('finds files of no server when it compares again, and removes them after the beginning of their id was typed', async () => {
    const { page } = web;
    await openReport();
    await page.getByText(agreed).waitFor();
    const id = await addStray();
    await page.getByRole('button', { name: 'Compare again' }).click();
    await row(id).getByRole('button', { name: 'Remove the files' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(volumeOf(id)).waitFor();
    await dialog.locator('input:focus').waitFor();
    const remove = dialog.getByRole('button', { name: 'Remove the files' });
    expect(await remove.getAttribute('aria-disabled')).to.equal('true');
    await page.keyboard.type(id.slice(0, 8));
    await page.evaluate(axe);
    expect(await axeFindings(page, 'dialog to remove files')).to.deep.equal([]);
    await remove.click();
    await page.getByText(agreed).waitFor();
    expect(existsSync(volumeOf(id))).to.equal(false);
  });

  it('adopts files of no server as they are', async () => {
    const { page } = web;
    const id = await addStray();
    const eggId = await importEgg(test.admin, readEgg('lantern-caverns'));
    await openReport();
    await row(id).getByRole('button', { name: 'Adopt' }).click();
    const dialog = page.getByRole('dialog', { name: 'Adopt the files' });
    await dialog.getByText(`The files ${id} on ${node.name} stay as they are`).waitFor();
    expect(await dialog.locator('.dialog-head :focus').count()).to.equal(0);
    await dialog.locator('[name=name]').fill('Found again');
    await dialog.locator('[name=egg_id]').selectOption(eggId);
    await dialog.getByRole('button', { name: 'Adopt the files' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText(agreed).waitFor();
    const { data: server } = await test.admin.get('/admin/servers/{id}', { params: { id } });
    const { node_id, user_id, egg_id, status } = server;
    expect({ node_id, user_id, egg_id, status }).to.deep.equal({
      node_id: node.id,
      user_id: test.adminId,
      egg_id: eggId,
      status: 'offline',
    });
    expect(await readFile(path.join(volumeOf(id), 'world.txt'), 'utf8')).to.equal(world);
  });

  it('forgets a server whose files are gone after its name was typed', async () => {
    const { page } = web;
    const { id } = await createGame(test, { name: 'Lost world' });
    await rm(volumeOf(id), { recursive: true });
    await openReport();
    await row('Lost world').getByRole('button', { name: 'Forget' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`${node.name} has no files of it`).waitFor();
    await dialog.getByRole('textbox').fill('Lost world');
    const forgetting = page.waitForRequest((sent) => sent.method() === 'DELETE');
    await dialog.getByRole('button', { name: 'Forget' }).click();
    expect(new URL((await forgetting).url()).search).to.equal('?force=true');
    await page.getByText(agreed).waitFor();
    const isThere = async () =>
      test.admin.get('/admin/servers/{id}', { params: { id } }).then(
        () => true,
        (error: unknown) => !(error instanceof ApiError && error.status === 404),
      );
    await waitUntil('the server to be gone', async () => !(await isThere()), 60_000);
  });

  it('moves a server of another node to its files after it has said what happens', async () => {
    const { page } = web;
    const [id, other] = [randomUUID(), randomUUID()];
    const found = {
      orphan_volumes: [{ server_id: id, server: { id, name: 'Travelling', node_id: other }, size_bytes: 5_000_000 }],
    };
    const data = { ...found, missing_volumes: [], orphan_instances: [], database_is_older: false };
    const sent: unknown[] = [];
    await page.route(request, async (route) => route.fulfill({ json: { data } }));
    await page.route(`**/servers/${id}/transfer`, async (route) => {
      sent.push(route.request().postDataJSON());
      data.orphan_volumes = [];
      await route.fulfill({ json: { data: {} } });
    });
    await openReport();
    await row('Travelling')
      .getByText(/^(4\.8|5) M/)
      .waitFor();
    await row('Travelling').getByRole('button', { name: 'Move here' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`Travelling becomes a server of ${node.name}, with the files that are here`).waitFor();
    await dialog.getByRole('button', { name: 'Move here' }).click();
    await page.getByText(agreed).waitFor();
    expect(sent).to.deep.equal([{ node_id: node.id, has_files: true }]);
  });

  it('says that the node is away, and shows its report when it is back', async () => {
    const { page } = web;
    const error = { code: 'service_unavailable', message: 'The engine does not answer.', details: {} };
    await page.route(request, async (route) => route.fulfill({ status: 503, json: { error } }));
    await openReport();
    await page.getByText(`The report is read from ${node.name} itself, which does not answer now.`).waitFor();
    await page.getByRole('alert').getByText('The engine does not answer.').waitFor();
    await page.unroute(request);
    await page.getByText(agreed).waitFor({ timeout: 60_000 });
  });

  it('only shows the report to staff who may not act', async () => {
    const id = await addStray();
    const { data: roles } = await test.admin.get('/admin/roles');
    const role_id = roles.find(({ name }) => name === 'moderator')?.id;
    const username = `moderator-${randomUUID().slice(0, 8)}`;
    const user = { username, email: `${username}@panel.test`, password: 'a long enough password', role_id };
    await test.admin.post('/admin/users', { body: user });
    const page = await web.openForeign();
    await page.goto(`${test.stack.baseUrl}/staff/nodes/${node.id}/report`);
    await signInAs(page, user.email, user.password);
    const found = page.getByRole('row', { name: new RegExp(id) });
    const reasonOf = async (name: string) => found.getByRole('button', { name }).getAttribute('title');
    await found.waitFor();
    expect(await reasonOf('Adopt')).to.equal('Your role lacks servers.create.');
    expect(await reasonOf('Remove the files')).to.equal('Your role lacks servers.delete.');
    await page.close();
  });

  /** Changes to the files that the database does not know: as after a restored dump. */
  async function makeDatabaseOlder(): Promise<void> {
    const connection = connect({
      address: test.stack.grpc.files,
      signer: createActorSigner(test.stack.serviceSecret),
      actor: serviceActor('servers'),
    });
    try {
      const volumes = connection.client(VolumeServiceService);
      const { dataRootId, epoch } = await volumes.getDataRoot({});
      await volumes.advanceEpoch({ dataRootId, epoch: epoch + 10 });
    } finally {
      connection.close();
    }
    await waitUntil('the node to be held back', async () => (await view()).problem === 'data_root_newer', 60_000);
  }

  it('says why nothing starts on a node with newer files, and accepts them after it has said what is undecided', async () => {
    const { page } = web;
    const id = await addStray();
    await makeDatabaseOlder();
    await page.goto(`${test.stack.baseUrl}/staff/nodes/${node.id}`);
    await page.getByText(older).waitFor();
    await page.getByRole('link', { name: 'Open the report' }).click();
    await page.waitForURL(`**/staff/nodes/${node.id}/report`);
    await page.getByText(older).waitFor();
    const remove = row(id).getByRole('button', { name: 'Remove the files' });
    expect(await remove.getAttribute('aria-disabled')).to.equal('true');
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: `Accept the files of ${node.name}` });
    await dialog.getByText('The files of 1 server that the panel does not know stay').waitFor();
    await page.evaluate(axe);
    for (const width of [1440, 320]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await axeFindings(page, `older database at ${width} px`)).to.deep.equal([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).to.be.at.most(0);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await page.getByText(older).waitFor({ state: 'detached' });
    await row(id).waitFor();
    expect((await report()).database_is_older).to.equal(false);
    await page.locator('.page-actions').getByText('online').waitFor({ timeout: 60_000 });
    await remove.click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  });

  it('violates no policy and asks no other host', () => {
    expect(web.complaints.filter((text) => !/(401|409|422|503) \(/.test(text))).to.deep.equal([]);
  });
});
