import { randomUUID } from 'node:crypto';
import { createPanelClient } from '@panel/client';
import { type Client, createPatienceMs, password, repeatPatienceMs, timeoutMs } from '../client.js';
import type { Step } from '../plan.js';

/** Makes a key and uses it; mostly revokes it and tries it again. */
export async function useKey(client: Client, { pick }: Step): Promise<void> {
  const description = client.next('key');
  const idempotencyKey = randomUUID();
  const { data } = await client.ask('POST /account/api-keys', {
    fact: { do: 'create', kind: 'key', key: description },
    send: async () =>
      client.owner.panel.post('/account/api-keys', { body: { description }, idempotencyKey, timeoutMs }),
    patienceMs: createPatienceMs,
  });
  if (!data) return;
  client.remember(description, data.key);
  await client.use(description, true);
  if (pick % 4 === 0) return;
  const { outcome } = await client.ask('DELETE /account/api-keys/{key-id}', {
    fact: { do: 'remove', kind: 'key', key: description },
    send: async () => {
      const params = { key_id: data.id };
      return client.owner.panel.delete('/account/api-keys/{key-id}', { params, timeoutMs });
    },
    patienceMs: repeatPatienceMs,
  });
  if (outcome === 'done') await client.use(description, false);
}

/** Signs in once more, and out. */
export async function endSession(client: Client): Promise<void> {
  const name = client.next('session');
  const { baseUrl } = client.parts.installation;
  const { data } = await client.ask('POST /auth/login', {
    fact: { do: 'read' },
    send: async () => ({
      data: await createPanelClient({ baseUrl, timeoutMs }).login(client.owner.email, password),
    }),
  });
  if (!data) return;
  const panel = client.remember(name, data.access_token);
  await client.use(name, true);
  const { outcome } = await client.ask('POST /auth/logout', {
    fact: { do: 'revoke', credential: name },
    send: async () => panel.post('/auth/logout'),
  });
  if (outcome === 'done') await client.use(name, false);
}

/** A friend gets access to the store and loses it. */
export async function share(client: Client): Promise<void> {
  if (client.uncertain.has('share')) return;
  const { storeId, friend, owner } = client;
  const key = `${storeId} ${friend.email}`;
  const idempotencyKey = randomUUID();
  const visit = async (isValid: boolean) =>
    client.ask('GET /servers/{id}', {
      fact: { do: 'use', credential: key, isValid },
      send: async () => friend.panel.get('/servers/{id}', { params: { id: storeId }, timeoutMs }),
    });
  const { data, isClean: isAdded } = await client.ask('POST /servers/{id}/subusers', {
    fact: { do: 'create', kind: 'subuser', key },
    send: async () => {
      const body = { email: friend.email, permissions: ['file.read' as const] };
      return owner.panel.post('/servers/{id}/subusers', { params: { id: storeId }, body, idempotencyKey, timeoutMs });
    },
    patienceMs: createPatienceMs,
  });
  if (!isAdded) client.uncertain.add('share');
  if (!data) return;
  await visit(true);
  const { outcome, isClean } = await client.ask('DELETE /servers/{id}/subusers/{subuser-id}', {
    fact: { do: 'remove', kind: 'subuser', key },
    send: async () => {
      const params = { id: storeId, subuser_id: data.id };
      return owner.panel.delete('/servers/{id}/subusers/{subuser-id}', { params, timeoutMs });
    },
    patienceMs: repeatPatienceMs,
  });
  if (!isClean) client.uncertain.add('share');
  if (outcome === 'done') await visit(false);
}
