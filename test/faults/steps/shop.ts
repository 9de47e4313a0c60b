import { randomUUID } from 'node:crypto';
import { type Client, createPatienceMs, timeoutMs } from '../client.js';
import type { Step } from '../plan.js';

export async function grantCredits(client: Client, { pick }: Step): Promise<void> {
  const reason = client.next('grant');
  const body = { amount: { amount: 300 + (pick % 700), currency: 'EUR' }, reason };
  const params = { id: client.buyer.id };
  const idempotencyKey = randomUUID();
  await client.ask('POST /admin/users/{id}/credits', {
    fact: { do: 'create', kind: 'grant', key: reason },
    send: async () => {
      const { admin } = client.parts.installation;
      return admin.post('/admin/users/{id}/credits', { params, body, idempotencyKey, timeoutMs });
    },
    patienceMs: createPatienceMs,
  });
}

export async function buy(client: Client): Promise<void> {
  const name = client.next('order');
  const items = [{ product_id: client.parts.productId, config: { server_name: name } }];
  const idempotencyKey = randomUUID();
  await client.ask('POST /store/checkout', {
    fact: { do: 'create', kind: 'order', key: name },
    send: async () => {
      const body = { payment_method: 'credits', items };
      return client.buyer.panel.post('/store/checkout', { body, idempotencyKey, timeoutMs });
    },
    patienceMs: createPatienceMs,
  });
}
