import { randomUUID } from 'node:crypto';
import { choose, type Client, createPatienceMs, maxBackups, repeatPatienceMs, timeoutMs } from '../client.js';
import type { Step } from '../plan.js';

/** Changes nothing meanwhile, so that its contents are known. */
export async function backUp(client: Client): Promise<void> {
  if (client.uncertain.has('store') || client.backups.size >= maxBackups / 2) return;
  const name = client.next('backup');
  const idempotencyKey = randomUUID();
  const { data } = await client.ask('POST /servers/{id}/backups', {
    fact: { do: 'create', kind: 'backup', key: name },
    send: async () => {
      const params = { id: client.storeId };
      return client.owner.panel.post('/servers/{id}/backups', { params, body: { name }, idempotencyKey, timeoutMs });
    },
    patienceMs: createPatienceMs,
  });
  if (!data) return;
  const params = { id: client.storeId, backup_id: data.id };
  const status = await client.untilSeen(async () => {
    const { data: seen } = await client.ask('GET /servers/{id}/backups/{backup-id}', {
      fact: { do: 'read' },
      send: async () => client.owner.panel.get('/servers/{id}/backups/{backup-id}', { params, timeoutMs }),
    });
    return seen && seen.status !== 'pending' ? seen.status : undefined;
  });
  if (status === 'completed') client.backups.set(data.id, Object.fromEntries(client.files));
  // It may yet begin to read.
  else if (status === undefined) client.uncertain.add('store');
}

export async function restore(client: Client, { pick }: Step): Promise<void> {
  const [id, files] = choose([...client.backups], pick) ?? [];
  if (id === undefined || files === undefined || client.uncertain.has('store')) return;
  const { outcome, data } = await client.ask('POST /servers/{id}/backups/{backup-id}/restore', {
    fact: { do: 'restore', server: client.storeId, files },
    send: async () => {
      const params = { id: client.storeId, backup_id: id };
      const body = { truncate: true };
      return client.owner.panel.post('/servers/{id}/backups/{backup-id}/restore', { params, body, timeoutMs });
    },
  });
  const state = data && (await client.endOfOperation(client.storeId, data.operation_id));
  if (state === 'completed') client.files = new Map(Object.entries(files));
  else if (outcome !== 'refused') client.uncertain.add('store');
}

export async function deleteBackup(client: Client, { pick }: Step): Promise<void> {
  const id = choose([...client.backups.keys()], pick);
  const created = client.parts.journal.entries.find((entry) => entry.id === id && entry.fact.do === 'create')?.fact;
  if (id === undefined || created?.do !== 'create') return;
  const { outcome } = await client.ask('DELETE /servers/{id}/backups/{backup-id}', {
    fact: { ...created, do: 'remove' },
    send: async () => {
      const params = { id: client.storeId, backup_id: id };
      return client.owner.panel.delete('/servers/{id}/backups/{backup-id}', { params, timeoutMs });
    },
    patienceMs: repeatPatienceMs,
  });
  if (outcome !== 'refused') client.backups.delete(id);
}
