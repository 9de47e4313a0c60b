import { z } from 'zod';
import { time } from '../../declaration/present.js';

const money = z.strictObject({ amount: z.int().describe('in minor units'), currency: z.string().describe('ISO 4217') });

const plan = z.strictObject({
  id: z.string(),
  name: z.string(),
  price: money,
  setup_fee: money.nullable(),
  interval: z.enum(['day', 'week', 'month', 'year', 'once', 'free', 'metered']),
  interval_count: z.int(),
});

export const product = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    description: z.string(),
    category: z.string(),
    active: z.boolean(),
    stock: z.int().nullable().describe('null: unlimited'),
    per_user_limit: z.int().nullable().describe('null: unlimited'),
    plans: z.array(plan),
    server: z
      .strictObject({
        egg_id: z.string(),
        memory: z.int(),
        cpu: z.int(),
        disk: z.int(),
        swap: z.int(),
        io: z.int(),
        databases_limit: z.int(),
        backups_limit: z.int(),
        allocations_limit: z.int(),
        node_tags: z.array(z.string()),
        environment: z.record(z.string(), z.string()),
        docker_image: z.string().nullable(),
      })
      .nullable(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Product' });
