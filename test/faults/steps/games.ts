import { randomUUID } from 'node:crypto';
import { choose, type Client, createPatienceMs, repeatPatienceMs, timeoutMs } from '../client.js';
import type { Step } from '../plan.js';

export async function command(client: Client): Promise<void> {
  const marker = client.next('said');
  await client.ask('POST /servers/{id}/command', {
    fact: { do: 'command', server: client.gameId, marker },
    send: async () => {
      const params = { id: client.gameId };
      return client.owner.panel.post('/servers/{id}/command', { params, body: { command: marker }, timeoutMs });
    },
  });
}

/** No kill: it may lose a line that the game has not read. */
export async function power(client: Client, { pick }: Step): Promise<void> {
  if (client.uncertain.has('game')) return;
  const action = choose(['restart', 'stop', 'start'] as const, pick) ?? 'start';
  const { isClean, data } = await client.ask('POST /servers/{id}/power', {
    fact: { do: 'power', server: client.gameId, action },
    send: async () => {
      const params = { id: client.gameId };
      return client.owner.panel.post('/servers/{id}/power', { params, body: { action }, timeoutMs });
    },
  });
  if (!isClean) client.uncertain.add('game');
  if (data) await client.endOfOperation(client.gameId, data.operation_id);
}

export async function runSchedule(client: Client): Promise<void> {
  if (client.uncertain.has('game')) return;
  const marker = client.next('scheduled');
  const params = { id: client.gameId, schedule_id: client.scheduleId };
  const changed = await client.ask('PUT /servers/{id}/schedules/{schedule-id}', {
    fact: { do: 'read' },
    send: async () => {
      const body = { tasks: [{ action: 'command' as const, payload: marker }] };
      return client.owner.panel.put('/servers/{id}/schedules/{schedule-id}', { params, body, timeoutMs });
    },
  });
  if (!changed.isClean) client.uncertain.add('game');
  if (!changed.isClean || changed.outcome !== 'done') return;
  const { isClean } = await client.ask('POST /servers/{id}/schedules/{schedule-id}/execute', {
    fact: { do: 'run', schedule: client.scheduleId, server: client.gameId, marker },
    send: async () => client.owner.panel.post('/servers/{id}/schedules/{schedule-id}/execute', { params, timeoutMs }),
  });
  if (!isClean) client.uncertain.add('game');
  await client.untilSeen(async () => {
    const { data } = await client.ask('GET /servers/{id}/schedules/{schedule-id}', {
      fact: { do: 'read' },
      send: async () => client.owner.panel.get('/servers/{id}/schedules/{schedule-id}', { params, timeoutMs }),
    });
    const isRunning = !data || data.runs.some(({ status }) => status === 'running');
    return isRunning ? undefined : 'ended';
  });
}

const maxServers = 2;

export async function createServer(client: Client): Promise<void> {
  if (client.servers.size >= maxServers) return;
  const name = client.next('server');
  const limits = { memory: 128, cpu: 50, disk: 64, external_id: name };
  const body = { name, user_id: client.owner.id, egg_id: client.parts.eggId, ...limits };
  const idempotencyKey = randomUUID();
  const { data } = await client.ask('POST /admin/servers', {
    fact: { do: 'create', kind: 'server', key: name },
    send: async () => client.parts.installation.admin.post('/admin/servers', { body, idempotencyKey, timeoutMs }),
    patienceMs: createPatienceMs,
  });
  if (data) client.servers.set(data.id, name);
}

export async function deleteServer(client: Client, { pick }: Step): Promise<void> {
  const [id, name] = choose([...client.servers], pick) ?? [];
  if (id === undefined || name === undefined) return;
  const { outcome } = await client.ask('DELETE /admin/servers/{id}', {
    fact: { do: 'remove', kind: 'server', key: name },
    send: async () => client.parts.installation.admin.delete('/admin/servers/{id}', { params: { id }, timeoutMs }),
    patienceMs: repeatPatienceMs,
  });
  if (outcome !== 'refused') client.servers.delete(id);
}
