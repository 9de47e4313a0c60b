import { randomUUID } from 'node:crypto';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { createSeal } from '@panel/kit/process';
import { Node_Runtime, UpdateNodeRequest } from '@panel/protos/servers';
import { needPrograms } from '@panel/testing';
import { expect } from 'chai';
import { createFixture, emptyNode, fieldsOf, type Fixture } from '../support/fixture.js';
import { testSeal } from '../support/harness.js';
import { type KeyPair, TestAuthority } from '../support/pki.js';

const url = 'tcp://127.0.0.1:1';

describe('stored key of an engine that does not open', function () {
  this.timeout(60_000);
  let fixture: Fixture;
  let mongo: MongoConnection;
  let authority: TestAuthority;
  let client: KeyPair;
  let nodeId: string;

  before(async function () {
    needPrograms(this, 'openssl');
    authority = new TestAuthority('panel');
    client = authority.issue('client', 'clientAuth');
    fixture = await createFixture();
    mongo = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
  });
  after(async () => {
    await mongo?.close();
    await fixture?.stop();
    authority?.remove();
  });

  const nodes = () => mongo.collection<{ _id: string; name: string; engine: Record<string, string> }>('nodes');
  const stored = async () => nodes().findOne({ _id: nodeId });
  const aad = () => `node ${nodeId} tlsKey`;
  const keys = () => ({ tlsCa: authority.ca, tlsCert: client.cert, tlsKey: client.key });
  const update = async (changes: Partial<UpdateNodeRequest>) =>
    fixture.admin.nodes.updateNode(UpdateNodeRequest.create({ nodeId, ...changes }));
  const engineAt = (address: string, pems = { tlsCa: '', tlsCert: '', tlsKey: '' }) => ({
    engine: { url: address, ...pems, tls: false },
  });

  beforeEach(async () => {
    const { node } = await fixture.admin.nodes.createNode({
      ...emptyNode,
      name: randomUUID(),
      filesAddress: '127.0.0.1:1',
      runtime: Node_Runtime.DOCKER,
      ...engineAt(url, keys()),
    });
    nodeId = node?.id ?? '';
    const lost = createSeal(['a-key-that-the-service-does-not-have-1'], 'panel-servers').seal(client.key, aad());
    await nodes().updateOne({ _id: nodeId }, { $set: { 'engine.tlsKey': lost } });
  });
  afterEach(async () => {
    await fixture.admin.nodes.deleteNode({ nodeId });
  });

  it('changes other fields and keeps the key as it is', async () => {
    const before = await stored();
    await update({ name: 'renamed' });
    await update({ cpuPercent: 400, ...engineAt(url) });
    expect(await stored()).to.deep.include({ name: 'renamed', cpuPercent: 400, engine: before?.engine });
  });

  it('accepts new keys, also with another address', async () => {
    await update(engineAt('tcp://127.0.0.1:2', keys()));
    const engine = (await stored())?.engine;
    expect(engine?.['url']).to.equal('tcp://127.0.0.1:2');
    expect(testSeal.open(engine?.['tlsKey'] ?? '', aad())).to.equal(client.key);
  });

  it('drops the key for a local socket', async () => {
    await update(engineAt('unix:///run/other.sock'));
    expect((await stored())?.engine).to.include({ url: 'unix:///run/other.sock', tlsKey: '' });
  });

  it('refuses another address without new keys and says to send them', async () => {
    const before = await stored();
    const refused = await update(engineAt('tcp://127.0.0.1:2')).catch((error: unknown) => error);
    expect(JSON.stringify(refused)).to.include('send ca, cert and key anew');
    expect(await fieldsOf(update(engineAt('tcp://127.0.0.1:2')))).to.deep.equal(['engine.tls']);
    expect((await stored())?.engine).to.deep.equal(before?.engine);
  });
});
