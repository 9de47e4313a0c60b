import { randomUUID } from 'node:crypto';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { createSeal } from '@panel/kit/process';
import { waitUntil } from '@panel/kit/testing';
import { type CreateRegistryRequest, ImportEggRequest_Format, Registry_Kind } from '@panel/protos/servers';
import { expect } from 'chai';
import { createStores, type Stores } from '../../src/models/stores.js';
import { updateRegistry } from '../../src/usecases/registries/update-registry.js';
import { eggBytes } from '../domain/eggs/egg-file.js';
import { createFixture, fieldsOf, type Fixture, gameEgg, reasonOf } from '../support/fixture.js';
import { serviceSecret, testSeal } from '../support/harness.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const page = { page: 1, perPage: 100, sort: ['host'], search: '' };

describe('registries', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let mongo: MongoConnection;
  let stores: Stores;

  before(async () => {
    fixture = await createFixture();
    mongo = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
    stores = createStores(mongo, testSeal);
  });
  after(async () => {
    await mongo.close();
    await fixture.stop();
  });
  afterEach(async () => void (await mongo.collection('registries').deleteMany({})));

  const create = async (changes: Partial<CreateRegistryRequest> = {}) => {
    const login = 'auth' in changes || 'identityToken' in changes ? {} : { username: 'ada', password: 'pass-4711' };
    const { registry } = await fixture.admin.registries.createRegistry({
      host: 'ghcr.io',
      eggId: '',
      ...login,
      ...changes,
    });
    return registry ?? expect.fail('no registry in the answer');
  };
  const newEgg = async () => {
    const content = eggBytes({ ...gameEgg, name: randomUUID() });
    const format = ImportEggRequest_Format.JSON;
    return (await fixture.admin.eggs.importEgg({ content, format, nestId: '' })).egg?.id ?? '';
  };
  const hosts = async (search = '') => {
    const { registries } = await fixture.admin.registries.listRegistries({ page: { ...page, search } });
    return registries.map(({ host }) => host);
  };

  it('answers what it is, and never a secret', async () => {
    const made = await create({ host: 'https://index.docker.io/v1/' });
    expect(made).to.include({ host: 'docker.io', eggId: '', username: 'ada', kind: Registry_Kind.PASSWORD });
    expect(await create({ auth: base64('bob:pass-4712'), eggId: fixture.eggId })).to.include({ username: 'bob' });
    expect(await create({ identityToken: 'token-4713' })).to.include({
      username: '',
      kind: Registry_Kind.IDENTITY_TOKEN,
    });
    const { registry } = await fixture.admin.registries.getRegistry({ registryId: made.id });
    expect(registry).to.deep.equal(made);
    const { registries } = await fixture.admin.registries.listRegistries({ page });
    expect(registries).to.have.lengthOf(3);
    expect(JSON.stringify(registries)).not.to.match(/(?:pass|token)-471/);
  });

  it('keeps secrets sealed in the database, and out of the activity log', async () => {
    const { id } = await create();
    await create({ auth: base64('bob:pass-4712'), host: 'quay.io' });
    const { id: third } = await create({ identityToken: 'token-4713', host: 'docker.io' });
    await fixture.admin.registries.updateRegistry({ registryId: third, identityToken: 'token-4714' });
    await fixture.admin.registries.deleteRegistry({ registryId: third });
    const collections = await mongo.db?.collections();
    for (const collection of collections ?? []) {
      const text = JSON.stringify(await collection.find({}).toArray());
      for (const secret of ['pass-4711', 'pass-4712', 'token-4713', 'token-4714'])
        expect(text.includes(secret) || text.includes(base64(`ada:${secret}`)), collection.collectionName).to.equal(
          false,
        );
    }
    expect(await stores.registries.openFor('ghcr.io', fixture.eggId)).to.deep.include({ secret: 'pass-4711' });
    const recorded = () =>
      [...fixture.harness.fakes.activity.values()].filter(({ event }) => event.startsWith('registry:'));
    await waitUntil('the activity', () => recorded().some(({ event }) => event === 'registry:delete'));
    const ofFirst = recorded().filter(({ properties }) => properties['id'] === id);
    expect(ofFirst.map(({ event, properties }) => ({ event, properties }))).to.deep.equal([
      { event: 'registry:create', properties: { id, host: 'ghcr.io' } },
    ]);
    expect(JSON.stringify(recorded())).not.to.match(/(?:pass|token)-471|sealed/);
  });

  it('changes what is named, and keeps the secret for its own host', async () => {
    const eggId = await newEgg();
    const { id: registryId } = await create();
    const update = fixture.admin.registries.updateRegistry;
    expect((await update({ registryId, eggId })).registry).to.include({ eggId, username: 'ada' });
    expect(await stores.registries.openFor('ghcr.io', eggId)).to.deep.include({ secret: 'pass-4711' });
    expect((await update({ registryId, eggId: '', username: 'bob' })).registry).to.include({
      eggId: '',
      username: 'bob',
    });
    expect(await fieldsOf(update({ registryId, host: 'evil.example.com' }))).to.deep.equal(['host']);
    await update({ registryId, host: 'quay.io', auth: base64('eve:pass-4712') });
    expect(await stores.registries.openFor('ghcr.io', eggId)).to.equal(null);
    const found = await stores.registries.openFor('quay.io', eggId);
    expect([found?.registry.username, found?.secret]).to.deep.equal(['eve', 'pass-4712']);
  });

  it('opens no secret for a host that was put into its document', async () => {
    const { id } = await create();
    const rows = mongo.collection<{ _id: string }>('registries');
    await rows.updateOne({ _id: id }, { $set: { host: 'evil.example.com' } });
    const found = await stores.registries.openFor('evil.example.com', fixture.eggId);
    expect([found?.registry.id, found?.secret]).to.deep.equal([id, null]);
  });

  it('loses no field to a concurrent update', async () => {
    const { id } = await create();
    const clock = () => new Date();
    let isFirst = true;
    const update: typeof stores.registries.update = async (...change) => {
      if (isFirst) {
        isFirst = false;
        await updateRegistry({ stores, clock }, id, { host: 'quay.io', username: 'bob', password: 'pass-4712' });
      }
      return stores.registries.update(...change);
    };
    const raced = { ...stores, registries: { ...stores.registries, update } };
    await updateRegistry({ stores: raced, clock }, id, { eggId: fixture.eggId });
    const found = await stores.registries.openFor('quay.io', fixture.eggId);
    expect(found?.registry).to.include({ id, eggId: fixture.eggId, username: 'bob' });
    expect(found?.secret).to.equal('pass-4712');
  });

  it('refuses wrong fields with their names and changes nothing', async () => {
    expect(await fieldsOf(create({ host: 'https://ghcr.io/owner' }))).to.deep.equal(['host']);
    expect(await fieldsOf(create({ auth: 'nothing' }))).to.deep.equal(['auth']);
    expect(await fieldsOf(create({ auth: base64('a:b'), password: 'b' }))).to.deep.equal(['auth']);
    expect(await fieldsOf(create({ eggId: randomUUID() }))).to.deep.equal(['egg_id']);
    expect(await hosts()).to.deep.equal([]);
    const { id: registryId } = await create();
    const update = fixture.admin.registries.updateRegistry;
    expect(await fieldsOf(update({ registryId, eggId: randomUUID() }))).to.deep.equal(['egg_id']);
    expect(await fieldsOf(update({ registryId, password: '' }))).to.deep.equal(['password']);
    expect(await stores.registries.openFor('ghcr.io', '')).to.deep.include({ secret: 'pass-4711' });
  });

  for (const whom of ['all eggs', 'an egg'] as const) {
    it(`makes one of 50 registries of a host for ${whom}, asked for at once`, async () => {
      const eggId = whom === 'an egg' ? fixture.eggId : '';
      await create({ eggId: eggId === '' ? fixture.eggId : '' });
      const answers = await Promise.all(Array.from({ length: 50 }, async () => reasonOf(create({ eggId }))));
      expect(answers.filter((answer) => answer === 'none')).to.have.lengthOf(1);
      expect(new Set(answers)).to.deep.equal(new Set(['none', 'REGISTRY_EXISTS']));
      expect(await mongo.collection('registries').countDocuments({ eggId: eggId || null })).to.equal(1);
    });
  }

  it('refuses to become the registry of another host and egg that there is', async () => {
    await create();
    const { id: registryId } = await create({ eggId: fixture.eggId });
    const update = fixture.admin.registries.updateRegistry;
    expect(await reasonOf(update({ registryId, eggId: '' }))).to.equal('REGISTRY_EXISTS');
    const { registry } = await fixture.admin.registries.getRegistry({ registryId });
    expect(registry?.eggId).to.equal(fixture.eggId);
  });

  it('makes no more than 200 of 210 registries that are asked for at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 210 }, async (_, i) => reasonOf(create({ host: `r${i}.example.com` }))),
    );
    const refused = answers.filter((answer) => answer !== 'none');
    expect(new Set(refused)).to.deep.equal(new Set(['REGISTRY_LIMIT']));
    expect(refused).to.have.lengthOf(10);
    expect(await mongo.collection('registries').countDocuments()).to.equal(200);
    const { registries } = await fixture.admin.registries.listRegistries({ page: { ...page, perPage: 1 } });
    await fixture.admin.registries.deleteRegistry({ registryId: registries[0]?.id ?? '' });
    expect(await reasonOf(create())).to.equal('none');
  });

  it('finds registries by part of their host, and sorts them', async () => {
    for (const host of ['quay.io', 'ghcr.io', 'registry.example.com:5000']) await create({ host });
    expect(await hosts()).to.deep.equal(['ghcr.io', 'quay.io', 'registry.example.com:5000']);
    expect(await hosts('.IO')).to.deep.equal(['ghcr.io', 'quay.io']);
  });

  it('deletes a registry, and those of a deleted egg alone', async () => {
    const [eggId, other] = [await newEgg(), await newEgg()];
    const { id: registryId } = await create();
    for (const host of ['ghcr.io', 'quay.io']) await create({ host, eggId });
    await create({ eggId: other });
    await fixture.admin.eggs.deleteEgg({ eggId });
    const { registries } = await fixture.admin.registries.listRegistries({ page });
    expect(registries.map((registry) => registry.eggId).sort()).to.deep.equal(['', other].sort());
    await fixture.admin.registries.deleteRegistry({ registryId });
    expect(await reasonOf(fixture.admin.registries.getRegistry({ registryId }))).to.equal('REGISTRY_NOT_FOUND');
    expect(await reasonOf(fixture.admin.registries.deleteRegistry({ registryId }))).to.equal('REGISTRY_NOT_FOUND');
  });

  it('keeps the registries of an egg that is in use', async () => {
    await create({ eggId: fixture.eggId });
    await fixture.installed({ skipScripts: true });
    expect(await reasonOf(fixture.admin.eggs.deleteEgg({ eggId: fixture.eggId }))).to.equal('EGG_IN_USE');
    expect(await stores.registries.eggIds()).to.deep.equal([fixture.eggId]);
  });

  it('opens registries to staff only', async () => {
    expect(await reasonOf(fixture.owner.registries.listRegistries({ page }))).to.equal('PERMISSION_MISSING');
  });

  it('seals secrets anew with a new key at the start, and opens none without its key', async () => {
    const { id } = await create();
    const sealed = async () => {
      const found = await mongo.collection<{ _id: string; sealedSecret: string }>('registries').findOne({ _id: id });
      return found?.sealedSecret ?? '';
    };
    const first = await sealed();
    const key = 'a-key-of-its-own-for-what-is-sealed-1';
    await fixture.harness.startReplica({ ENCRYPTION_KEYS: `${key},${serviceSecret}` });
    await waitUntil('another seal', async () => (await sealed()) !== first);
    await fixture.harness.stopReplica();
    const of = (...secrets: string[]) => createStores(mongo, createSeal(secrets, 'panel-servers')).registries;
    expect(await of(key).openFor('ghcr.io', '')).to.deep.include({ secret: 'pass-4711' });
    expect(await of('another-key-that-has-sealed-nothing-1').openFor('ghcr.io', '')).to.deep.include({ secret: null });
    const second = await sealed();
    expect(await of('another-key-that-has-sealed-nothing-1').sealSecrets()).to.equal(0);
    expect(await sealed()).to.equal(second);
  });
});
