import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '@panel/kit/errors';
import { connectMongo } from '@panel/kit/mongo';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { reasonOf } from '../harness.js';
import {
  type DirectFixture,
  startDirectFixture,
  type TusAnswer,
  type TusRequest,
  ways,
} from '../support/direct-fixture.js';

type More = Pick<TusRequest, 'directory' | 'overwrite' | 'ifMatchSha256'>;

const pieceType = { 'content-type': 'application/offset+octet-stream' };
const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');
const named = (name: string) => ({ 'upload-metadata': `filename ${Buffer.from(name).toString('base64')}` });

for (const way of ways) {
  describe(`resumable uploads ${way.name}`, () => {
    let fixture: DirectFixture;
    let aheadMs = 0;
    before(async () => {
      fixture = await startDirectFixture({}, () => new Date(Date.now() + aheadMs));
    });
    after(async () => fixture.stop());
    beforeEach(async () => {
      aheadMs = 0;
      await fixture.renew();
    });

    const create = async (name: string, size: number, more: More = {}) =>
      way.send(fixture, { method: 'POST', headers: { 'upload-length': String(size), ...named(name) }, ...more });
    const begin = async (...options: Parameters<typeof create>) => {
      const answer = await create(...options);
      expect(answer.reason).to.equal('none');
      expect(answer.status).to.equal(201);
      return answer.headers['location'] ?? '';
    };
    const patch = async (location: string, offset: number, body: Buffer | AsyncIterable<Buffer>) =>
      way.send(fixture, {
        method: 'PATCH',
        location,
        body,
        headers: { ...pieceType, 'upload-offset': String(offset) },
      });
    const head = async (location: string) => way.send(fixture, { method: 'HEAD', location });
    const offsetOf = (answer: TusAnswer) => Number(answer.headers['upload-offset']);
    const read = async (name: string) => readFile(path.join(fixture.directory, name));
    const stored = async () => readdir(path.join(fixture.running.dataRoot, 'uploads', fixture.serverId));

    it('takes an upload in pieces and shows it whole', async () => {
      const content = randomBytes(3_000_000);
      const location = await begin('world.zip', content.length, { directory: '/maps/new' });
      const { headers } = await head(location);
      expect(headers).to.include({ 'upload-offset': '0', 'upload-length': '3000000', 'tus-resumable': '1.0.0' });
      expect(headers['upload-metadata']).to.equal(named('world.zip')['upload-metadata']);
      for (let at = 0; at < content.length; at += 1_000_000) {
        expect(await readdir(fixture.directory)).to.deep.equal([]);
        const answer = await patch(location, at, content.subarray(at, at + 1_000_000));
        expect(answer.status).to.equal(204);
        expect(offsetOf(answer)).to.equal(at + 1_000_000);
      }
      expect((await read('maps/new/world.zip')).equals(content)).to.equal(true);
      expect(offsetOf(await head(location))).to.equal(content.length);
      expect(await stored()).to.deep.equal([]);
    });

    it('begins an upload with its first piece where the client sends it, and needs none for an empty file', async () => {
      const headers = { 'upload-length': '6', ...named('a.txt'), ...pieceType };
      const answer = await way.send(fixture, { method: 'POST', headers, body: Buffer.from('one') });
      expect(offsetOf(answer)).to.equal(3);
      await patch(answer.headers['location'] ?? '', 3, Buffer.from('two'));
      expect(String(await read('a.txt'))).to.equal('onetwo');
      await begin('empty', 0);
      expect(await read('empty')).to.have.length(0);
    });

    it('keeps what has arrived of a piece that ends early', async () => {
      const location = await begin('a.bin', 10);
      const broken = async function* () {
        yield Buffer.from('12345');
        await waitUntil('the bytes to arrive', async () => offsetOf(await listed()) === 5);
        throw new Error('the line is cut');
      };
      const listed = async () => {
        const [id = ''] = await stored();
        const bytes = await readFile(path.join(fixture.running.dataRoot, 'uploads', fixture.serverId, id));
        return { status: 200, headers: { 'upload-offset': String(bytes.length) }, reason: 'none' };
      };
      await patch(location, 0, broken()).catch(() => undefined);
      await waitUntil('the piece to end', async () => offsetOf(await head(location)) === 5);
      expect((await patch(location, 5, Buffer.from('67890'))).status).to.equal(204);
      expect(String(await read('a.bin'))).to.equal('1234567890');
    });

    it('refuses a piece that begins elsewhere, and one that is too long', async () => {
      const location = await begin('a.bin', 10);
      expect((await patch(location, 3, Buffer.from('x'))).status).to.equal(409);
      expect((await patch(location, 0, Buffer.alloc(11))).status).to.equal(400);
      expect(offsetOf(await head(location))).to.equal(0);
    });

    it('accepts one of 50 concurrent pieces', async () => {
      const location = await begin('a.bin', 4);
      const pieces = await Promise.all(
        Array.from({ length: 50 }, async (_, i) => patch(location, 0, Buffer.from([i, i, i, i])).catch(() => null)),
      );
      expect(pieces.filter((piece) => piece?.status === 204)).to.have.length(1);
      expect(await read('a.bin')).to.have.length(4);
    });

    it('continues an upload after a restart of the process, and ends it with a file that was complete before it', async () => {
      const location = await begin('a.bin', 10);
      await patch(location, 0, Buffer.from('12345'));
      const port = fixture.running.direct.split(':')[1] ?? '';
      await fixture.running.restart();
      const moved = location.replace(`:${port}/`, `:${fixture.running.direct.split(':')[1]}/`);
      expect(offsetOf(await head(moved))).to.equal(5);
      await patch(moved, 5, Buffer.from('67890'));
      expect(String(await read('a.bin'))).to.equal('1234567890');
    });

    it('completes an upload with the next request when a process died before it could', async () => {
      const location = await begin('a.bin', 5);
      const [id = ''] = await stored();
      await writeFile(path.join(fixture.running.dataRoot, 'uploads', fixture.serverId, id), '12345');
      expect(offsetOf(await head(location))).to.equal(5);
      expect(String(await read('a.bin'))).to.equal('12345');
    });

    it('replaces a file only where that was asked for, with the right to change files', async () => {
      await writeFile(path.join(fixture.directory, 'a.txt'), 'before');
      expect((await create('a.txt', 5)).reason).to.equal('FILE_EXISTS');
      const location = await begin('a.txt', 5, { overwrite: true });
      await patch(location, 0, Buffer.from('after'));
      expect(String(await read('a.txt'))).to.equal('after');
    });

    it('replaces no file that appeared during an upload, and reports it until it is gone', async () => {
      const location = await begin('a.txt', 5);
      await patch(location, 0, Buffer.from('1234'));
      await writeFile(path.join(fixture.directory, 'a.txt'), 'by the game');
      expect((await patch(location, 4, Buffer.from('5'))).status).to.equal(409);
      const [id = ''] = await stored();
      await appendFile(path.join(fixture.running.dataRoot, 'uploads', fixture.serverId, id), '5');
      expect((await head(location)).status).to.equal(409);
      expect(String(await read('a.txt'))).to.equal('by the game');
      await rm(path.join(fixture.directory, 'a.txt'));
      expect(offsetOf(await head(location))).to.equal(5);
      expect(String(await read('a.txt'))).to.equal('12345');
    });

    describe('with a precondition', () => {
      const beginIf = async (seen: string, size: number) => begin('a.txt', size, ifMatch(seen));
      const ifMatch = (seen: string) => ({ overwrite: true, ifMatchSha256: sha256(seen) });
      const change = async (content: string) => writeFile(path.join(fixture.directory, 'a.txt'), content);

      it('replaces the file while it is the one of the checksum', async () => {
        await change('before');
        const location = await beginIf('before', 5);
        await patch(location, 0, Buffer.from('af'));
        expect((await patch(location, 2, Buffer.from('ter'))).status).to.equal(204);
        expect(String(await read('a.txt'))).to.equal('after');
        expect((await create('a.txt', 0, ifMatch('after'))).status).to.equal(201);
        expect(await read('a.txt')).to.have.length(0);
      });

      it('begins no upload for another file, or where there is none', async () => {
        expect((await create('a.txt', 5, ifMatch('before'))).reason).to.equal('FILE_CHANGED');
        await change('theirs');
        expect((await create('a.txt', 5, ifMatch('before'))).reason).to.equal('FILE_CHANGED');
        expect(String(await read('a.txt'))).to.equal('theirs');
        expect(await stored().catch(() => [])).to.deep.equal([]);
      });

      it('replaces nothing that was changed or removed since the beginning', async () => {
        await change('before');
        const location = await beginIf('before', 5);
        await patch(location, 0, Buffer.from('aft'));
        await change('theirs');
        expect((await patch(location, 3, Buffer.from('er'))).reason).to.equal('FILE_CHANGED');
        expect((await head(location)).status).to.equal(409);
        expect(String(await read('a.txt'))).to.equal('theirs');
        await rm(path.join(fixture.directory, 'a.txt'));
        expect((await head(location)).status).to.equal(409);
        expect(await readdir(fixture.directory)).to.deep.equal([]);
      });

      it('keeps the condition across a restart of the process', async () => {
        await change('before');
        const location = await beginIf('before', 5);
        await patch(location, 0, Buffer.from('aft'));
        const port = fixture.running.direct.split(':')[1] ?? '';
        await fixture.running.restart();
        const moved = location.replace(`:${port}/`, `:${fixture.running.direct.split(':')[1]}/`);
        await change('theirs');
        expect((await patch(moved, 3, Buffer.from('er'))).reason).to.equal('FILE_CHANGED');
        expect(String(await read('a.txt'))).to.equal('theirs');
      });

      it('lets one of many concurrent uploads replace the file', async () => {
        await change('before');
        const locations = await Promise.all(Array.from({ length: 20 }, async () => beginIf('before', 2)));
        const answers = await Promise.all(
          locations.map(async (location, i) => patch(location, 0, Buffer.from(String(i + 10)))),
        );
        expect(answers.filter(({ status }) => status === 204)).to.have.length(1);
        expect(answers.filter(({ reason }) => reason === 'FILE_CHANGED')).to.have.length(19);
      });

      it('replaces the file of an upload that was stored without a condition', async () => {
        const location = await begin('a.txt', 5, { overwrite: true });
        await change('theirs');
        const mongo = await connectMongo(fixture.running.mongoUrl, { appName: 'test' });
        try {
          const { serverId } = fixture;
          await mongo.collection('uploads').updateOne({ serverId }, { $unset: { condition: 1 } });
        } finally {
          await mongo.close();
        }
        expect((await patch(location, 0, Buffer.from('after'))).status).to.equal(204);
        expect(String(await read('a.txt'))).to.equal('after');
      });

      it('takes only a checksum, of a file to replace', async () => {
        await change('before');
        const broken = { overwrite: true, ifMatchSha256: 'abc' };
        expect((await create('a.txt', 5, broken)).reason).to.equal('INVALID_FIELDS');
        const creation = { ifMatchSha256: sha256('before') };
        expect((await create('a.txt', 5, creation)).reason).to.equal('INVALID_FIELDS');
      });
    });

    it('refuses uploads to protected places, links and names that lead out', async () => {
      await mkdir(path.join(fixture.directory, 'dir'));
      await symlink('/etc', path.join(fixture.directory, 'etc'));
      fixture.rights.more = { denylist: ['secret.*'], pathRules: [[{ path: '/private', access: 'read_only' }]] };
      expect((await create('secret.key', 1)).reason).to.equal('FILE_DENIED');
      expect((await create('a', 1, { directory: '/private' })).reason).to.equal('PATH_FORBIDDEN');
      expect((await create('passwd', 1, { directory: '/etc' })).reason).to.equal('LINK_REFUSED');
      expect((await create('dir', 1, { overwrite: true })).reason).to.equal('NOT_A_FILE');
      for (const name of ['../a', 'a/../../b', 'a\nb', '', '.', 'x'.repeat(300)]) {
        expect((await create(name, 1)).status, name).to.equal(422);
      }
    });

    it('checks the place of an upload again with every piece', async () => {
      const location = await begin('a.txt', 5);
      fixture.rights.more = { pathRules: [[{ path: '/', access: 'read_only' }]] };
      expect((await patch(location, 0, Buffer.from('12345'))).status).to.equal(403);
      fixture.rights.more = {};
      fixture.rights.refusal = new AppError('unauthenticated', 'UNAUTHENTICATED', 'the session has ended');
      expect((await patch(location, 0, Buffer.from('12345'))).status).to.equal(401);
      fixture.rights.refusal = null;
      expect((await patch(location, 0, Buffer.from('12345'))).status).to.equal(204);
    });

    it('limits uploads by the disk limit of the server and the file limit of the node', async () => {
      const limit = 1024 * 1024;
      fixture.rights.more = { diskLimitBytes: limit, uploadLimitBytes: 10 * limit };
      expect((await create('a.bin', 2 * limit)).reason).to.equal('DISK_LIMIT');
      expect((await create('a.bin', 11 * limit)).reason).to.equal('UPLOAD_TOO_LARGE');
      const locations = await Promise.all(['a', 'b'].map(async (name) => begin(name, 700_000)));
      const answers = await Promise.all(locations.map(async (location) => patch(location, 0, Buffer.alloc(700_000))));
      const told = answers.map(({ status, reason }) => `${status} ${reason}`).sort();
      expect(told).to.deep.equal(['204 none', '409 DISK_LIMIT']);
      await way.send(fixture, { method: 'DELETE', location: locations[answers[0]?.status === 204 ? 1 : 0] ?? '' });
      expect((await create('c', 200_000)).status).to.equal(201);
    });

    it('refuses uploads to a frozen volume', async () => {
      const location = await begin('a.bin', 5);
      const { serverId, running } = fixture;
      await running.volumes.freezeVolume({ serverId, operationId: randomUUID(), freezeId: '' });
      expect((await patch(location, 0, Buffer.from('12345'))).reason).to.equal('SERVER_LOCKED');
      expect((await create('b.bin', 5)).reason).to.equal('SERVER_LOCKED');
    });

    it('ends an upload on request and deletes it', async () => {
      const location = await begin('a.bin', 5);
      await patch(location, 0, Buffer.from('123'));
      expect((await way.send(fixture, { method: 'DELETE', location })).status).to.equal(204);
      expect((await head(location)).status).to.equal(404);
      expect((await patch(location, 3, Buffer.from('45'))).status).to.equal(404);
      expect(await stored()).to.deep.equal([]);
    });

    it('expires an upload a day after its last piece', async () => {
      const location = await begin('a.bin', 5);
      aheadMs = 20 * 3_600_000;
      await patch(location, 0, Buffer.from('123'));
      aheadMs = 40 * 3_600_000;
      expect(offsetOf(await head(location))).to.equal(3);
      aheadMs = 45 * 3_600_000;
      expect((await head(location)).status).to.equal(404);
      await fixture.running.restart();
      await waitUntil('the sweep', async () => (await stored()).length === 0);
    });

    it('refuses an upload without the name of a file', async () => {
      for (const metadata of [{}, { 'upload-metadata': 'filename' }, named('.'), named('/'), named('./')]) {
        const headers = { 'upload-length': '3', ...metadata };
        const answer = await way.send(fixture, { method: 'POST', headers, directory: '/world' });
        expect(answer.reason).to.equal('INVALID_FIELDS');
      }
    });

    it('refuses what is no request of the protocol', async () => {
      const location = await begin('a.bin', 5);
      const broken = { 'tus-resumable': '0.2.2' };
      expect((await way.send(fixture, { method: 'HEAD', location, headers: broken })).status).to.be.oneOf([400, 412]);
      const body = Buffer.from('12345');
      const headers = { 'upload-offset': '0' };
      expect((await way.send(fixture, { method: 'PATCH', location, body, headers })).status).to.equal(400);
      expect((await way.send(fixture, { method: 'PATCH', location, body, headers: pieceType })).status).to.equal(400);
      for (const length of ['-1', '1.5', 'x', '']) {
        const more = { 'upload-length': length, ...named('b') };
        expect((await way.send(fixture, { method: 'POST', headers: more })).status, length).to.equal(400);
      }
      const deferred = { 'upload-defer-length': '1', ...named('b') };
      expect((await way.send(fixture, { method: 'POST', headers: deferred })).status).to.equal(400);
    });

    it('lists uploads until they end, without those that path rules hide', async () => {
      await begin('a.bin', 5, { directory: '/open' });
      await begin('b.bin', 5, { directory: '/private' });
      const { serverId, running } = fixture;
      const list = async (more = {}) =>
        (await running.files.listUploads({ grant: running.grant(serverId, 'file.read', more) })).uploads;
      expect((await list()).map((one) => one.path)).to.deep.equal(['/private/b.bin', '/open/a.bin']);
      const rules = { pathRules: [[{ path: '/private', access: 'deny' }]] };
      expect((await list(rules)).map((one) => one.path)).to.deep.equal(['/open/a.bin']);
    });

    it('answers for no upload that path rules hide, and ends none', async () => {
      const location = await begin('b.bin', 5, { directory: '/private' });
      fixture.rights.more = { pathRules: [[{ path: '/private', access: 'deny' }]] };
      for (const method of ['HEAD', 'DELETE'] as const) {
        expect((await way.send(fixture, { method, location })).status).to.equal(404);
      }
      fixture.rights.more = {};
      expect(offsetOf(await head(location))).to.equal(0);
    });

    it('limits uploads to 50 at a time', async () => {
      const answers = await Promise.all(Array.from({ length: 55 }, async (_, i) => create(`${i}`, 5)));
      expect(answers.filter(({ status }) => status === 201)).to.have.length(50);
      expect(answers.filter(({ reason }) => reason === 'UPLOAD_LIMIT')).to.have.length(5);
    });

    it('deletes uploads with their server', async () => {
      const location = await begin('a.bin', 5);
      await fixture.running.volumes.deleteVolume({ serverId: fixture.serverId });
      expect((await head(location)).status).to.equal(404);
      expect(await readdir(path.join(fixture.running.dataRoot, 'uploads'))).to.not.include(fixture.serverId);
    });

    it('binds an upload to one server', async () => {
      const location = await begin('a.bin', 5);
      const id = location.replace(/^.*uploads\/([0-9a-f-]{36}\/)?([0-9a-f-]{36}).*$/, '$2');
      await fixture.renew();
      const foreign = await ways[0]?.send(fixture, { method: 'HEAD', location: `/uploads/${id}` });
      expect(foreign?.reason).to.equal('UPLOAD_NOT_FOUND');
    });
  });
}

