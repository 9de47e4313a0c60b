import { createHash } from 'node:crypto';
import { choose, type Client, repeatPatienceMs, timeoutMs } from '../client.js';
import type { Step } from '../plan.js';

export async function writeFile(client: Client, { pick, bytes }: Step): Promise<void> {
  const known = [...client.files.keys()];
  const path = (pick % 3 === 0 ? choose(known, pick) : undefined) ?? `/${client.next('file')}.txt`;
  if (client.uncertain.has('store')) return;
  const content = Buffer.alloc(bytes, client.next('text'));
  const sha256 = digest(content);
  const { outcome, isClean } = await client.ask('PUT /servers/{id}/files/write', {
    fact: { do: 'write', server: client.storeId, path, sha256 },
    send: async () => {
      const params = { id: client.storeId };
      return client.owner.panel.put('/servers/{id}/files/write', {
        params,
        query: { path },
        bytes: content,
        timeoutMs,
      });
    },
    patienceMs: repeatPatienceMs,
  });
  if (outcome === 'done') client.files.set(path, sha256);
  if (!isClean) client.uncertain.add('store');
}

export async function renameFile(client: Client, { pick }: Step): Promise<void> {
  const [path, sha256] = choose([...client.files], pick) ?? [];
  if (path === undefined || sha256 === undefined || client.uncertain.has('store')) return;
  const to = `/${client.next('renamed')}.txt`;
  const { outcome, isClean } = await client.ask('POST /servers/{id}/files/rename', {
    fact: { do: 'rename', server: client.storeId, path, to, sha256 },
    send: async () => {
      const params = { id: client.storeId };
      return client.owner.panel.post('/servers/{id}/files/rename', { params, body: { from: path, to }, timeoutMs });
    },
  });
  if (!isClean) client.uncertain.add('store');
  if (outcome !== 'done') return;
  client.files.delete(path);
  client.files.set(to, sha256);
}

export async function deleteFile(client: Client, { pick }: Step): Promise<void> {
  const path = choose([...client.files.keys()], pick);
  if (path === undefined || client.uncertain.has('store')) return;
  const { outcome, isClean } = await client.ask('POST /servers/{id}/files/delete', {
    fact: { do: 'delete', server: client.storeId, path },
    send: async () => {
      const params = { id: client.storeId };
      return client.owner.panel.post('/servers/{id}/files/delete', { params, body: { files: [path] }, timeoutMs });
    },
    patienceMs: repeatPatienceMs,
  });
  if (outcome === 'done') client.files.delete(path);
  if (!isClean) client.uncertain.add('store');
}

export function digest(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
