import { createHash, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Fixture } from '../support/fixture.js';
import { gatewayFor, signIn, type TestGateway } from '../support/gateway.js';
import { send } from '../support/request.js';

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');

describe('If-Match of a resumable upload', () => {
  const fixture = new Fixture();
  let gateway: TestGateway;
  before(async () => {
    await fixture.start();
    gateway = await gatewayFor(fixture);
  });
  after(async () => {
    await gateway.running.stop();
    await fixture.stop();
  });
  beforeEach(() => {
    fixture.uploads.starts.length = 0;
    fixture.files.set('/config//ü.txt', Buffer.from('one'));
  });

  const client = () => {
    const owner = fixture.createUser();
    const server = fixture.addServer(owner);
    const { token } = signIn(fixture, owner);
    const path = `/api/v1/servers/${server.id}/files`;
    const name = Buffer.from('/ü.txt').toString('base64');
    const metadata = `filetype dGV4dA==,filename ${name}`;
    const tus = { 'tus-resumable': '1.0.0', 'upload-length': '3', 'upload-metadata': metadata };
    return {
      path,
      token,
      tus,
      begin: async (headers: Record<string, string>, query = 'overwrite=true&directory=/config') => {
        const answer = await send(gateway.url, `${path}/uploads?${query}`, {
          method: 'POST',
          token,
          headers: { ...tus, ...headers },
        });
        return { status: answer.status, details: answer.body.error?.details ?? {} };
      },
    };
  };
  const conditions = () => fixture.uploads.starts.map(({ ifMatchSha256, mustExist }) => [ifMatchSha256, mustExist]);

  it('takes a SHA-256, *, or the ETag of the file as the condition', async () => {
    const { begin, path, token } = client();
    const bytes = { accept: 'application/octet-stream' };
    const found = await send(gateway.url, `${path}/contents?path=${encodeURIComponent('/config//ü.txt')}`, {
      token,
      headers: bytes,
    });
    for (const version of [sha256('other'), `"${sha256('other')}"`, '*', String(found.headers['etag'])]) {
      expect(await begin({ 'if-match': version }), version).to.deep.equal({ status: 201, details: {} });
    }
    expect((await begin({})).status).to.equal(201);
    expect(conditions()).to.deep.equal([
      [sha256('other'), true],
      [sha256('other'), true],
      ['', true],
      [sha256('one'), true],
      ['', false],
    ]);
  });

  it('begins no upload when the ETag is of another version, or none, or nothing is to be replaced', async () => {
    const { begin } = client();
    expect(await begin({ 'if-match': '"0-0"' })).to.deep.include({ status: 409 });
    for (const [headers, field, query] of [
      [{ 'if-match': 'nonsense' }, 'If-Match', undefined],
      [{ 'if-match': sha256('one') }, 'If-Match', 'directory=/config'],
      [{ 'if-none-match': '*' }, 'If-None-Match', undefined],
    ] as const) {
      const { status, details } = await begin(headers, query);
      expect([status, Object.keys(details)]).to.deep.equal([422, [field]]);
    }
    expect(fixture.uploads.starts).to.deep.equal([]);
  });

  it('leaves pieces without a condition', async () => {
    const { path, token, tus } = client();
    const headers = { ...tus, 'if-match': sha256('one') };
    await send(gateway.url, `${path}/uploads/${randomUUID()}?overwrite=true`, { method: 'PATCH', token, headers });
    expect(conditions()).to.deep.equal([['', false]]);
  });
});
