import { createHash, randomUUID } from 'node:crypto';
import { chmod, link, lstat, mkdir, open, readdir, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ExportVolumeResponse_Kind as Kind } from '@panel/protos/files';
import { expect } from 'chai';
import { entry, type FakeSource, file, finish, type Part, start, startFakeSource } from '../fake-source.js';
import { newVolume, reasonOf, type RunningFiles, startTestFiles } from '../harness.js';
import { type PacedLine, startPacedLine } from '../paced-line.js';
import {
  beginReceiving,
  fingerprint,
  identityOf,
  lastOf,
  makeBulk,
  makeHuge,
  makeOddTree,
  receiveRequest,
} from '../transfer-trees.js';

const megabyte = 1024 * 1024;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
describe('transfer of a partly received file', function () {
  this.timeout(180_000);
  let source: RunningFiles;
  let target: RunningFiles;
  let line: PacedLine;
  before(async () => {
    [source, target] = await Promise.all([startTestFiles(), startTestFiles()]);
    line = await startPacedLine(() => source.address);
  });
  after(async () => {
    line.stop();
    await Promise.all([source.stop(), target.stop()]);
  });

  async function halfArrived() {
    const { serverId, directory } = await newVolume(source);
    await mkdir(path.join(directory, 'world'));
    await makeHuge(path.join(directory, 'world/region'), 10);
    const operationId = randomUUID();
    const receiving = await beginReceiving(target, receiveRequest(line, serverId, operationId), 4 * megabyte);
    receiving.cancel();
    await reasonOf(receiving.end);
    const partial = path.join(target.dataRoot, 'transfers', operationId, 'tree/world/region');
    const again = async () => lastOf(target.volumes.receiveVolume(receiveRequest(source, serverId, operationId)));
    return { directory, serverId, partial, again, place: path.join(target.dataRoot, 'servers', serverId) };
  }

  it('appends to the same partial file and keeps holes', async () => {
    const { directory, partial, again, place } = await halfArrived();
    const { size } = await stat(partial);
    expect(size).to.be.greaterThan(3 * megabyte);
    const before = await identityOf(partial);
    await again();
    const arrived = path.join(place, 'world/region');
    expect(await identityOf(arrived)).to.equal(before);
    expect(await fingerprint(place)).to.deep.equal(await fingerprint(directory));
    expect((await stat(arrived)).blocks * 512).to.be.lessThan(9 * megabyte);
  });

  const damages: Record<string, (partial: string) => Promise<unknown>> = {
    'has a byte that is not right': async (partial) => {
      const handle = await open(partial, 'r+');
      await handle.write(Buffer.from('?'), 0, 1, megabyte);
      await handle.close();
    },
    'lost its end': async (partial) => truncate(partial, megabyte + 17),
    'is longer than it ever was': async (partial) => truncate(partial, 20 * megabyte),
    'is empty': async (partial) => truncate(partial, 0),
    'is gone': async (partial) => rm(partial),
    'is a directory': async (partial) => {
      await rm(partial);
      await mkdir(`${partial}/x`, { recursive: true });
    },
    'may not be written to': async (partial) => chmod(partial, 0o400),
  };
  for (const [what, damage] of Object.entries(damages)) {
    it(`results in the correct file when the partial file ${what}`, async () => {
      const { directory, partial, again, place } = await halfArrived();
      await damage(partial);
      await again();
      expect(await fingerprint(place)).to.deep.equal(await fingerprint(directory));
    });
  }

  it('never writes through a link', async () => {
    const { directory, partial, again, place } = await halfArrived();
    const outside = path.join(target.dataRoot, 'outside');
    await writeFile(outside, 'not yours', { mode: 0o640 });
    await rm(partial);
    await symlink(outside, partial);
    await again();
    expect(await fingerprint(place)).to.deep.equal(await fingerprint(directory));
    expect((await lstat(outside)).mode & 0o777).to.equal(0o640);
    expect((await stat(outside)).size).to.equal(9);
  });

  it('restarts when the source file has changed', async () => {
    const { directory, again, place } = await halfArrived();
    await makeHuge(path.join(directory, 'world/region'), 3);
    await again();
    expect(await fingerprint(place)).to.deep.equal(await fingerprint(directory));
  });

  it('does not install a tree that has lost entries since', async () => {
    const { serverId, directory } = await newVolume(source);
    await makeOddTree(directory);
    await makeBulk(directory, 5, 0);
    const request = receiveRequest(source, serverId);
    const { operationId } = request;
    const receiving = await beginReceiving(target, receiveRequest(line, serverId, operationId), 2 * megabyte);
    receiving.cancel();
    await reasonOf(receiving.end);
    const tree = path.join(target.dataRoot, 'transfers', operationId, 'tree');
    await rm(path.join(tree, 'a'), { recursive: true });
    await mkdir(path.join(tree, 'a'));
    expect(await reasonOf(lastOf(target.volumes.receiveVolume(request)))).to.equal('TREE_MISMATCH');
    await lastOf(target.volumes.receiveVolume(request));
    expect(await fingerprint(path.join(target.dataRoot, 'servers', serverId))).to.deep.equal(
      await fingerprint(directory),
    );
  });

  it('handles a source path that was removed or replaced', async () => {
    const { directory, again, place } = await halfArrived();
    await rm(path.join(directory, 'world'), { recursive: true });
    await writeFile(path.join(directory, 'world'), 'flat');
    await link(path.join(directory, 'world'), path.join(directory, 'zzz'));
    // the directory's rest is refused as excess, and the next call restarts
    await reasonOf(again());
    await again();
    expect(await fingerprint(place)).to.deep.equal(await fingerprint(directory));
  });
});

