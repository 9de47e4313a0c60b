import { readEgg } from '@panel/stack';
import { expect } from 'chai';
import { axeFindings, readAxe } from '../../support/axe.js';
import { importEgg } from '../../support/game.js';
import { sharedStack } from '../../support/shared-stack.js';
import { type SharedStack } from '../../support/stack.js';
import { keepScreenshot, openWeb, type WebPage } from '../../support/web.js';

const auth = (pair: string) => ({ auth: Buffer.from(pair).toString('base64') });

describe('image registries in the web console', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let web: WebPage;
  let eggId: string;

  before(async function () {
    test = await sharedStack();
    eggId = await importEgg(test.admin, readEgg('lantern-caverns'));
    web = await openWeb(this, test);
    await web.signIn();
  });
  beforeEach(async () => {
    for (const { id } of await registries()) await test.admin.delete('/admin/registries/{id}', { params: { id } });
    await web.page.goto(`${test.stack.baseUrl}/staff/registries`);
  });
  afterEach(async function () {
    await keepScreenshot(this, web);
  });
  after(async () => {
    await web?.close();
  });

  const registries = async () => (await test.admin.get('/admin/registries')).data;
  const dialog = () => web.page.getByRole('dialog');
  const row = (host: string) => web.page.getByRole('row', { name: new RegExp(host) });
  const config = () => dialog().getByRole('textbox', { name: /config\.json/ });
  const openNew = async () => {
    await web.page.getByText('There are no registries yet.').waitFor();
    await web.page.getByRole('button', { name: 'Add a registry' }).click();
    await dialog().getByRole('textbox', { name: 'Host' }).waitFor();
  };
  const choose = async (host: string, action: string) => {
    await web.page.getByRole('button', { name: `Actions for ${host}` }).click();
    await web.page.getByRole('menuitem', { name: action, exact: true }).click();
  };
  /** Adds one and shows it. */
  const add = async () => {
    const body = { host: 'ghcr.io', username: 'robot', password: 'secret' };
    await test.admin.post('/admin/registries', { body });
    await web.page.reload();
    await row('ghcr.io').waitFor();
  };
  /** Of the next request that changes a registry. */
  const sent = async (method: string) => {
    const isThis = (url: string) => url.includes('/api/v1/admin/registries');
    const request = await web.page.waitForRequest((one) => one.method() === method && isThis(one.url()));
    return request.postDataJSON() as unknown;
  };

  it('adds user and password for one egg', async () => {
    await openNew();
    await dialog().getByRole('textbox', { name: 'Host' }).fill('GHCR.io');
    await dialog().getByRole('combobox', { name: 'Game' }).selectOption(eggId);
    await dialog().getByRole('textbox', { name: 'Username' }).fill('robot');
    await dialog().getByLabel('Password').fill('secret');
    await web.page.evaluate(await readAxe());
    expect(await axeFindings(web.page, 'dialog')).to.deep.equal([]);
    await dialog().getByRole('button', { name: 'Add a registry' }).click();
    await row('ghcr.io').getByText('robot').waitFor();
    await row('ghcr.io').getByText('Lantern Caverns').waitFor();
    const [only] = await registries();
    expect(only).to.include({ host: 'ghcr.io', egg_id: eggId, username: 'robot' });
  });

  it('shows what the panel refuses at the field', async () => {
    await openNew();
    const host = dialog().getByRole('textbox', { name: 'Host' });
    await host.fill('https://ghcr.io');
    await dialog().getByRole('textbox', { name: 'Username' }).fill('robot');
    await dialog().getByLabel('Password').fill('secret');
    await dialog().getByRole('button', { name: 'Add a registry' }).click();
    await dialog().getByText('must have no scheme').waitFor();
    expect(await host.getAttribute('aria-invalid')).to.equal('true');
  });

  it("fills the fields from docker's config.json, which does not stay, and sends the password as it is", async () => {
    await openNew();
    const pasted = { auths: { 'https://index.docker.io/v1/': auth('jürgen:a:b ß') } };
    await config().fill(JSON.stringify(pasted));
    await dialog().getByText('The login of docker.io is filled in.').waitFor();
    expect(await config().inputValue()).to.equal('');
    expect(await dialog().getByRole('textbox', { name: 'Host' }).inputValue()).to.equal('docker.io');
    const body = sent('POST');
    await dialog().getByRole('button', { name: 'Add a registry' }).click();
    await row('docker.io').getByText('jürgen').waitFor();
    expect(await body).to.deep.equal({ host: 'docker.io', egg_id: null, username: 'jürgen', password: 'a:b ß' });
  });

  it('lets one of several logins be chosen, also one by token', async () => {
    await openNew();
    const token = { ...auth('00000000-0000-0000-0000-000000000000:'), identitytoken: 'ey.J' };
    await config().fill(JSON.stringify({ auths: { 'ghcr.io': auth('robot:secret'), 'example.azurecr.io': token } }));
    const choice = dialog().getByRole('combobox', { name: 'It holds several logins' });
    await choice.selectOption({ label: 'example.azurecr.io' });
    await choice.waitFor({ state: 'detached' });
    const body = sent('POST');
    await dialog().getByRole('button', { name: 'Add a registry' }).click();
    await row('example.azurecr.io').getByText('all eggs').waitFor();
    await row('example.azurecr.io').getByText('token', { exact: true }).waitFor();
    expect(await body).to.deep.equal({ host: 'example.azurecr.io', egg_id: null, identity_token: 'ey.J' });
  });

  it('says that a password is not in the file, and that other text is none', async () => {
    await openNew();
    await config().fill(JSON.stringify({ auths: { 'ghcr.io': {} }, credsStore: 'desktop' }));
    await dialog().getByText('The password is not in this file').waitFor();
    await config().fill('ghcr.io');
    await dialog().getByText("This is not docker's config.json.").waitFor();
  });

  it('changes the egg without the password, which it does not show', async () => {
    await add();
    await choose('ghcr.io', 'Edit');
    const password = dialog().getByLabel('Password');
    await password.waitFor();
    expect(await password.inputValue()).to.equal('');
    expect(await password.getAttribute('placeholder')).to.equal('unchanged');
    await dialog().getByRole('combobox', { name: 'Game' }).selectOption(eggId);
    const body = sent('PUT');
    await dialog().getByRole('button', { name: 'Save', exact: true }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(await body).to.deep.equal({ host: 'ghcr.io', egg_id: eggId, username: 'robot' });
    expect((await registries())[0]).to.include({ egg_id: eggId, username: 'robot' });
  });

  it('asks for the password again for another host', async () => {
    await add();
    await choose('ghcr.io', 'Edit');
    const password = dialog().getByLabel('Password');
    await password.waitFor();
    expect(await password.getAttribute('required')).to.equal(null);
    await dialog().getByRole('textbox', { name: 'Host' }).fill('quay.io');
    await dialog().getByRole('button', { name: 'Save', exact: true }).click();
    await dialog().locator('input:invalid').waitFor();
    expect(await password.getAttribute('required')).to.equal('');
    await password.fill('another secret');
    await dialog().getByRole('button', { name: 'Save', exact: true }).click();
    await row('quay.io').waitFor();
  });

  it('says that there is one for the host and egg already', async () => {
    await add();
    await web.page.getByRole('button', { name: 'Add a registry' }).click();
    await dialog().getByRole('textbox', { name: 'Host' }).fill('ghcr.io');
    await dialog().getByRole('textbox', { name: 'Username' }).fill('robot');
    await dialog().getByLabel('Password').fill('secret');
    await dialog().getByRole('button', { name: 'Add a registry' }).click();
    await dialog().getByText('Change those.').waitFor();
  });

  it('removes one after its host was typed', async () => {
    await add();
    await choose('ghcr.io', 'Remove');
    await dialog().getByRole('textbox').fill('ghcr.io');
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await web.page.getByText('There are no registries yet.').waitFor();
    expect(await registries()).to.deep.equal([]);
  });

  it('violates no policy and asks no other host', () => {
    expect(web.complaints.filter((text) => !/(409|422) \(/.test(text))).to.deep.equal([]);
  });
});