describe('an upload exchange', () => {
  let fixture: DirectFixture;
  before(async () => {
    fixture = await startDirectFixture();
  });
  after(async () => fixture.stop());

  it('needs a grant for it, and a start', async () => {
    const { running, serverId } = fixture;
    const start = (permission: string) => ({
      grant: running.grant(serverId, permission),
      method: 'POST',
      headers: { 'tus-resumable': '1.0.0', 'upload-length': '1', ...named('a') },
      uploadId: '',
      directory: '/',
      overwrite: true,
      locationPrefix: '',
      locationSuffix: '',
      publicUrl: '',
      ifMatchSha256: '',
    });
    const exchange = async (value: ReturnType<typeof start>) =>
      reasonOf(running.files.exchangeUpload(one({ part: { $case: 'start', value } })));
    expect(await exchange(start('file.read'))).to.equal('GRANT_INSUFFICIENT');
    expect(await exchange(start('file.create'))).to.equal('GRANT_INSUFFICIENT');
    expect(await exchange(start('file.update'))).to.equal('none');
    const chunk = { part: { $case: 'chunk' as const, value: Buffer.from('x') } };
    expect(await reasonOf(running.files.exchangeUpload(one(chunk)))).to.equal('INVALID_FIELDS');
  });
});

async function* one<T>(message: T): AsyncGenerator<T> {
  yield message;
}
