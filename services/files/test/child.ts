import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Client } from '@panel/rpc';
import type { BackupServiceService, FileServiceService, VolumeServiceService } from '@panel/protos/files';
import { dropTestDatabase, testMongoUrl } from '@panel/testing';
import { clientsOf, environmentOf } from './harness.js';
import path from 'node:path';

/** In a separate process, for crash tests. */
export interface ChildFiles {
  readonly dataRoot: string;
  readonly address: string;
  readonly volumes: Client<VolumeServiceService>;
  readonly files: Client<FileServiceService>;
  readonly backups: Client<BackupServiceService>;
  /** kill -9, unless another signal is named. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** With the same data root, at another address. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const main = fileURLToPath(new URL('../main.js', import.meta.url));

/** Only root can switch users. */
export interface ChildUser {
  readonly uid: number;
  readonly gid: number;
}

export async function startChildFiles(user?: ChildUser, more: Record<string, string> = {}): Promise<ChildFiles> {
  const dataRoot = await mkdtemp(path.join(tmpdir(), 'panel-files-'));
  if (user) await chown(dataRoot, user.uid, user.gid);
  const mongoUrl = testMongoUrl('files');
  const env = { ...environmentOf(dataRoot, mongoUrl), ...more };
  let now = await boot(env, user);
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    now.close();
    const exit = once(now.child, 'exit');
    now.child.kill(signal);
    await exit;
  };
  return {
    dataRoot,
    get address() {
      return now.address;
    },
    get volumes() {
      return now.volumes;
    },
    get files() {
      return now.files;
    },
    get backups() {
      return now.backups;
    },
    kill,
    start: async () => {
      now = await boot(env, user);
    },
    stop: async () => {
      await kill();
      await dropTestDatabase(mongoUrl);
      await rm(dataRoot, { recursive: true, force: true });
    },
  };
}

async function boot(env: Record<string, string>, user: ChildUser | undefined) {
  const child = fork(main, [], {
    env: { PATH: '/usr/bin:/bin', ...env },
    ...user,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const address = await addressOf(child);
  return { child, address, ...clientsOf(address) };
}

async function addressOf(child: ChildProcess): Promise<string> {
  const [message] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('files did not start'))),
  ])) as [{ listen: string }];
  return message.listen;
}
