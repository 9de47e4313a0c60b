import { type FileHandle, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { TempNames } from '../../src/jail/temp-names.js';
import { digestTree } from '../../src/transfers/digest-tree.js';

const files = 30;

describe('the digest of a staging tree', () => {
  let directory: string;
  let root: FileHandle;
  let prototype: FileHandle;
  let original: PropertyDescriptor;
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'panel-digest-'));
    for (let at = 0; at < files; at += 1) await writeFile(path.join(directory, `f${at}`), `content ${at}`);
    root = await open(directory);
    prototype = Object.getPrototypeOf(root) as FileHandle;
    original = Object.getOwnPropertyDescriptor(prototype, 'sync') ?? {};
  });
  afterEach(async () => {
    Object.defineProperty(prototype, 'sync', original);
    await root.close();
    await rm(directory, { recursive: true });
  });

  const digest = async () =>
    digestTree(root, { tempNames: new TempNames(new Date()), onBytes: () => undefined, isStaging: true });

  it('syncs every file, 8 at a time', async () => {
    const waiting: (() => void)[] = [];
    let synced = 0;
    let peak = 0;
    prototype.sync = async () => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        peak = Math.max(peak, waiting.length);
      });
      synced += 1;
    };
    const digested = digest();
    await waitUntil('8 files to be synced', () => waiting.length === 8);
    await waitUntil('all files to be synced', () => {
      for (const end of waiting.splice(0)) end();
      return synced === files;
    });
    expect((await digested).entries).to.equal(files);
    expect(peak).to.equal(8);
  });

  it('fails with the first failure of a sync, after all of them', async () => {
    let ended = 0;
    prototype.sync = async () => {
      ended += 1;
      if (ended === 3) throw new Error('the disk failed');
    };
    const failure = await digest().catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('message', 'the disk failed');
    expect(ended).to.equal(files);
  });
});