describe('source that knows the partial file of the target', () => {
  let target: RunningFiles;
  let source: FakeSource;
  before(async () => {
    [target, source] = await Promise.all([startTestFiles(), startFakeSource()]);
  });
  after(async () => {
    await target.stop();
    await source.stop();
  });

  const content = 'the first half, the second half';
  const [first, rest] = [Buffer.from(content.slice(0, 15)), Buffer.from(content.slice(15))];
  const fileEntry = (name: string, resumeBytes: number) =>
    entry(name, { kind: Kind.FILE, mode: 0o644, sizeBytes: content.length, resumeBytes });
  const chunk = (value: Buffer): Part => ({ $case: 'chunk', value });
  const end: Part = { $case: 'fileEnd', value: { sha256: sha256(Buffer.from(content)) } };
  const whole = [start(), ...file('f', content)];
  /** The first pull ends within `f`; returns the second's reason. */
  async function answered(...parts: Part[]) {
    const wanted = receiveRequest(source, randomUUID());
    source.answer([start(), fileEntry('f', 0), chunk(first)], parts);
    expect(await reasonOf(lastOf(target.volumes.receiveVolume(wanted)))).to.equal('SOURCE_UNAVAILABLE');
    const reason = await reasonOf(lastOf(target.volumes.receiveVolume(wanted)));
    return { wanted, reason, asked: source.requests.at(-1)?.partial };
  }

  it('sends the remaining bytes', async () => {
    const { reason, asked } = await answered(start(), fileEntry('f', 15), chunk(rest), end, finish(whole));
    expect(reason).to.equal('none');
    expect(asked).to.deep.equal({ path: Buffer.from('f'), bytes: 15, sha256: sha256(first) });
  });

  it('accepts the whole file from a source, as versions without resume send it', async () => {
    expect((await answered(...whole, finish(whole))).reason).to.equal('none');
  });

  it('refuses a source that skips bytes the target lacks', async () => {
    const lies: Part[][] = [
      [start(), fileEntry('f', 14), chunk(Buffer.from(content.slice(14))), end, finish(whole)],
      [start(), fileEntry('f', 16), chunk(Buffer.from(content.slice(16))), end, finish(whole)],
      [start(), fileEntry('g', 15), chunk(rest), end, finish(whole)],
      [start(), fileEntry('f', content.length + 1), end, finish(whole)],
      [start(), fileEntry('f', -1), end, finish(whole)],
      [start(), entry('f', { resumeBytes: 15 })],
    ];
    for (const lie of lies) expect((await answered(...lie)).reason).to.equal('SOURCE_INVALID');
  });

  it('detects a source whose rest belongs to another file', async () => {
    const other = Buffer.from(rest.toString().replace('second', 'SECOND'));
    const { reason, wanted } = await answered(start(), fileEntry('f', 15), chunk(other), end, finish(whole));
    expect(reason).to.equal('TREE_MISMATCH');
    expect(await readdir(path.join(target.dataRoot, 'servers'))).not.to.include(wanted.serverId);
  });

  it('receives no resume offset on a first pull', async () => {
    const wanted = receiveRequest(source, randomUUID());
    source.answer([start(), fileEntry('f', 15), chunk(rest), end, finish(whole)]);
    expect(await reasonOf(lastOf(target.volumes.receiveVolume(wanted)))).to.equal('SOURCE_INVALID');
    expect(source.requests.at(-1)?.partial).to.equal(undefined);
  });
});
