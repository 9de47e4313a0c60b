import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '@panel/kit/errors';
import { waitUntil } from '@panel/kit/testing';
import { ExportVolumeResponse_Kind as Kind } from '@panel/protos/files';
import { expect } from 'chai';
import { entry, type FakeSource, file, finish, link, type Part, start, startFakeSource } from '../fake-source.js';
import { reasonOf, type RunningFiles, startTestFiles } from '../harness.js';
import { fingerprint, lastOf, receiveRequest } from '../transfer-trees.js';

const chunk = (bytes: number): Part => ({ $case: 'chunk', value: Buffer.alloc(bytes, 1) });
const emptyFile = (name: string, more = {}): Part => entry(name, { kind: Kind.FILE, ...more });

/** Only from a broken or compromised source. */
const attacks: Record<string, Part[]> = {
  'a step up': [start(), entry('..')],
  'a file a step up': [start(), ...file('../evil', 'x')],
  'a step up behind a directory': [start(), entry('a'), ...file('a/../../evil', 'x')],
  'an absolute path': [start(), ...file('/evil', 'x')],
  'the root itself': [start(), entry('')],
  'a dot': [start(), entry('.')],
  'a dot behind a directory': [start(), entry('a'), entry('a/.')],
  'a slash at the end': [start(), entry('a/')],
  'two slashes': [start(), entry('a'), entry('a//b')],
  'a NUL in a name': [start(), entry('a\0b')],
  'a name of 256 bytes': [start(), entry('x'.repeat(256))],
  'a path over 4,096 bytes': [start(), entry(Array.from({ length: 30 }, () => 'x'.repeat(200)).join('/'))],
  'something below a link': [start(), link('a', '../../../..'), ...file('a/evil', 'x')],
  'a directory below a link': [start(), link('a', '/tmp'), entry('a/evil')],
  'something below a file': [start(), ...file('a', 'x'), ...file('a/evil', 'x')],
  'something in a directory that was not sent': [start(), ...file('a/evil', 'x')],
  'something in a directory that was left': [start(), entry('a'), entry('b'), ...file('a/evil', 'x')],
  'a link where a directory was': [start(), entry('a'), link('a', '/tmp')],
  'a file where a link was': [start(), link('a', '/tmp/evil'), ...file('a', 'x')],
  'an entry twice': [start(), ...file('a', 'x'), ...file('a', 'y')],
  'names in another order': [start(), entry('b'), entry('a')],
  'a link to nothing': [start(), link('a', '')],
  'a link with a NUL': [start(), link('a', 'b\0c')],
  'a directory with a target': [start(), entry('a', { linkTarget: Buffer.from('/tmp') })],
  'an entry of no kind': [start(), entry('a', { kind: Kind.UNSPECIFIED })],
  'a set-user-id bit': [start(), entry('a', { mode: 0o4755 })],
  'a negative mode': [start(), entry('a', { mode: -1 })],
  'no time': [start(), entry('a', { modifyTime: undefined })],
  'a negative size': [start(), emptyFile('a', { sizeBytes: -1 })],
  'a directory with a size': [start(), entry('a', { sizeBytes: 5 })],
  'more entries than announced': [start(1), entry('a'), entry('b')],
  'more bytes than announced': [start(5, 3), ...file('a', 'four')],
  'more bytes than the file has': [start(), emptyFile('a', { sizeBytes: 3 }), chunk(4)],
  'fewer bytes than the file has': [
    start(),
    emptyFile('a', { sizeBytes: 3 }),
    chunk(2),
    { $case: 'fileEnd', value: { sha256: Buffer.alloc(32) } },
  ],
  'an empty chunk': [start(), emptyFile('a', { sizeBytes: 3 }), chunk(0)],
  'a chunk over 256 KiB': [start(), emptyFile('a', { sizeBytes: 1_000_000 }), chunk(256 * 1024 + 1)],
  'more zeros than the file has': [start(), emptyFile('a', { sizeBytes: 3 }), { $case: 'zeroBytes', value: 4 }],
  'negative zeros': [start(), emptyFile('a', { sizeBytes: 3 }), { $case: 'zeroBytes', value: -1 }],
  'bytes of no file': [start(), entry('a'), chunk(1)],
  'the end of no file': [start(), { $case: 'fileEnd', value: { sha256: Buffer.alloc(32) } }],
  'a file in a file': [start(), emptyFile('a', { sizeBytes: 3 }), emptyFile('b')],
  'an end in a file': [start(), emptyFile('a', { sizeBytes: 3 }), finish([])],
  'something behind the end': [start(), finish([]), entry('a')],
  'an end with a negative count': [
    start(),
    { $case: 'finish', value: { entries: 0, bytes: 0, skipped: -1, treeSha256: '' } },
  ],
  'two starts': [start(), start()],
  'no start': [entry('a')],
  'a start with a negative total': [start(-1)],
};

