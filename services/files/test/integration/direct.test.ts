import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, utimes, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { AppError } from '@panel/kit/errors';
import { waitUntil } from '@panel/kit/testing';
import { needPrograms } from '@panel/testing';
import { expect } from 'chai';
import { readAll, reasonOf, writeAll } from '../harness.js';
import { type DirectFixture, maker, origin, startDirectFixture } from '../support/direct-fixture.js';

describe('direct downloads', () => {
  const content = randomBytes(1_000_000);
  let fixture: DirectFixture;
  before(async () => {
    fixture = await startDirectFixture();
  });
  after(async () => fixture.stop());
  beforeEach(async () => {
    await fixture.renew();
    await writeFile(path.join(fixture.directory, 'big.bin'), content);
  });

  const link = async (name: string) => {
    const { running, serverId } = fixture;
    const grant = running.grant(serverId, 'file.read-content');
    const options = { actorToken: running.tokenOf(maker) };
    const { directPath } = await running.files.createDownloadLink({ grant, path: name }, options);
    return `http://${running.direct}/${directPath}`;
  };

  const metric = async (name: string, ...labels: string[]) => {
    const lines = (await (await fetch(`http://${fixture.running.metrics}/metrics`)).text()).split('\n');
    const line = lines.find((one) => one.startsWith(`${name}{`) && labels.every((label) => one.includes(label)));
    return Number(line?.split(' ').at(-1) ?? 0);
  };

  it('serves the whole file once', async () => {
    const url = await link('/big.bin');
    const response = await fetch(url);
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-disposition')).to.contain('big.bin');
    expect(response.headers.get('content-security-policy')).to.contain('sandbox');
    expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).to.equal(true);
    expect((await fetch(url)).status).to.equal(404);
  });

  it('serves ranges to the client that has begun', async () => {
    const url = await link('/big.bin');
    const part = async (range: string) => fetch(url, { headers: { range } });
    const first = await part('bytes=0-99');
    expect(first.status).to.equal(206);
    expect(first.headers.get('content-range')).to.equal('bytes 0-99/1000000');
    expect(Buffer.from(await first.arrayBuffer()).equals(content.subarray(0, 100))).to.equal(true);
    expect(Buffer.from(await (await part('bytes=-5')).arrayBuffer()).equals(content.subarray(-5))).to.equal(true);
    const beyond = await part('bytes=2000000-');
    expect([beyond.status, beyond.headers.get('content-range')]).to.deep.equal([416, 'bytes */1000000']);
  });

  it('serves the whole file when If-Range names another version', async () => {
    const longAgo = new Date('2026-01-01T00:00:00.000Z');
    await utimes(path.join(fixture.directory, 'big.bin'), longAgo, longAgo);
    const url = await link('/big.bin');
    const resume = async (ifRange: string) => fetch(url, { headers: { range: 'bytes=-5', 'if-range': ifRange } });
    const version = (await fetch(url, { headers: { range: 'bytes=0-0' } })).headers.get('etag') ?? '';
    const same = await resume(version);
    expect([same.status, (await same.arrayBuffer()).byteLength]).to.deep.equal([206, 5]);
    const other = await resume('"other"');
    expect([other.status, (await other.arrayBuffer()).byteLength]).to.deep.equal([200, content.length]);
  });

  it('serves an empty file, and a directory as an archive', async () => {
    await mkdir(path.join(fixture.directory, 'world'));
    await writeFile(path.join(fixture.directory, 'world', 'empty'), '');
    expect(await (await fetch(await link('/world/empty'))).text()).to.equal('');
    const archive = Buffer.from(await (await fetch(await link('/world'))).arrayBuffer());
    const { stdout } = spawnSync('tar', ['-tzf', '-'], { input: archive });
    expect(String(stdout)).to.contain('world/empty');
  });

  it('ends a direct download with the session or right of its maker', async () => {
    for (const kind of ['unauthenticated', 'permission_denied', 'failed_precondition'] as const) {
      const url = await link('/big.bin');
      fixture.rights.refusal = new AppError(kind, 'REFUSED', 'not any more');
      expect((await fetch(url)).status).to.equal(404);
      fixture.rights.refusal = null;
    }
    const url = await link('/big.bin');
    fixture.rights.more = { denylist: ['*.bin'] };
    expect((await fetch(url)).status).to.equal(404);
  });

  it('reports that it cannot check who has made a download', async () => {
    const url = await link('/big.bin');
    fixture.rights.refusal = new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'identity is away');
    expect((await fetch(url)).status).to.equal(503);
  });

  it('leaves a link usable of which nothing was sent', async () => {
    const url = await link('/big.bin');
    const status = async (more: RequestInit = {}) => (await fetch(url, more)).status;
    fixture.rights.refusal = new AppError('resource_exhausted', 'OPERATION_LIMIT', 'too many');
    expect(await status()).to.equal(409);
    fixture.rights.refusal = null;
    expect(await status({ headers: { range: 'bytes=2000000-' } })).to.equal(416);
    await rm(path.join(fixture.directory, 'big.bin'));
    expect(await status()).to.equal(404);
    await writeFile(path.join(fixture.directory, 'big.bin'), content);
    expect([await status(), await status()]).to.deep.equal([200, 404]);
  });

  it('sends a file to one of 50 at the same time, also after 50 were refused', async () => {
    const url = await link('/big.bin');
    const statuses = async () => Promise.all(Array.from({ length: 50 }, async () => (await fetch(url)).status));
    fixture.rights.refusal = new AppError('resource_exhausted', 'OPERATION_LIMIT', 'too many');
    expect(await statuses())
      .to.include(409)
      .and.not.include(200);
    fixture.rights.refusal = null;
    expect((await statuses()).filter((status) => status === 200)).to.have.length(1);
    expect(await statuses()).to.not.include(200);
  });

  it('refuses what is not signed, whatever it is', async () => {
    const url = await link('/big.bin');
    const forged = url.slice(0, -2) + (url.endsWith('AA') ? 'BB' : 'AA');
    const upload = url.replace('/downloads/', '/uploads/');
    const base = `http://${fixture.running.direct}`;
    const strange = [forged, upload, `${base}/`, `${base}/downloads/${randomUUID()}`, `${base}/%00`, `${base}/metrics`];
    for (const one of strange) expect((await fetch(one)).status, one).to.equal(404);
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'PATCH']) {
      expect((await fetch(url, { method })).status, method).to.equal(404);
    }
    expect((await fetch(url)).status).to.equal(200);
  });

  it('answers a refusal so that clients which send everything before they read can read why', async () => {
    const client = connect(Number(new URL(`http://${fixture.running.direct}`).port), '127.0.0.1');
    await once(client, 'connect');
    client.pause();
    client.write(`PATCH /uploads/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${24 * content.length}\r\n\r\n`);
    for (let i = 0; i < 24; i += 1) {
      await new Promise<void>((resolve, reject) => {
        client.write(content, (error) => (error ? reject(error) : resolve()));
      });
    }
    expect(await text(client)).to.match(/^HTTP\/1\.1 404 /);
  });

  it('lets pages of the panel use them, and no others', async () => {
    const url = await link('/big.bin');
    const ask = async (from: string) => {
      const headers = { origin: from, 'access-control-request-method': 'PATCH' };
      return fetch(url, { method: 'OPTIONS', headers });
    };
    const ours = await ask(origin);
    expect([ours.status, ours.headers.get('access-control-allow-origin')]).to.deep.equal([204, origin]);
    expect(ours.headers.get('access-control-allow-methods')).to.contain('PATCH');
    expect(ours.headers.get('access-control-allow-headers')).to.contain('Upload-Offset');
    expect((await ask('https://elsewhere.example')).headers.get('access-control-allow-origin')).to.equal(null);
  });

  it('counts the bytes that were moved', async () => {
    await (await fetch(await link('/big.bin'))).arrayBuffer();
    const bytes = await metric('files_bytes_total', 'direction="read"', 'way="direct"');
    expect(bytes).to.be.at.least(content.length);
    const { running, serverId } = fixture;
    const moved = async () => ({
      read: await metric('files_bytes_total', 'direction="read"', 'way="gateway"'),
      written: await metric('files_bytes_total', 'direction="written"', 'way="gateway"'),
    });
    const before = await moved();
    await writeAll(running, { grant: running.grant(serverId, 'file.update'), path: '/through' }, 'x'.repeat(1_000));
    await readAll(running, { grant: running.grant(serverId, 'file.read-content'), path: '/through' });
    expect(await moved()).to.deep.equal({ read: before.read + 1_000, written: before.written + 1_000 });
    expect(await metric('direct_transfers', 'kind="downloads"')).to.equal(0);
    expect(await metric('direct_refusals_total', 'reason="ADDRESS_INVALID"')).to.be.at.least(1);
  });

  it('ends a direct download when the client goes away', async () => {
    await writeFile(path.join(fixture.directory, 'large'), Buffer.alloc(64 * 1024 * 1024));
    const stop = new AbortController();
    const response = await fetch(await link('/large'), { signal: stop.signal });
    await response.body?.getReader().read();
    const gauge = async () => metric('direct_transfers', 'kind="downloads"');
    expect(await gauge()).to.equal(1);
    stop.abort();
    await waitUntil('the download to end', async () => (await gauge()) === 0);
  });
});

