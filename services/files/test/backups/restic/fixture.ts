import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { waitUntil } from '@panel/kit/testing';
import type { BackupRef, BackupStorage } from '../../../src/backups/storage/backup-storage.js';
import type { ResticConfig } from '../../../src/backups/restic/run-restic.js';
import { createResticStorage } from '../../../src/backups/restic/storage.js';
import { openTrusted, withHandle } from '../../../src/jail/node.js';
import { scanning } from '../scanning.js';
import { makeQuickRepository, password } from './quick-repository.js';

export const environment = {
  AWS_ACCESS_KEY_ID: 'a',
  AWS_SECRET_ACCESS_KEY: 'secret-key',
  AWS_DEFAULT_REGION: 'us-east-1',
};

interface Place {
  readonly directory: string;
  readonly volume: string;
  readonly repository: string;
  readonly config: ResticConfig;
}

export class ResticFixture {
  readonly serverId = randomUUID();
  #original: Place | null = null;
  #copy: Place | null = null;

  async make(): Promise<BackupRef> {
    this.#original = await this.#place();
    const { volume, repository, config } = this.#original;
    await makeQuickRepository(repository);
    await mkdir(path.join(volume, 'world'), { recursive: true });
    await mkdir(config.workDirectory);
    await writeFile(path.join(volume, 'world/a'), randomBytes(50_000));
    await writeFile(path.join(volume, 'world/b'), randomBytes(50_000));
    const first = await this.#storeAt(volume, createResticStorage(config));
    const trees = path.join(config.workDirectory, 'trees');
    await waitUntil('its tree to be gone', async () => (await readdir(trees)).length === 0);
    return first;
  }

  async copy(): Promise<Place> {
    if (!this.#original) throw new Error('there is nothing to copy yet');
    this.#copy = await this.#place();
    await cp(this.#original.directory, this.#copy.directory, { recursive: true });
    return this.#copy;
  }

  async removeCopy(): Promise<void> {
    if (!this.#copy) return;
    const { directory } = this.#copy;
    // lazily: a timed-out test may still use it
    if (isMounted(smallDisk(directory))) execFileSync('umount', ['-l', smallDisk(directory)]);
    await rm(directory, { recursive: true, force: true });
  }

  async remove(): Promise<void> {
    if (this.#original) await rm(this.#original.directory, { recursive: true, force: true });
  }

  readonly store = async (storage: BackupStorage, onArchived: () => void = () => undefined): Promise<BackupRef> => {
    if (!this.#copy) throw new Error('there is no copy');
    return this.#storeAt(this.#copy.volume, storage, onArchived);
  };

  /** Skips the test when mounting is impossible. */
  async mountSmallDisk(test: Mocha.Context, megabytes: number): Promise<string> {
    if (!this.#copy) throw new Error('there is no copy');
    const disk = smallDisk(this.#copy.directory);
    await mkdir(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', disk]);
    } catch {
      test.skip();
    }
    await cp(path.dirname(this.#copy.repository), disk, { recursive: true });
    return disk;
  }

  async #storeAt(volume: string, storage: BackupStorage, onArchived: () => void = () => undefined): Promise<BackupRef> {
    const ref = { id: randomUUID(), serverId: this.serverId, checksum: '' };
    return withHandle(await openTrusted(volume), async (root) => {
      const signal = new AbortController().signal;
      const source = { root, scan: scanning(root), signal, onArchived, onVerified: () => undefined };
      return { ...ref, ...(await storage.create(ref, source)) };
    });
  }

  async #place(): Promise<Place> {
    const directory = await mkdtemp(path.join(tmpdir(), 'panel-restic-'));
    const repositories = path.join(directory, 'repositories');
    const config = { repository: repositories, password, environment, workDirectory: path.join(directory, 'work') };
    const volume = path.join(directory, 'volume');
    return { directory, volume, repository: path.join(repositories, this.serverId), config };
  }
}

function smallDisk(directory: string): string {
  return path.join(directory, 'small');
}

function isMounted(directory: string): boolean {
  return spawnSync('mountpoint', ['-q', directory]).status === 0;
}
