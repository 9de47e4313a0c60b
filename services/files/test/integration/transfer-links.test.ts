import { randomUUID } from 'node:crypto';
import { chmod, link, mkdir, open, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ExportVolumeResponse_Kind as Kind } from '@panel/protos/files';
import { expect } from 'chai';
import {
  entry,
  type FakeSource,
  file,
  finish,
  link as symbolic,
  type Part,
  start,
  startFakeSource,
} from '../fake-source.js';
import { newVolume, reasonOf, type RunningFiles, startTestFiles } from '../harness.js';
import { startPacedLine } from '../paced-line.js';
import { beginReceiving, fingerprint, lastOf, makeBulk, receiveRequest } from '../transfer-trees.js';

const megabyte = 1024 * 1024;

describe('transfer of hard links', function () {
  this.timeout(180_000);
  let source: RunningFiles;
  let target: RunningFiles;
  before(async () => {
    [source, target] = await Promise.all([startTestFiles(), startTestFiles()]);
  });
  after(async () => Promise.all([source.stop(), target.stop()]));

  const placeOf = (serverId: string) => path.join(target.dataRoot, 'servers', serverId);
  /** One directory is read-only. */
  async function makeNames(directory: string): Promise<string[]> {
    const names = ['b/first', 'sealed/second', 'z/deep/third'];
    await mkdir(path.join(directory, 'b'));
    await mkdir(path.join(directory, 'sealed'));
    await mkdir(path.join(directory, 'z/deep'), { recursive: true });
    await writeFile(path.join(directory, 'b/first'), Buffer.alloc(3 * megabyte, 'x'));
    for (const name of names.slice(1)) await link(path.join(directory, 'b/first'), path.join(directory, name));
    await chmod(path.join(directory, 'sealed'), 0o500);
    return names;
  }
  const exported = async (serverId: string) => {
    const parts: Part[] = [];
    const grant = source.exportGrant(serverId, randomUUID());
    const request = { grant, afterPath: Buffer.alloc(0), partial: undefined };
    for await (const message of source.volumes.exportVolume(request)) {
      for (const { part } of message.parts) if (part) parts.push(part);
    }
    return parts;
  };

  it('keeps them as one file with the same digest on both sides', async () => {
    const { serverId, directory } = await newVolume(source);
    const names = await makeNames(directory);
    const { last } = await lastOf(target.volumes.receiveVolume(receiveRequest(source, serverId)));
    expect(await fingerprint(placeOf(serverId))).to.deep.equal(await fingerprint(directory));
    const nodes = await Promise.all(names.map(async (name) => stat(path.join(placeOf(serverId), name))));
    expect(new Set(nodes.map(({ ino }) => ino)).size).to.equal(1);
    expect(nodes[0]?.nlink).to.equal(3);
    expect(last?.end?.value).to.include(await source.volumes.verifyVolume({ serverId }));
    expect((await target.volumes.getVolumeUsage({ serverId })).usedBytes).to.be.lessThan(4 * megabyte);
  });

  it('counts their blocks once', async () => {
    const { serverId, directory } = await newVolume(source);
    await writeFile(path.join(directory, 'name-0'), Buffer.alloc(4 * megabyte, 'x'));
    for (let at = 1; at < 300; at += 1) await link(path.join(directory, 'name-0'), path.join(directory, `name-${at}`));
    const [first] = await exported(serverId);
    expect(first?.$case === 'start' && first.value.diskBytes).to.be.lessThan(6 * megabyte);
    await lastOf(target.volumes.receiveVolume(receiveRequest(source, serverId)));
    expect((await target.volumes.getVolumeUsage({ serverId })).usedBytes).to.be.lessThan(6 * megabyte);
    expect(await readdir(placeOf(serverId))).to.have.length(300);
  });

  it('completes missing links after an interruption', async () => {
    const { serverId, directory } = await newVolume(source);
    await makeNames(directory);
    // sorted between the names; incomplete at the pull's end
    await makeBulk(directory, 8, 0);
    const operationId = randomUUID();
    const line = await startPacedLine(() => source.address);
    const receiving = await beginReceiving(target, receiveRequest(line, serverId, operationId), 3 * megabyte);
    receiving.cancel();
    await reasonOf(receiving.end);
    await lastOf(target.volumes.receiveVolume(receiveRequest(source, serverId, operationId)));
    expect(await fingerprint(placeOf(serverId))).to.deep.equal(await fingerprint(directory));
    expect((await stat(path.join(placeOf(serverId), 'b/first'))).nlink).to.equal(3);
    line.stop();
  });

  it('keeps the volume on the source when reading sparse files would take hours', async () => {
    const { serverId, directory } = await newVolume(source);
    for (const name of ['one', 'other']) {
      const file = await open(path.join(directory, name), 'w');
      await file.truncate(600 * 1024 ** 3);
      await file.close();
    }
    const begun = performance.now();
    const receiving = lastOf(target.volumes.receiveVolume(receiveRequest(source, serverId)));
    expect(await reasonOf(receiving)).to.equal('TREE_UNSUPPORTED');
    expect(performance.now() - begun).to.be.lessThan(10_000);
  });
});

describe('source that announces hard links', () => {
  let target: RunningFiles;
  let source: FakeSource;
  before(async () => {
    [target, source] = await Promise.all([startTestFiles(), startFakeSource()]);
  });
  after(async () => {
    await target.stop();
    await source.stop();
  });

  const named = (name: string, linkedPath: string, more = {}) =>
    entry(name, { kind: Kind.FILE, mode: 0o644, sizeBytes: 5, linkedPath: Buffer.from(linkedPath), ...more });
  const sent = [start(), entry('d'), ...file('d/a', 'right'), symbolic('d/l', '/etc/passwd'), symbolic('e', 'd')];
  const lies: Record<string, Part[]> = {
    'above the root': [named('z', '../../../outside')],
    'by an absolute path': [named('z', '/etc/passwd')],
    'of what comes later': [named('f', 'z')],
    'of itself': [named('f', 'f')],
    'of nothing': [named('z', 'd/missing')],
    'of a directory': [named('z', 'd')],
    'of a symbolic link': [named('z', 'd/l')],
    'of what lies behind a symbolic link': [named('z', 'e/a')],
    'below a file': [named('z', 'd/a/b')],
    'of what is half there': [named('z', 'd/a', { resumeBytes: 3 })],
    'for a directory': [entry('z', { linkedPath: Buffer.from('d/a') })],
    'and sends bytes': [named('z', 'd/a'), { $case: 'chunk', value: Buffer.from('right') }],
  };
  for (const [what, parts] of Object.entries(lies)) {
    it(`refuses hard links of a source when they are ${what}`, async () => {
      const wanted = receiveRequest(source, randomUUID());
      source.answer([...sent, ...parts]);
      expect(await reasonOf(lastOf(target.volumes.receiveVolume(wanted)))).to.equal('SOURCE_INVALID');
      expect(await readdir(path.join(target.dataRoot, 'servers'))).not.to.include(wanted.serverId);
    });
  }

  it('refuses hard links of a source when the linked file differs', async () => {
    const wanted = receiveRequest(source, randomUUID());
    source.answer([...sent, named('z', 'd/a'), finish([...sent, ...file('z', 'wrong')])]);
    expect(await reasonOf(lastOf(target.volumes.receiveVolume(wanted)))).to.equal('TREE_MISMATCH');
  });
});