describe('direct transfers over TLS', () => {
  let directory: string;
  const env = () => ({
    DIRECT_TLS_CERT: path.join(directory, 'cert.pem'),
    DIRECT_TLS_KEY: path.join(directory, 'key.pem'),
  });
  before(async function () {
    needPrograms(this, 'openssl');
    directory = await mkdtemp(path.join(tmpdir(), 'panel-direct-'));
    const subject = ['-subj', '/CN=localhost', '-days', '2', '-nodes'];
    const files = ['-keyout', env().DIRECT_TLS_KEY, '-out', env().DIRECT_TLS_CERT];
    const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    execFileSync('openssl', [...kind, ...subject, ...files], { stdio: 'ignore' });
  });
  after(async () => {
    if (directory) await rm(directory, { recursive: true });
  });

  it('answers direct transfers by a listener of their own', async () => {
    const fixture = await startDirectFixture(env());
    try {
      const status = await new Promise((resolve, reject) => {
        const url = `https://${fixture.running.direct}/`;
        const sent = request(url, { rejectUnauthorized: false }, (response) => {
          response.resume();
          resolve([response.statusCode, response.headers['strict-transport-security'] !== undefined]);
        });
        sent.once('error', reject);
        sent.end();
      });
      expect(status).to.deep.equal([404, true]);
    } finally {
      await fixture.stop();
    }
  });

  it('starts no direct transfers without a usable certificate', async () => {
    const start = async () => startDirectFixture({ ...env(), DIRECT_TLS_KEY: path.join(directory, 'missing.pem') });
    expect(await reasonOf(start())).to.not.equal('none');
  });
});
