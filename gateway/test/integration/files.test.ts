import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { gatewayFor, signIn, type TestGateway } from '../support/gateway.js';
import { send } from '../support/request.js';
import { Fixture } from '../support/fixture.js';

describe('files', () => {
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
    fixture.calls.length = 0;
  });
  it('returns text as UTF-8 and bytes as base64', async () => {
    const owner = fixture.createUser();
    const server = fixture.addServer(owner);
    const { token } = signIn(fixture, owner);
    fixture.files.set('/a.txt', Buffer.from('grüße'));
    fixture.files.set('/b.bin', Buffer.from([0xff, 0x00, 0xfe]));
    const path = `/api/v1/servers/${server.id}/files/contents?path=`;
    const text = (await send(gateway.url, `${path}/a.txt`, { token })).body.data as Record<string, unknown>;
    expect(text).to.include({ content: 'grüße', encoding: 'utf-8', size: 7 });
    expect(text['sha256']).to.match(/^[0-9a-f]{64}$/);
    const bytes = (await send(gateway.url, `${path}/b.bin`, { token })).body.data;
    expect(bytes).to.include({ content: '/wD+', encoding: 'base64' });
  });

  it('answers where an entry is, in lists and to creations, however its directory was written', async () => {
    const owner = fixture.createUser();
    const server = fixture.addServer(owner);
    const { token } = signIn(fixture, owner);
    fixture.files.set('/a.txt', Buffer.from('x'));
    const base = `/api/v1/servers/${server.id}/files`;
    for (const [directory, path] of [
      ['/', '/a.txt'],
      ['logs', '/logs/a.txt'],
      ['/logs//./old/', '/logs/old/a.txt'],
    ] as const) {
      const { body } = await send(gateway.url, `${base}/list?${new URLSearchParams({ directory }).toString()}`, {
        token,
      });
      expect((body.data as { name: string; path: string }[]).find(({ name }) => name === 'a.txt')?.path).to.equal(path);
    }
    const made = await send(gateway.url, `${base}/create-directory`, { token, json: { path: 'logs//new' } });
    expect(made.status, made.text).to.equal(201);
    expect(made.body.data).to.include({ name: 'new', path: '/logs/new' });
  });

  it('lists records of another files service while that of the node is away', async () => {
    const owner = fixture.createUser();
    const server = fixture.addServer(owner);
    const { token } = signIn(fixture, owner);
    const ask = async (path: string) => send(gateway.url, `/api/v1/servers/${server.id}/${path}`, { token });
    fixture.filesAddressOfNode = '127.0.0.1:1';
    try {
      for (const path of ['files/operations', 'files/trash', 'files/versions']) {
        const records = await ask(path);
        expect([records.status, records.body.data], path).to.deep.equal([200, []]);
      }
      expect((await ask('files/list')).status).to.equal(503);
      fixture.calls.length = 0;
      fixture.filesAddressOfNode = null;
      expect((await ask('files/operations')).status).to.equal(200);
      expect(fixture.count('grantFileAccess')).to.equal(1);
    } finally {
      fixture.filesAddressOfNode = null;
    }
  });

  it('streams bytes, whole and in ranges', async () => {
    const owner = fixture.createUser();
    const server = fixture.addServer(owner);
    const { token } = signIn(fixture, owner);
    const large = Buffer.alloc(5 * 1024 * 1024, 'abcdefghij');
    fixture.files.set('/large', large);
    fixture.files.set('/empty', Buffer.alloc(0));
    const path = `/api/v1/servers/${server.id}/files/contents?path=`;
    const ask = async (file: string, range?: string) =>
      send(gateway.url, path + file, {
        token,
        headers: { accept: 'application/octet-stream', ...(range ? { range } : {}) },
      });
    const whole = await ask('/large');
    expect(whole.status).to.equal(200);
    expect(whole.text.length).to.equal(large.length);
    expect(whole.headers['content-disposition']).to.contain('attachment; filename="large"');
    const part = await ask('/large', 'bytes=10-14');
    expect([part.status, part.text]).to.deep.equal([206, 'abcde']);
    expect(part.headers['content-range']).to.equal(`bytes 10-14/${large.length}`);
    expect((await ask('/large', 'bytes=-3')).text).to.equal('hij');
    const beyond = await ask('/large', `bytes=${large.length}-`);
    expect([beyond.status, beyond.headers['content-range']]).to.deep.equal([416, `bytes */${large.length}`]);
    const withoutAccept = await send(gateway.url, `${path}/large`, { token, headers: { range: 'bytes=0-1' } });
    expect([withoutAccept.status, withoutAccept.text]).to.deep.equal([206, 'ab']);
    expect((await ask('/empty')).text).to.equal('');
    const asBytes = { accept: 'application/octet-stream', range: 'bytes=0-1' };
    const head = await send(gateway.url, `${path}/large`, { token, method: 'HEAD', headers: asBytes });
    expect([head.status, head.headers['content-length']]).to.deep.equal([200, `${large.length}`]);
    const tooLarge = await send(gateway.url, `${path}/large`, { token });
    expect(tooLarge.status).to.equal(422);
  });

  it('answers 304 to the ETag of the current version and accepts it in If-Match', async () => {
    const owner = fixture.createUser();
    const server = fixture.addServer(owner);
    const { token } = signIn(fixture, owner);
    fixture.files.set('/v', Buffer.from('one'));
    const path = `/api/v1/servers/${server.id}/files`;
    const bytes = { accept: 'application/octet-stream' };
    const first = await send(gateway.url, `${path}/contents?path=/v`, { token, headers: bytes });
    const etag = String(first.headers['etag']);
    const asJson = await send(gateway.url, `${path}/contents?path=/v`, { token });
    // Another representation of the same version.
    expect([asJson.status, asJson.headers['etag']]).to.deep.equal([200, `W/${etag}`]);
    expect(asJson.body).to.have.nested.property('data.content', 'one');
    for (const [headers, version] of [
      [bytes, etag],
      [{}, `W/${etag}`],
    ] as const) {
      const any = await send(gateway.url, `${path}/contents?path=/v`, {
        token,
        headers: { ...headers, 'if-none-match': '*' },
      });
      expect([any.status, any.text]).to.deep.equal([304, '']);
      const other = await send(gateway.url, `${path}/contents?path=/v`, {
        token,
        headers: { ...headers, 'if-none-match': 'W/"0-0", "x"' },
      });
      expect(other.status).to.equal(200);
      const again = await send(gateway.url, `${path}/contents?path=/v`, {
        token,
        headers: { ...headers, 'if-none-match': etag },
      });
      expect([again.status, again.text, again.headers['etag']]).to.deep.equal([304, '', version]);
    }
    const write = async (ifMatch: string) =>
      send(gateway.url, `${path}/write`, {
        method: 'PUT',
        token,
        json: { path: '/v', content: 'longer' },
        headers: { 'if-match': ifMatch },
      });
    expect((await write(`W/${etag}`)).status).to.equal(200);
    fixture.files.set('/v', Buffer.from('one'));
    expect((await write(etag)).status).to.equal(200);
    const stale = await write(etag);
    expect([stale.status, stale.body.error?.details['reason']]).to.deep.equal([409, 'file_changed']);
    expect((await write('nonsense')).status).to.equal(422);
    fixture.files.delete('/v');
    const removed = await write(etag);
    expect([removed.status, removed.body.error?.details['reason']]).to.deep.equal([409, 'file_changed']);
    expect(fixture.files.has('/v')).to.equal(false);
    const asCondition = await send(gateway.url, `${path}/write`, {
      method: 'PUT',
      token,
      json: { path: '/v', content: 'x' },
      headers: { 'if-none-match': '*' },
    });
    expect([asCondition.status, Object.keys(asCondition.body.error?.details ?? {})]).to.deep.equal([
      422,
      ['If-None-Match'],
    ]);
  });

  it('writes in If-Match of a list when one of it is current, and in that of * when there is a file', async () => {
    const owner = fixture.createUser();
    const server = fixture.addServer(owner);
    const { token } = signIn(fixture, owner);
    const path = `/api/v1/servers/${server.id}/files`;
    const versionOf = async (content: string) => {
      fixture.files.set('/v', Buffer.from(content));
      const headers = { accept: 'application/octet-stream' };
      return String((await send(gateway.url, `${path}/contents?path=/v`, { token, headers })).headers['etag']);
    };
    const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');
    const write = async (ifMatch: string) => {
      const json = { path: '/v', content: 'new' };
      const headers = { 'if-match': ifMatch };
      const { status, body } = await send(gateway.url, `${path}/write`, { method: 'PUT', token, json, headers });
      return [status, ...(status === 200 ? [] : [body.error?.details['reason']])];
    };
    for (const current of [
      async () => `"0-0", ${await versionOf('one')}`,
      async () => `,W/${await versionOf('two')} ,"0-0",`,
      async () => `${sha256('no')}, "${sha256('three')}"`,
      async () => `"0-0",${sha256('three')}`,
      async () => ' * ',
    ]) {
      const etag = await versionOf('three');
      expect(etag).not.to.equal('undefined');
      expect(await write(await current())).to.deep.equal([200]);
    }
    const tags = ['"nonsense"', 'W/"a, b"', '""', '"0-0", W/"1-1"'];
    for (const other of [...tags, `"0-0", ${sha256('no')}`, `${sha256('no')},${sha256('nor')}`]) {
      expect(await write(other), other).to.deep.equal([409, 'file_changed']);
    }
    for (const wrong of [',', '*, "0-0"', '"0-0" "1-1"', '"0-0", nonsense']) {
      expect((await write(wrong))[0], wrong).to.equal(422);
    }
    fixture.files.delete('/v');
    expect(await write('*')).to.deep.equal([409, 'file_changed']);
    expect(fixture.files.has('/v')).to.equal(false);
  });

  it('takes an ETag in If-Match from those only who may read the file', async () => {
    const server = fixture.addServer(fixture.createUser());
    const subuser = fixture.createUser();
    const { token } = signIn(fixture, subuser);
    fixture.rights.set(`${subuser.userId} ${server.id}`, ['file.update']);
    fixture.files.set('/v', Buffer.from('one'));
    const write = async (ifMatch: string) =>
      send(gateway.url, `/api/v1/servers/${server.id}/files/write`, {
        method: 'PUT',
        token,
        json: { path: '/v', content: 'longer' },
        headers: { 'if-match': ifMatch },
      });
    expect((await write('"3-0"')).status).to.equal(403);
    expect(fixture.files.get('/v')?.toString()).to.equal('one');
    expect((await write('a'.repeat(64))).status).to.equal(200);
  });

  it('sends the whole file instead of a range when If-Range names another version', async () => {
    const owner = fixture.createUser();
    const server = fixture.addServer(owner);
    const { token } = signIn(fixture, owner);
    fixture.files.set('/r', Buffer.from('0123456789'));
    const ask = async (range: string, ifRange: string) =>
      send(gateway.url, `/api/v1/servers/${server.id}/files/contents?path=/r`, {
        token,
        headers: { range, 'if-range': ifRange },
      });
    const etag = String((await ask('bytes=0-0', '"x"')).headers['etag']);
    for (const range of ['bytes=4-', 'bytes=-6', 'bytes=4-9']) {
      const same = await ask(range, etag);
      expect([same.status, same.text, same.headers['content-range']]).to.deep.equal([206, '456789', 'bytes 4-9/10']);
      for (const other of ['"x"', `W/${etag}`, 'Wed, 25 Nov 2026 12:00:00 GMT']) {
        const { status, text, headers } = await ask(range, other);
        expect([status, text, headers['content-range']], other).to.deep.equal([200, '0123456789', undefined]);
      }
    }
    // An unsatisfiable range of another version is no error.
    expect((await ask('bytes=400-', '"x"')).status).to.equal(200);
    expect((await ask('bytes=400-', etag)).status).to.equal(416);
  });

  it('answers what the Accept header prefers, and JSON where it takes nothing of it', async () => {
    const owner = fixture.createUser();
    const server = fixture.addServer(owner);
    const { token } = signIn(fixture, owner);
    fixture.files.set('/a', Buffer.from('text'));
    const typeOf = async (accept: string | undefined, range = '') => {
      const given = { ...(accept === undefined ? {} : { accept }), ...(range === '' ? {} : { range }) };
      const path = `/api/v1/servers/${server.id}/files/contents?path=/a`;
      return String((await send(gateway.url, path, { token, headers: given })).headers['content-type']).split(';')[0];
    };
    const [json, bytes, text] = ['application/json', 'application/octet-stream', 'text/plain'];
    for (const [accept, expected] of [
      [undefined, json],
      ['', json],
      ['*/*', json],
      ['application/json, text/plain, */*', json],
      ['text/plain;q=0.5, application/json', json],
      ['application/json;q=0, application/octet-stream', bytes],
      ['application/octet-stream, */*;q=0.5', bytes],
      ['APPLICATION/OCTET-STREAM', bytes],
      ['text/*', text],
      ['text/plain, application/json;q=0.9', text],
      ['text/html', json],
    ] as const)
      expect(await typeOf(accept), String(accept)).to.equal(expected);
    expect(await typeOf('application/json, text/plain, */*', 'bytes=0-1')).to.equal(text);
    expect(await typeOf('application/json', 'bytes=0-1')).to.equal(bytes);
    expect(await typeOf(undefined, 'bytes=0-1')).to.equal(bytes);
  });

  it('names the missing fields of a rename', async () => {
    const owner = fixture.createUser();
    const server = fixture.addServer(owner);
    const { token } = signIn(fixture, owner);
    const rename = async (json: object) =>
      (await send(gateway.url, `/api/v1/servers/${server.id}/files/rename`, { token, json })).body.error?.details;
    expect(await rename({})).to.deep.equal({ files: ['is required'] });
    expect(await rename({ from: '/a' })).to.deep.equal({ to: ['is required'] });
    expect(await rename({ to: '/a', files: [{ from: '/a', to: '/b' }] })).to.deep.equal({ from: ['is required'] });
  });

  describe('file writes', () => {
    let token: string;
    let path: string;
    beforeEach(() => {
      const owner = fixture.createUser();
      path = `/api/v1/servers/${fixture.addServer(owner).id}/files/write`;
      ({ token } = signIn(fixture, owner));
    });
    const bytes = { 'content-type': 'application/octet-stream' };

    it('asks for the grant and writes: no call decides access alone', async () => {
      const before = fixture.calls.length;
      const json = { path: '/t', content: 'x' };
      expect((await send(gateway.url, path, { method: 'PUT', token, json })).status).to.equal(200);
      expect(fixture.calls.slice(before)).to.include('grantFileAccess');
      expect(fixture.calls.slice(before)).not.to.include('getServer');
    });

    it('accepts file writes of JSON with text or base64', async () => {
      const put = async (json: object) => send(gateway.url, path, { method: 'PUT', token, json });
      const text = await put({ path: '/t', content: 'grüße' });
      expect(text.body.data).to.deep.include({ name: 't', path: '/t', size: 7, sha256: 'a'.repeat(64) });
      await put({ path: '/b', content: '/wD+', encoding: 'base64' });
      expect([fixture.files.get('/t')?.toString(), fixture.files.get('/b')]).to.deep.equal([
        'grüße',
        Buffer.from([0xff, 0x00, 0xfe]),
      ]);
      for (const content of ['no base64!', 'AAAA=BBBB', 'A', 'AAAAA', '====']) {
        expect((await put({ path: '/x', content, encoding: 'base64' })).status, content).to.equal(422);
      }
      expect(fixture.files.has('/x')).to.equal(false);
    });

    it('accepts file writes of raw bytes of any size', async () => {
      const content = Buffer.alloc(5 * 1024 * 1024, 'x');
      const answer = await send(gateway.url, `${path}?path=/large`, {
        method: 'PUT',
        token,
        body: content,
        headers: bytes,
      });
      expect(answer.status).to.equal(200);
      expect(fixture.files.get('/large')?.equals(content)).to.equal(true);
      const empty = await send(gateway.url, `${path}?path=/empty`, {
        method: 'PUT',
        token,
        body: '',
        headers: bytes,
      });
      expect([empty.status, fixture.files.get('/empty')?.length]).to.deep.equal([200, 0]);
    });

    it('refuses a write without a path and one above the limit', async () => {
      const put = async (query: string, body: Buffer) =>
        send(gateway.url, path + query, { method: 'PUT', token, body, headers: bytes });
      expect((await put('', Buffer.from('x'))).body.error?.details).to.deep.equal({ path: ['is required'] });
      const large = await put('?path=/x', Buffer.alloc(8 * 1024 * 1024 + 1));
      expect([large.status, large.body.error?.code]).to.deep.equal([400, 'bad_request']);
      const details = { reason: 'upload_too_large', limit_bytes: 8 * 1024 * 1024 };
      expect(large.body.error?.details).to.deep.equal(details);
      expect(fixture.files.has('/x')).to.equal(false);
    });

    it('changes nothing when the sender of a file disconnects midway', async () => {
      const { hostname, port } = new URL(gateway.url);
      const socket = connect(Number(port), hostname);
      socket.write(`PUT ${path}?path=/half HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`);
      socket.write('Content-Type: application/octet-stream\r\nContent-Length: 100000\r\n\r\nhalf');
      await waitUntil('the grant', () => fixture.count('grantFileAccess') > 0);
      socket.destroy();
      await send(gateway.url, `${path}?path=/other`, { method: 'PUT', token, body: 'x', headers: bytes });
      expect(fixture.files.has('/half')).to.equal(false);
    });

    it('reports a full disk, during an upload too', async () => {
      const answer = await send(gateway.url, `${path}?path=/full`, {
        method: 'PUT',
        token,
        body: Buffer.alloc(4 * 1024 * 1024),
        headers: bytes,
      });
      expect([answer.status, answer.body.error?.details]).to.deep.equal([
        409,
        { reason: 'disk_limit', limit_bytes: 1 },
      ]);
    });

    it('refuses a write before its body is sent when the client waits for 100 Continue', async () => {
      const { hostname, port } = new URL(gateway.url);
      const ask = async (authorization: string) => {
        const socket = connect(Number(port), hostname);
        let heard = '';
        socket.on('data', (data) => (heard += data.toString()));
        socket.write(`PUT ${path}?path=/asked HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${authorization}\r\n`);
        socket.write('Content-Type: application/octet-stream\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n');
        await waitUntil('an answer', () => heard.includes('\r\n\r\n'));
        if (heard.startsWith('HTTP/1.1 100')) socket.write('ok');
        await waitUntil('the whole answer', () => /HTTP\/1\.1 [245]/.test(heard));
        socket.destroy();
        return heard;
      };
      expect(await ask('nonsense')).to.match(/^HTTP\/1\.1 401 [^]*Connection: close/);
      expect(await ask(token)).to.match(/^HTTP\/1\.1 100 Continue[^]*HTTP\/1\.1 200/);
      expect(fixture.files.get('/asked')?.toString()).to.equal('ok');
    });
  });

  it('renames files with both request forms', async () => {
    const owner = fixture.createUser();
    const server = fixture.addServer(owner);
    const { token } = signIn(fixture, owner);
    const path = `/api/v1/servers/${server.id}/files/rename`;
    await send(gateway.url, path, { token, json: { from: '/a', to: '/b' } });
    await send(gateway.url, path, { token, json: { root: '/r', files: [{ from: 'c', to: 'd' }] } });
    expect(fixture.calls.filter((call) => call.startsWith('rename'))).to.deep.equal([
      'rename / /a>/b',
      'rename /r c>d',
    ]);
    expect((await send(gateway.url, path, { token, json: { from: '/a' } })).status).to.equal(422);
  });

  it('refuses a caller without the permission', async () => {
    const server = fixture.addServer(fixture.createUser());
    const subuser = fixture.createUser();
    fixture.rights.set(`${subuser.userId} ${server.id}`, ['file.read']);
    const { token } = signIn(fixture, subuser);
    const files = `/api/v1/servers/${server.id}/files`;
    expect((await send(gateway.url, `${files}/list`, { token })).status).to.equal(200);
    expect((await send(gateway.url, `${files}/contents?path=/a`, { token })).status).to.equal(403);
  });
});
