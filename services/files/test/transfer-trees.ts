import { execFile } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  chmod,
  link,
  lstat,
  lutimes,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { deferred } from '@panel/kit/testing';
import type { ReceiveVolumeRequest, ReceiveVolumeResponse } from '@panel/protos/files';
import { exportGrant, type RunningFiles } from './harness.js';

export function receiveRequest(
  source: Pick<RunningFiles, 'address'>,
  serverId: string,
  operationId: string = randomUUID(),
): ReceiveVolumeRequest {
  return { serverId, operationId, sourceAddress: source.address, grant: exportGrant(serverId, operationId) };
}

export async function lastOf(
  messages: AsyncIterable<ReceiveVolumeResponse>,
): Promise<{ last: ReceiveVolumeResponse | undefined; count: number }> {
  let last: ReceiveVolumeResponse | undefined;
  let count = 0;
  for await (const message of messages) {
    last = message;
    count += 1;
  }
  return { last, count };
}

/** As `uid:gid`. */
export async function ownersIn(root: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('find', [root, '-printf', '%U:%G\\n']);
  return [...new Set(stdout.trim().split('\n'))];
}

/** Without pipes: one line per entry, with content hashes. */
export async function fingerprint(root: string): Promise<string[]> {
  const lines: string[] = [];
  const walk = async (directory: Buffer) => {
    for (const name of (await readdir(directory, { encoding: 'buffer' })).sort((a, b) => a.compare(b))) {
      const at = Buffer.concat([directory, Buffer.from('/'), name]);
      const stats = await lstat(at, { bigint: true });
      if (stats.isFIFO()) continue;
      const what = stats.isDirectory()
        ? 'directory'
        : stats.isSymbolicLink()
          ? `link to ${(await readlink(at, { encoding: 'buffer' })).toString('hex')}`
          : `file ${createHash('sha256')
              .update(await readFile(at))
              .digest('hex')}`;
      const shown = at.subarray(root.length).toString('hex');
      const mode = stats.isSymbolicLink() ? '' : (stats.mode & 0o777n).toString(8);
      lines.push([shown, what, mode, stats.mtimeMs].join(' '));
      if (stats.isDirectory()) await walk(at);
    }
  };
  await walk(Buffer.from(root));
  return lines;
}

const past = new Date('2021-03-04T05:06:07.089Z');

export async function makeOddTree(root: string): Promise<void> {
  await mkdir(path.join(root, 'a'));
  await writeFile(path.join(root, 'a/inner'), 'inner');
  // by byte between `a` and its contents
  await writeFile(path.join(root, 'a.txt'), 'beside');
  await writeFile(path.join(root, 'a b\nc'), 'a newline');
  await writeFile(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x66, 0xff, 0xfe, 0x2e])]), 'not UTF-8');
  await writeFile(path.join(root, 'ümläut 🎮'), 'not ASCII');
  await writeFile(path.join(root, '-rf'), '');
  await mkdir(path.join(root, 'empty/inside/inside'), { recursive: true });
  await writeFile(path.join(root, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  await chmod(path.join(root, 'run.sh'), 0o4755);
  await writeFile(path.join(root, 'secret'), 'x', { mode: 0o600 });
  await symlink('../../../../etc/passwd', path.join(root, 'link-out'));
  await symlink('/etc', path.join(root, 'link-to-etc'));
  await symlink('a', path.join(root, 'link-to-directory'));
  await symlink('nowhere', path.join(root, 'link-to-nothing'));
  await link(path.join(root, 'a.txt'), path.join(root, 'same-as-a'));
  await makeSparse(path.join(root, 'sparse'), 8 * 1024 * 1024);
  await promisify(execFile)('mkfifo', [path.join(root, 'pipe')]);
  await mkdir(path.join(root, 'sealed'));
  await writeFile(path.join(root, 'sealed/in'), 'sealed');
  await chmod(path.join(root, 'sealed'), 0o500);
  const deep = path.join(root, ...Array.from({ length: 80 }, (_, level) => `d${level}`));
  await mkdir(deep, { recursive: true });
  await writeFile(path.join(deep, 'bottom'), 'deep');
  await utimes(path.join(root, 'a.txt'), past, past);
  await utimes(path.join(root, 'empty/inside'), past, past);
  await lutimes(path.join(root, 'link-to-nothing'), past, past);
}

async function makeSparse(at: string, bytes: number): Promise<void> {
  const file = await open(at, 'w');
  await file.truncate(bytes);
  await file.write(Buffer.from('in the middle'), 0, 13, bytes / 2);
  await file.close();
}

export async function makeBulk(root: string, megabytes: number, files: number): Promise<void> {
  const block = randomBytes(1024 * 1024);
  for (let at = 0; at < megabytes; at += 1) {
    block.writeUInt32BE(at, 0);
    await writeFile(path.join(root, `region-${String(at).padStart(4, '0')}`), block);
  }
  for (let at = 0; at < files; at += 1) {
    const directory = path.join(root, `chunks-${at % 10}`);
    await mkdir(directory, { recursive: true });
    await writeFile(path.join(directory, `chunk-${at}`), block.subarray(0, 1 + ((at * 37) % 9_000)));
  }
}

/** Independent of its name. */
export async function identityOf(at: string): Promise<string> {
  const { ino, birthtimeNs } = await stat(at, { bigint: true });
  return `${ino}:${birthtimeNs}`;
}

export async function makeHuge(at: string, megabytes: number): Promise<void> {
  const handle = await open(at, 'w');
  const block = randomBytes(1024 * 1024);
  for (let done = 0; done < megabytes; done += 1) {
    block.writeUInt32BE(done, 0);
    if (done % 5 !== 3) await handle.write(block, 0, block.length, done * block.length);
  }
  await handle.close();
}

export async function beginReceiving(
  target: Pick<RunningFiles, 'volumes'>,
  request: ReceiveVolumeRequest,
  minBytes = 1,
): Promise<{ first: ReceiveVolumeResponse; end: Promise<ReceiveVolumeResponse | undefined>; cancel: () => void }> {
  const abort = new AbortController();
  const begun = deferred<ReceiveVolumeResponse>();
  const read = async () => {
    let last: ReceiveVolumeResponse | undefined;
    for await (const message of target.volumes.receiveVolume(request, { signal: abort.signal })) {
      last = message;
      if (message.bytesDone >= minBytes) begun.resolve(message);
    }
    return last;
  };
  const end = read();
  end.then(
    () => begun.reject(new Error('the transfer ended without progress')),
    (error: unknown) => begun.reject(error),
  );
  return { first: await begun.promise, end, cancel: () => abort.abort(new Error('the test has cancelled')) };
}
