import { randomBytes } from 'node:crypto';
import { createPanelClient } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { createGame } from './support/game.js';
import { freePort } from './support/ports.js';
import { createAdministrator } from './support/shared-stack.js';
import { bootStack, type SharedStack, type TestStack } from './support/stack.js';

const origin = 'https://panel.example.com';
const uploadLimit = 8;

/** Resumable uploads and link downloads as customers use them, over both ways. */
describe('transfers', function () {
  this.timeout(180_000);
  let installation: TestStack;
  let publicUrl: string;
  before(async () => {
    const listen = `127.0.0.1:${await freePort()}`;
    publicUrl = `http://${listen}`;
    installation = await bootStack({
      DIRECT_LISTEN: listen,
      DIRECT_ORIGINS: origin,
      CORS_ORIGINS: origin,
      RATE_LIMIT_UPLOAD: String(uploadLimit),
    });
  });
  after(async () => installation?.stop());

  for (const way of ['through the gateway', 'direct'] as const) describe(way, () => inOneWay(way));

  function inOneWay(way: 'through the gateway' | 'direct'): void {
    let test: SharedStack;
    let id: string;

    before(async () => {
      // The limit is that of a user.
      test = { ...installation, ...(await createAdministrator(installation)) };
      const { data: nodes } = await test.admin.get('/admin/nodes');
      const params = { id: nodes[0]?.id ?? expect.fail('no node') };
      const body = { public_url: way === 'direct' ? publicUrl : null };
      expect((await test.admin.put('/admin/nodes/{id}', { params, body })).data.public_url).to.equal(body.public_url);
      ({ id } = await createGame(test));
    });

    const tus = async (
      method: string,
      url: string,
      headers: Record<string, string> = {},
      body?: Uint8Array<ArrayBuffer>,
    ) =>
      fetch(new URL(url, test.stack.baseUrl), {
        method,
        headers: { 'tus-resumable': '1.0.0', origin, authorization: `Bearer ${test.admin.token()}`, ...headers },
        ...(body === undefined ? {} : { body }),
      });
    const create = async (name: string, size: number) => {
      const metadata = `filename ${Buffer.from(name).toString('base64')}`;
      const headers = { 'upload-length': String(size), 'upload-metadata': metadata };
      return tus('POST', `/api/v1/servers/${id}/files/uploads?directory=/world`, headers);
    };
    const begin = async (name: string, size: number) => {
      const answer = await create(name, size);
      expect(answer.status, await answer.text()).to.equal(201);
      const location = answer.headers.get('location') ?? '';
      expect(location.startsWith(publicUrl)).to.equal(way === 'direct');
      return location;
    };
    const piece = async (location: string, offset: number, bytes: Uint8Array<ArrayBuffer>) =>
      tus(
        'PATCH',
        location,
        { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) },
        bytes,
      );
    const offsetOf = async (location: string) =>
      Number((await tus('HEAD', location)).headers.get('upload-offset') ?? NaN);
    const link = async (path: string) => {
      const { data } = await test.admin.get('/servers/{id}/files/download', { params: { id }, query: { path } });
      expect(data.url.startsWith(publicUrl)).to.equal(way === 'direct');
      return new URL(data.url, test.stack.baseUrl);
    };

    it('continues an upload after kill -9 of the files service and of the gateway', async () => {
      const content = new Uint8Array(randomBytes(6_000_000));
      const location = await begin('map.bin', content.length);
      expect((await piece(location, 0, content.slice(0, 2_000_000))).status).to.equal(204);
      for (const [index, name] of (['files', 'gateway'] as const).entries()) {
        const offset = 2_000_000 * (index + 1);
        // a piece is in progress when the process dies
        const begun = stalled(content.slice(offset, offset + 1_000_000));
        const lost = tusStream(location, offset, begun.body).catch(() => null);
        await begun.sent;
        await test.stack.kill(name, 'SIGKILL');
        begun.fail();
        await lost;
        await test.stack.whenReady(name);
        let arrived = NaN;
        await waitUntil('the offset', async () => {
          arrived = await offsetOf(location).catch(() => NaN);
          return arrived >= offset;
        });
        expect(arrived).to.be.at.most(offset + 1_000_000);
        expect((await piece(location, arrived, content.slice(arrived, offset + 2_000_000))).status).to.equal(204);
      }
      const response = await fetch(await link('/world/map.bin'));
      expect(Buffer.from(await response.arrayBuffer()).equals(content)).to.equal(true);
    });

    const tusStream = async (location: string, offset: number, body: ReadableStream) =>
      fetch(new URL(location, test.stack.baseUrl), {
        method: 'PATCH',
        headers: {
          'tus-resumable': '1.0.0',
          authorization: `Bearer ${test.admin.token()}`,
          'content-type': 'application/offset+octet-stream',
          'upload-offset': String(offset),
        },
        body,
        duplex: 'half',
      });

    // the direct way: services/files/test/integration/files-restart.test.ts
    if (way === 'through the gateway')
      it('resumes a download that the end of a process cuts off, and begins again when the file has changed', async () => {
        const size = 32_000_000;
        const write = async (content: Uint8Array<ArrayBuffer>) => {
          const location = await begin('big.bin', content.length);
          expect((await piece(location, 0, content)).status).to.equal(204);
        };
        const content = new Uint8Array(randomBytes(size));
        await write(content);
        // of a version that has rested
        await waitUntil('a strong version', async () => {
          const answer = await fetch(await link('/world/big.bin'), { headers: { range: 'bytes=0-0' } });
          await answer.arrayBuffer();
          return answer.headers.get('etag')?.startsWith('"') ?? false;
        });
        const resumed = async (url: URL, from: number, version: string) =>
          fetch(url, { headers: { range: `bytes=${from}-`, 'if-range': version } });
        let last = { url: await link('/world/big.bin'), version: '' };
        for (const name of ['files', 'gateway']) {
          for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
            const url = await link('/world/big.bin');
            const begun = await fetch(url);
            const version = begun.headers.get('etag') ?? '';
            const reader = (begun.body ?? expect.fail('no body')).getReader();
            const received = [(await reader.read()).value ?? new Uint8Array()];
            // the rest does not fit into the sockets
            await test.stack.kill(name, signal);
            await test.stack.whenReady(name);
            for (let next = await nextOf(reader); next; next = await nextOf(reader)) received.push(next);
            const before = Buffer.concat(received);
            expect(before.length, `${name} ${signal}`).to.be.within(1, size - 1);

            const answers: Response[] = [];
            await waitUntil('an answer', async () => {
              const rest = await resumed(url, before.length, version).catch(() => null);
              if (rest && rest.status < 500) answers.push(rest);
              return answers.length > 0;
            });
            const answer = answers[0] ?? expect.fail('no answer');
            expect([answer.status, answer.headers.get('content-range')]).to.deep.equal([
              206,
              `bytes ${before.length}-${size - 1}/${size}`,
            ]);
            const whole = Buffer.concat([before, Buffer.from(await answer.arrayBuffer())]);
            expect(whole.equals(content)).to.equal(true);
            last = { url, version };
          }
        }
        const body = { root: '/world', files: ['big.bin'] };
        await test.admin.post('/servers/{id}/files/delete', { params: { id }, body });
        const changed = new Uint8Array(randomBytes(size));
        await write(changed);
        const again = await resumed(last.url, 1_000, last.version);
        expect(again.status).to.equal(200);
        expect(Buffer.from(await again.arrayBuffer()).equals(changed)).to.equal(true);
      });

    it('answers pages of the panel', async () => {
      const url = await link('/world/map.bin');
      const headers = { origin, 'access-control-request-method': 'PATCH' };
      const preflight = await fetch(url, { method: 'OPTIONS', headers });
      expect(preflight.status).to.equal(204);
      expect(preflight.headers.get('access-control-allow-origin')).to.equal(origin);
      expect(preflight.headers.get('access-control-allow-methods')).to.contain('PATCH');
      const answer = await fetch(url, { headers: { origin, range: 'bytes=0-9' } });
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).to.deep.equal([206, origin]);
      expect(answer.headers.get('access-control-expose-headers')).to.contain('Upload-Offset');
    });

    it('ends transfers with the session that began them, and while the server is suspended', async () => {
      const other = createPanelClient({ baseUrl: test.stack.baseUrl });
      await other.login(test.adminEmail, test.password);
      const url = new URL(`/api/v1/servers/${id}/files/uploads`, test.stack.baseUrl);
      const made = await fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${other.token()}`,
          'tus-resumable': '1.0.0',
          'upload-length': '4',
          'upload-metadata': 'filename YQ==',
        },
      });
      const location = made.headers.get('location') ?? '';
      const later = await link('/world/map.bin');
      await test.admin.post('/admin/servers/{id}/suspend', { params: { id } });
      const refused = await piece(location, 0, new Uint8Array(4));
      expect([refused.status, (await refused.json()) as object]).to.have.nested.property(
        '1.error.code',
        'server_locked',
      );
      expect((await fetch(later)).status).to.equal(404);
      await test.admin.post('/admin/servers/{id}/unsuspend', { params: { id } });
      await other.logout();
      if (way === 'direct') expect((await piece(location, 0, new Uint8Array(4))).status).to.equal(401);
    });

    it('counts an upload once, whatever the number of its pieces', async () => {
      const location = await begin('pieces.bin', 20);
      for (let at = 0; at < 20; at += 1) expect((await piece(location, at, new Uint8Array(1))).status).to.equal(204);
      const statuses: number[] = [];
      for (let i = 0; i < uploadLimit; i += 1) statuses.push((await create(`more-${i}`, 1)).status);
      expect(statuses.at(-1)).to.equal(429);
      expect(statuses[0]).to.equal(201);
    });
  }
});

/** A body that sends its bytes and does not end. */
function stalled(bytes: Uint8Array<ArrayBuffer>) {
  let resolveSent: () => void = () => undefined;
  const sent = new Promise<void>((resolve) => {
    resolveSent = resolve;
  });
  let end: (error: Error) => void = () => undefined;
  let isSent = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      end = (error) => controller.error(error);
    },
    pull: (controller) => {
      if (isSent) resolveSent();
      else controller.enqueue(bytes);
      isSent = true;
    },
  });
  return { body, sent, fail: () => end(new Error('the process has died')) };
}

/** Null when the connection is cut. */
async function nextOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | null> {
  const next = await reader.read().catch(() => null);
  if (next?.done) throw new Error('the download has ended as if it were complete');
  return next?.value ?? null;
}
