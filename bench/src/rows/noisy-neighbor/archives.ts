import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createPanelClient } from '@panel/client';
import { volumeOf } from '../../installation/volumes.js';
import type { Customer } from './customer.js';
import type { Part, Scene } from './part.js';

const run = promisify(execFile);
const tree = { files: 20_000, bytes: 8 * 1024, directories: 200 };
/** At most two operations run for a server, and four for the servers of an owner. */
const perServer = 2;
const pollMs = 2_000;
const resultPrefix = 'result-';

/** One server compresses a tree of 160 MB, another extracts it, each twice at a time. */
export const archives: Part = {
  name: 'archives of 20,000 files',
  prepare: async ({ installation, customer, person, serverIds: [, packed = '', extracted = ''] }) => {
    const source = volumeOf(installation, packed);
    await makeTree(path.join(source, 'tree'));
    await run('tar', ['-czf', path.join(volumeOf(installation, extracted), 'tree.tar.gz'), '-C', source, 'tree']);
    let count = 0;
    const compress = () => {
      const body = { root: '/', files: ['tree'], name: `${resultPrefix}${count++}.tar.gz` };
      return { path: `/servers/${packed}/files/compress`, body };
    };
    const decompress = () => {
      const body = { path: '/tree.tar.gz', root: `/${resultPrefix}${count++}` };
      return { path: `/servers/${extracted}/files/decompress`, body };
    };
    return {
      act: async (signal) => {
        const repeat = async (next: typeof compress | typeof decompress) =>
          customer.repeat(perServer, signal, async () => runOperation(customer, next(), signal));
        await Promise.all([repeat(compress), repeat(decompress)]);
      },
      afterTurn: async () => {
        for (const id of [packed, extracted]) await removeResults(installation, person.token, id);
      },
    };
  },
};

async function makeTree(root: string): Promise<void> {
  for (let at = 0; at < tree.files; at++) {
    const directory = path.join(root, `region-${at % tree.directories}`);
    if (at < tree.directories) await mkdir(directory, { recursive: true });
    const content = Buffer.concat([randomBytes(tree.bytes / 2), Buffer.alloc(tree.bytes / 2, 'stone ')]);
    await writeFile(path.join(directory, `chunk-${at}`), content);
  }
}

async function runOperation(
  customer: Customer,
  call: { readonly path: string; readonly body: object },
  signal: AbortSignal,
) {
  let reply = await customer.send({ method: 'POST', ...call }, signal);
  const operations = call.path.replace(/[a-z]+$/, 'operations');
  for (;;) {
    if (reply.status >= 300) return reply;
    const { id, status } = (JSON.parse(reply.text) as { data: { id: string; status: string } }).data;
    if (status !== 'running') return reply;
    await wait(pollMs, undefined, { signal });
    reply = await customer.send({ path: `${operations}/${id}` }, signal);
  }
}

async function removeResults(installation: Scene['installation'], token: string, id: string): Promise<void> {
  const client = createPanelClient({ baseUrl: installation.stack.baseUrl, token });
  for await (const operation of client.pages('/servers/{id}/files/operations', { params: { id } })) {
    if (operation.status !== 'running') continue;
    const params = { id, operation_id: operation.id };
    await client.post('/servers/{id}/files/operations/{operation-id}/cancel', { params });
  }
  const volume = volumeOf(installation, id);
  const names = (await readdir(volume)).filter((name) => name.startsWith(resultPrefix));
  for (const name of names) await rm(path.join(volume, name), { recursive: true, force: true });
}
