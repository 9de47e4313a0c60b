import { createLogger } from '@panel/kit/process';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { Fixture } from '../support/fixture.js';
import { gatewayFor, giveKey, signIn, type TestGateway } from '../support/gateway.js';
import { send } from '../support/request.js';

describe('download links', () => {
  const fixture = new Fixture();
  const lines: string[] = [];
  let gateway: TestGateway;

  before(async () => {
    await fixture.start();
    const stream = { write: (line: string) => void lines.push(line) };
    gateway = await gatewayFor(fixture, {}, createLogger({ service: 'test', level: 'trace', stream }));
  });
  after(async () => {
    await gateway.running.stop();
    await fixture.stop();
  });

  const create = async (path: string) => {
    const owner = fixture.createUser();
    const server = fixture.addServer(owner);
    const { sessionId, token } = signIn(fixture, owner);
    fixture.files.set('/a.txt', Buffer.from('one two three'));
    const { body, headers, status } = await send(
      gateway.url,
      `/api/v1/servers/${server.id}/files/download?path=${path}`,
      { token, headers: { 'accept-encoding': 'br' } },
    );
    expect([status, headers['content-encoding']]).to.deep.equal([200, undefined]);
    const { url } = body.data as { url: string };
    return { url, owner, server, sessionId };
  };

  it('downloads a file once by a link without credentials, whole or from anywhere', async () => {
    const { url } = await create('/a.txt');
    const whole = await send(gateway.url, url);
    expect([whole.status, whole.text]).to.deep.equal([200, 'one two three']);
    expect(whole.headers['content-disposition']).to.contain('attachment; filename="a.txt"');
    expect(whole.headers['content-type']).to.equal('application/octet-stream');
    expect((await send(gateway.url, url)).status).to.equal(404);
    const part = await send(gateway.url, (await create('/a.txt')).url, { headers: { range: 'bytes=-5' } });
    expect([part.status, part.text]).to.deep.equal([206, 'three']);
    const resume = async (ifRange: unknown) =>
      send(gateway.url, (await create('/a.txt')).url, {
        headers: { range: 'bytes=-5', 'if-range': String(ifRange) },
      });
    expect((await resume(part.headers['etag'])).text).to.equal('three');
    const other = await resume('"other"');
    expect([other.status, other.text]).to.deep.equal([200, 'one two three']);
  });

  it('downloads a directory by a link as an archive', async () => {
    const { url } = await create('/world');
    const { headers, status, text } = await send(gateway.url, url);
    expect([status, headers['content-type'], text]).to.deep.equal([200, 'application/gzip', 'archive of /world']);
  });

  it('does not use up a download link by HEAD', async () => {
    const { url } = await create('/a.txt');
    expect((await send(gateway.url, url, { method: 'HEAD' })).status).to.equal(404);
    expect((await send(gateway.url, url)).status).to.equal(200);
  });

  it('does not use up a download link by a refusal', async () => {
    const { owner, server, url } = await create('/a.txt');
    const right = `${owner.userId} ${server.id}`;
    const rights = fixture.rights.get(right);
    fixture.rights.set(right, ['file.read']);
    expect((await send(gateway.url, url)).status).to.equal(404);
    fixture.rights.set(right, rights ?? []);
    expect((await send(gateway.url, url, { headers: { range: 'bytes=100-' } })).status).to.equal(416);
    expect((await send(gateway.url, url)).status).to.equal(200);
    expect((await send(gateway.url, url)).status).to.equal(404);
  });

  it('ends a download link with the session of its maker, and with their right to the server', async () => {
    const signedOut = await create('/a.txt');
    fixture.sessions.delete(signedOut.sessionId);
    expect((await send(gateway.url, signedOut.url)).status).to.equal(404);
    const removed = await create('/a.txt');
    fixture.rights.delete(`${removed.owner.userId} ${removed.server.id}`);
    expect((await send(gateway.url, removed.url)).status).to.equal(404);
    const narrowed = await create('/a.txt');
    fixture.rights.set(`${narrowed.owner.userId} ${narrowed.server.id}`, ['file.read']);
    expect((await send(gateway.url, narrowed.url)).status).to.equal(404);
  });

  it('ends a download link with the API key of its maker', async () => {
    const owner = fixture.createUser();
    const server = fixture.addServer(owner);
    const token = giveKey(fixture, owner);
    const path = `/api/v1/servers/${server.id}/files/download?path=/a.txt`;
    const make = async () => ((await send(gateway.url, path, { token })).body.data as { url: string }).url;
    expect((await send(gateway.url, await make())).status).to.equal(200);
    const url = await make();
    fixture.keys.delete(token);
    expect((await send(gateway.url, url)).status).to.equal(404);
  });

  it('writes no download link to the log', async () => {
    const { url } = await create('/a.txt');
    const before = lines.length;
    await send(gateway.url, url);
    await send(gateway.url, url);
    await waitUntil('two lines', () => lines.slice(before).filter((line) => line.includes('/downloads/')).length >= 2);
    expect(lines.join('\n')).to.not.include(url.slice(url.lastIndexOf('/') + 1));
  });
});
