import { randomUUID } from 'node:crypto';
import type { Product } from '../src/domain/product.js';

/** An active product. */
export function productWith(changes: Partial<Product> = {}): Product {
  const id = randomUUID();
  return {
    id,
    name: 'Small server',
    slug: `small-${id}`,
    description: '',
    category: 'games',
    active: true,
    stock: null,
    perUserLimit: null,
    plans: [
      {
        id: randomUUID(),
        name: 'Monthly',
        priceMinor: 499,
        setupFeeMinor: 0,
        currency: 'EUR',
        interval: 'month',
        intervalCount: 1,
        usageRates: null,
      },
    ],
    server: {
      eggId: randomUUID(),
      memoryMb: 1024,
      cpuPercent: 100,
      diskMb: 5120,
      swapMb: 0,
      ioWeight: 500,
      databasesLimit: 1,
      backupsLimit: 2,
      allocationsLimit: 1,
      nodeTags: [],
      environment: {},
      dockerImage: null,
    },
    upgradeProductIds: [],
    createdAt: new Date('2026-01-01T00:00:00.000Z'),
    updatedAt: new Date('2026-01-01T00:00:00.000Z'),
    ...changes,
  };
}
