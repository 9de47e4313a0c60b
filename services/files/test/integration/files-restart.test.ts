import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { createActorSigner, type GrpcServer, type UserActor } from '@panel/rpc';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { type ChildFiles, startChildFiles } from '../child.js';
import { fileGrant, serviceSecret } from '../harness.js';
import { orStop } from '../support/fake-service.js';
import { type DirectFixture, maker, type Rights, startDirectOthers, ways } from '../support/direct-fixture.js';

const megabyte = 1024 * 1024;

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  describe(`transfers of a files service that ends with ${signal}`, function () {
    this.timeout(120_000);
    const rights: Rights = { more: {}, refusal: null, permission: '' };
    let others: GrpcServer;
    let files: ChildFiles;
    let direct: string;
    let fixture: Pick<DirectFixture, 'rights' | 'serverId' | 'directory' | 'running'>;
    before(async () => {
      others = await startDirectOthers(rights);
      direct = `127.0.0.1:${await freePort()}`;
      const addresses = { IDENTITY_ADDRESS: others.address, SERVERS_ADDRESS: others.address };
      files = await orStop(others, startChildFiles(undefined, { DIRECT_LISTEN: direct, ...addresses }));
    });
    after(async () => {
      await files?.stop();
      await others?.stop(0);
    });
    beforeEach(async () => {
      const serverId = randomUUID();
      const { path: directory } = await files.volumes.createVolume({ serverId });
      const running = {
        get files() {
          return files.files;
        },
        direct,
        grant: fileGrant,
        tokenOf: (actor: UserActor) => createActorSigner(serviceSecret).sign(actor),
      };
      fixture = { rights, serverId, directory, running: running as unknown as DirectFixture['running'] };
    });

    for (const way of ways) {
      it(`continues an upload in the middle of a piece ${way.name}`, async () => {
        const content = randomBytes(3 * megabyte);
        const send = async (request: Parameters<typeof way.send>[1]) => way.send(fixture as DirectFixture, request);
        const metadata = `filename ${Buffer.from('map.bin').toString('base64')}`;
        const headers = { 'upload-length': String(content.length), 'upload-metadata': metadata };
        const location = (await send({ method: 'POST', headers })).headers['location'] ?? '';
        const patch = async (offset: number, body: Buffer | AsyncIterable<Buffer>) => {
          const piece = { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) };
          return send({ method: 'PATCH', location, headers: piece, body });
        };
        expect((await patch(0, content.subarray(0, megabyte))).status).to.equal(204);
        let end: () => void = () => undefined;
        const never = new Promise<void>((resolve) => (end = resolve));
        const stalled = async function* () {
          yield content.subarray(megabyte, 2 * megabyte);
          await never;
        };
        const lost = patch(megabyte, stalled()).catch(() => null);
        const arrived = path.join(files.dataRoot, 'uploads', fixture.serverId);
        await waitUntil('half of the second piece', async () => {
          const [id = ''] = await readdir(arrived);
          return (await stat(path.join(arrived, id))).size > 1.5 * megabyte;
        });
        await files.kill(signal);
        end();
        expect((await lost)?.status ?? 0).to.not.equal(204);
        await files.start();

        expect(await readdir(fixture.directory)).to.deep.equal([]);
        const offset = Number((await send({ method: 'HEAD', location })).headers['upload-offset']);
        expect(offset).to.be.within(megabyte, 2 * megabyte);
        expect((await patch(offset, content.subarray(offset))).status).to.equal(204);
        expect(await readdir(fixture.directory)).to.deep.equal(['map.bin']);
        expect((await readFile(path.join(fixture.directory, 'map.bin'))).equals(content)).to.equal(true);
      });
    }

    it('resumes a download that was cut off, and begins again when the file has changed', async () => {
      const content = randomBytes(32 * megabyte);
      const file = path.join(fixture.directory, 'world.bin');
      await writeFile(file, content);
      // a version is strong when it has rested
      const longAgo = new Date('2026-01-01T00:00:00.000Z');
      await utimes(file, longAgo, longAgo);
      const grant = fileGrant(fixture.serverId, 'file.read-content');
      const options = { actorToken: fixture.running.tokenOf(maker) };
      const { directPath } = await files.files.createDownloadLink({ grant, path: '/world.bin' }, options);
      const url = `http://${direct}/${directPath}`;

      const begun = await fetch(url);
      const version = begun.headers.get('etag') ?? '';
      const reader = (begun.body ?? expect.fail('no body')).getReader();
      const received = [Buffer.from((await reader.read()).value ?? [])];
      // the rest does not fit into the sockets: it is in the process that ends
      await files.kill(signal);
      await files.start();
      for (let next = await nextOf(reader); next; next = await nextOf(reader)) received.push(next);
      const before = Buffer.concat(received);
      expect(before.length).to.be.within(1, content.length - 1);

      const resume = async () => fetch(url, { headers: { range: `bytes=${before.length}-`, 'if-range': version } });
      const rest = await resume();
      expect(rest.status).to.equal(206);
      expect(rest.headers.get('content-range')).to.equal(
        `bytes ${before.length}-${content.length - 1}/${content.length}`,
      );
      const whole = Buffer.concat([before, Buffer.from(await rest.arrayBuffer())]);
      expect(whole.equals(content)).to.equal(true);

      const changed = randomBytes(content.length);
      await writeFile(file, changed);
      const again = await resume();
      expect(again.status).to.equal(200);
      expect(again.headers.get('etag')).to.not.equal(version);
      expect(Buffer.from(await again.arrayBuffer()).equals(changed)).to.equal(true);
    });
  });
}

/** Addresses outlive the process. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Null when the connection is cut. */
async function nextOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Buffer | null> {
  const next = await reader.read().catch(() => null);
  if (next?.done) throw new Error('the download has ended as if it were complete');
  return next && Buffer.from(next.value);
}