describe('untrusted transfer source', () => {
  let target: RunningFiles;
  let source: FakeSource;
  before(async () => {
    [target, source] = await Promise.all([startTestFiles(), startFakeSource()]);
  });
  after(async () => {
    await target.stop();
    await source.stop();
  });

  const request = () => receiveRequest(source, randomUUID());
  const reasonOfReceiving = async (wanted: ReturnType<typeof request>) =>
    reasonOf(lastOf(target.volumes.receiveVolume(wanted)));
  // not readdir, which follows links
  const namesIn = async (name: string) => {
    const { stdout } = await promisify(execFile)('find', [
      path.join(target.dataRoot, name),
      '-mindepth',
      '1',
      '-printf',
      '%P\\n',
    ]);
    return stdout.split('\n').filter((line) => line !== '');
  };

  for (const [what, parts] of Object.entries(attacks)) {
    it(`refuses a source that sends ${what}, and keeps nothing`, async () => {
      const wanted = request();
      const before = (await namesIn('.')).toSorted();
      source.answer(parts);
      expect(await reasonOfReceiving(wanted)).to.equal('SOURCE_INVALID');
      // `find` fails on vanishing entries
      const isTrashEmpty = async () => (await namesIn('trash').catch(() => ['still being removed'])).length === 0;
      await waitUntil('everything to be removed', isTrashEmpty);
      expect((await namesIn('.')).toSorted()).to.deep.equal(before);
    });
  }

  it('accepts links to any path from a source, and follows none', async () => {
    const wanted = request();
    const parts = [start(), entry('a'), link('a/b', '../../../../../../etc'), link('c', '/etc/passwd')];
    source.answer([...parts, finish(parts)]);
    expect(await reasonOfReceiving(wanted)).to.equal('none');
    const place = path.join(target.dataRoot, 'servers', wanted.serverId);
    expect(await readdir(place)).to.deep.equal(['a', 'c']);
    const grant = target.grant(wanted.serverId, 'file.read-content');
    const reading = lastOf(target.files.readFile({ grant, path: '/c', offsetBytes: 0, limitBytes: 0 }) as never);
    expect(await reasonOf(reading)).to.equal('LINK_REFUSED');
  });

  it('detects a source whose file arrives damaged', async () => {
    const wanted = request();
    const parts = [start(), ...file('a', 'right'), ...file('b', 'damaged', Buffer.alloc(32, 7))];
    source.answer([...parts, finish(parts)]);
    expect(await reasonOfReceiving(wanted)).to.equal('TREE_MISMATCH');
    expect(await namesIn('servers')).not.to.include(wanted.serverId);
  });

  it('detects a source whose tree digest differs, and starts again at the next call', async () => {
    const wanted = request();
    const parts = [start(), entry('d'), ...file('d/a', 'right')];
    source.answer([...parts, finish([...parts, entry('e')])], [...parts, finish(parts)]);
    expect(await reasonOfReceiving(wanted)).to.equal('TREE_MISMATCH');
    expect(await namesIn('servers')).not.to.include(wanted.serverId);
    expect(await reasonOfReceiving(wanted)).to.equal('none');
    expect(source.requests.at(-1)?.afterPath.length).to.equal(0);
    expect(await namesIn('servers')).to.include(`${wanted.serverId}/d/a`);
  });

  it('pulls missing entries again, and replaces partial files', async () => {
    const wanted = request();
    const begun = [start(), entry('d'), ...file('d/a', 'first'), emptyFile('d/b', { sizeBytes: 6 }), chunk(3)];
    const tail = [...file('d/b', 'second'), ...file('e', 'third')];
    const whole = [start(), entry('d'), ...file('d/a', 'first'), ...tail];
    source.answer(begun, [start(), entry('d'), ...tail, finish(whole)]);
    expect(await reasonOfReceiving(wanted)).to.equal('SOURCE_UNAVAILABLE');
    expect(await reasonOfReceiving(wanted)).to.equal('none');
    expect(source.requests.at(-1)?.afterPath.toString()).to.equal('d/a');
    const place = path.join(target.dataRoot, 'servers', wanted.serverId);
    expect(await readFile(path.join(place, 'd/b'), 'utf8')).to.equal('second');
    expect(await fingerprint(place)).to.have.length(4);
  });

  it('refuses received entries that a source repeats, except parent directories', async () => {
    const wanted = request();
    const begun = [start(), entry('d'), ...file('d/a', 'first')];
    source.answer(begun, [...begun, finish(begun)]);
    await reasonOfReceiving(wanted);
    expect(await reasonOfReceiving(wanted)).to.equal('SOURCE_INVALID');
  });

  it('passes the refusal of a source on with its reason', async () => {
    source.answer([start(), new AppError('aborted', 'FILE_CHANGED', 'changed', { path: 'world' })]);
    expect(await reasonOfReceiving(request())).to.equal('FILE_CHANGED');
  });

  it('reports a source unavailable for any other failure', async () => {
    source.answer([start(), new Error('a defect')]);
    expect(await reasonOfReceiving(request())).to.equal('SOURCE_UNAVAILABLE');
  });

  it('pulls nothing that exceeds the free space', async () => {
    const wanted = request();
    source.answer([start(1, 1, Number.MAX_SAFE_INTEGER), ...file('a', 'x')]);
    const failure = await lastOf(target.volumes.receiveVolume(wanted)).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(AppError).with.property('reason', 'INSUFFICIENT_DISK');
    expect(failure).to.have.property('metadata').with.property('required_bytes', Number.MAX_SAFE_INTEGER);
    expect(await namesIn('transfers')).not.to.include(`${wanted.operationId}/tree/a`);
  });
});
