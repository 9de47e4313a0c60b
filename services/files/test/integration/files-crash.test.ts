import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { waitUntil } from '@panel/kit/testing';
import { type ExchangeUploadRequest, FileOperation_State } from '@panel/protos/files';
import { createActorSigner, type UserActor } from '@panel/rpc';
import { expect } from 'chai';
import { type ChildFiles, startChildFiles } from '../child.js';
import { fileGrant, reasonOf, serviceSecret } from '../harness.js';

const megabyte = 1024 * 1024;
const actor: UserActor = {
  kind: 'user',
  userId: randomUUID(),
  permissions: [],
  method: 'session',
  credentialId: randomUUID(),
  ip: '192.0.2.9',
};

describe('uploads and downloads of a files service that is killed', function () {
  this.timeout(180_000);
  const content = randomBytes(3 * megabyte);
  /** Fits the file and its last block, not half of it twice. */
  const diskLimitBytes = 3 * megabyte + 64 * 1024;
  let files: ChildFiles;
  let web: Server;
  let answers: ServerResponse[];
  let serverId: string;
  let root: string;
  before(async () => {
    files = await startChildFiles(undefined, { PULL_ALLOW_PRIVATE: 'true' });
    web = createServer((_request, response) => void answers.push(response)).listen(0, '127.0.0.1');
    await once(web, 'listening');
  });
  after(async () => {
    web.closeAllConnections();
    web.close();
    await files.stop();
  });
  beforeEach(async () => {
    answers = [];
    serverId = randomUUID();
    ({ path: root } = await files.volumes.createVolume({ serverId }));
  });

  const usedBytes = async () => (await files.volumes.getVolumeUsage({ serverId, fresh: true })).usedBytes;
  /** The directory's own size differs between file systems. */
  const allocatedBytes = async (name: string) => (await stat(path.join(root, name))).blocks * 512;

  const tus = async (
    method: string,
    uploadId: string,
    headers: Record<string, string> = {},
    body: AsyncIterable<Buffer> | readonly Buffer[] = [],
  ) => {
    const start = {
      grant: fileGrant(serverId, 'file.create', { diskLimitBytes }),
      method,
      headers: { 'tus-resumable': '1.0.0', ...headers },
      uploadId,
      directory: '/',
      overwrite: false,
      locationPrefix: '/uploads/',
      locationSuffix: '',
      publicUrl: '',
      ifMatchSha256: '',
    };
    const messages = async function* (): AsyncGenerator<ExchangeUploadRequest> {
      yield { part: { $case: 'start', value: start } };
      for await (const value of body) yield { part: { $case: 'chunk', value } };
    };
    const options = { actorToken: createActorSigner(serviceSecret).sign(actor), timeoutMs: 60_000 };
    return files.files.exchangeUpload(messages(), options);
  };
  const create = async () => {
    const metadata = `filename ${Buffer.from('map.bin').toString('base64')}`;
    const headers = { 'upload-length': String(content.length), 'upload-metadata': metadata };
    return path.basename((await tus('POST', '', headers)).headers['location'] ?? '');
  };
  const patch = async (id: string, offset: number, body: AsyncIterable<Buffer> | readonly Buffer[]) =>
    tus('PATCH', id, { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) }, body);

  it('keeps acknowledged pieces, shows nothing of others, and counts their size once', async () => {
    const before = await usedBytes();
    const id = await create();
    expect((await patch(id, 0, [content.subarray(0, megabyte)])).status).to.equal(204);
    let end: () => void = () => undefined;
    const never = new Promise<void>((resolve) => (end = resolve));
    const stalled = async function* () {
      yield content.subarray(megabyte, 2 * megabyte);
      await never;
    };
    const lost = reasonOf(patch(id, megabyte, stalled()));
    const arrived = path.join(files.dataRoot, 'uploads', serverId, id);
    await waitUntil('half of the second piece', async () => (await stat(arrived)).size > 1.5 * megabyte);
    await files.kill();
    end();
    expect(await lost).to.not.equal('none');
    await files.start();

    expect(await readdir(root)).to.deep.equal([]);
    const offset = Number((await tus('HEAD', id)).headers['upload-offset']);
    expect(offset).to.be.within(megabyte, 2 * megabyte);
    expect((await usedBytes()) - before).to.be.at.least(offset);
    const elsewhere = await patch(id, megabyte - 1, [Buffer.from('x')]).catch((error: unknown) => error);
    expect(elsewhere).to.deep.include({ reason: 'UPLOAD_OFFSET_MISMATCH', metadata: { offsetBytes: offset } });
    expect((await patch(id, offset, [content.subarray(offset)])).status).to.equal(204);

    expect(await readdir(root)).to.deep.equal(['map.bin']);
    expect((await readFile(path.join(root, 'map.bin'))).equals(content)).to.equal(true);
    expect((await usedBytes()) - before).to.equal(await allocatedBytes('map.bin'));
    expect(await reasonOf(create())).to.equal('FILE_EXISTS');
  });

  it('leaves nothing of a pull, reports its failure, and accepts it again', async () => {
    const before = await usedBytes();
    const { port } = web.address() as AddressInfo;
    const pull = async () =>
      files.files.pullFile({
        grant: fileGrant(serverId, 'file.create', { diskLimitBytes }),
        url: `http://127.0.0.1:${port}/world.bin`,
        directory: 'maps',
        name: '',
      });
    const list = async () =>
      (await files.files.listFileOperations({ grant: fileGrant(serverId, 'file.read') })).operations;
    const lost = reasonOf(pull());
    await waitUntil('the request', async () => answers.length === 1);
    answers[0]?.writeHead(200, { 'content-length': content.length });
    answers[0]?.write(content.subarray(0, 2 * megabyte));
    await waitUntil('bytes on the disk', async () => (await usedOf(root)) > megabyte);
    await files.kill();
    expect(await lost).to.not.equal('none');
    await files.start();

    expect((await list()).map(({ state }) => state)).to.deep.equal([FileOperation_State.FAILED]);
    await waitUntil('the half file to go', async () => (await readdir(root)).length === 0);
    expect(await usedBytes()).to.equal(before);

    const again = pull();
    await waitUntil('the next request', async () => answers.length === 2);
    answers[1]?.end(content);
    await again;
    await waitUntil('the end', async () => (await list()).some(({ state }) => state === FileOperation_State.COMPLETED));
    expect((await readFile(path.join(root, 'maps', 'world.bin'))).equals(content)).to.equal(true);
  });
});

/** Includes hidden files. */
async function usedOf(directory: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(path.join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}
