import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { databaseUrl } from '@panel/programs';
import { type Installation, startInstallation } from '../installation/installation.js';
import type { Line, Row } from './row.js';

/** Services due on one day; RENEWALS changes it for quick runs. */
const wanted = Number(process.env.RENEWALS ?? 100_000);
const allowedMs = 10 * 60_000;
const batch = 1_000;
const dayMs = 86_400_000;

export const renewals: Row = {
  name: 'renewals',
  about: `${wanted.toLocaleString('en')} services due on one day: invoiced, numbered, and paid from credits or not`,
  run: async () => {
    // Billing and the database share both cores, as in production.
    const installation = await startInstallation({}, { isPinned: false });
    const url = databaseUrl(installation.stack.mongoUrl, 'billing');
    const connection = await connectMongo(url, { appName: 'bench' });
    try {
      return [await invoiceAll(installation, connection)];
    } finally {
      await connection.close();
      await installation.stop();
    }
  },
};

async function invoiceAll(installation: Installation, connection: MongoConnection): Promise<Line> {
  const template = await buyService(installation, connection);
  const due = new Date(Date.now() + dayMs);
  for (let count = 0; count < wanted; count += batch) {
    const services = Array.from({ length: Math.min(batch, wanted - count) }, () => ({
      ...template,
      _id: randomUUID() as never,
      serverId: '',
      sync: { version: 1, dueAt: null, leaseUntil: null, attempts: 0, lastError: '' },
      outbox: { entries: [] },
      nextDueAt: due,
      // Not before all of them are inserted.
      renewAt: null,
    }));
    await connection.collection('subscriptions').insertMany(services);
  }
  const before = await connection.collection('invoices').countDocuments();
  const begin = performance.now();
  await connection.collection('subscriptions').updateMany({ nextDueAt: due }, { $set: { renewAt: new Date() } });
  for (;;) {
    // Those paid at once are due again a month later.
    const left = await connection.collection('subscriptions').countDocuments({ renewAt: { $lte: due } });
    const open = await connection.collection('invoices').countDocuments({ number: '' });
    if (left === 0 && open === 0) break;
    if (performance.now() - begin > 3 * allowedMs)
      throw new Error(`${left} services are not invoiced after half an hour`);
    await wait(500);
  }
  const tookMs = performance.now() - begin;
  const invoices = (await connection.collection('invoices').countDocuments()) - before;
  if (invoices !== wanted) throw new Error(`${invoices} invoices for ${wanted} services`);
  const scaledMs = (tookMs / wanted) * 100_000;
  return {
    name: `${wanted.toLocaleString('en')} renewals due at once`,
    value: `${(tookMs / 1_000).toFixed(0)} s`,
    details: `${((wanted / tookMs) * 1_000).toFixed(0)} a second with one replica of billing`,
    target: '100,000 <= 600 s',
    holds: scaledMs <= allowedMs,
  };
}

/** A bought service, to copy. */
async function buyService({ client }: Installation, connection: MongoConnection): Promise<Record<string, unknown>> {
  const { data: products } = await client.get('/store/products');
  const [product] = products;
  if (!product) throw new Error('the shop of a fresh installation sells nothing');
  const items = [{ product_id: product.id }];
  await client.post('/store/checkout', { body: { payment_method: 'credits', items } });
  for (;;) {
    const service = await connection.collection('subscriptions').findOne({ status: 'active' });
    if (service) return service;
    await wait(200);
  }
}
