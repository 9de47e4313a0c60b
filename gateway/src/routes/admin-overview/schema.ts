import { z } from 'zod';
import { node } from '../admin-nodes/resource.js';

const whole = z.int();

const nodeLoad = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  status: node.schema.shape.status,
  maintenance_mode: z.boolean(),
  servers: whole,
  memory: whole.describe('MB'),
  memory_allocated: whole.describe('MB promised to servers'),
  disk: whole.describe('MB'),
  disk_allocated: whole.describe('MB promised to servers'),
});

export const countedStatuses = [
  'running',
  'starting',
  'stopping',
  'offline',
  'installing',
  'install_failed',
  'suspended',
] as const;

export const overview = z
  .strictObject({
    servers: z.strictObject({
      total: whole,
      by_status: z.strictObject(
        Object.fromEntries(countedStatuses.map((status) => [status, whole])) as Record<
          (typeof countedStatuses)[number],
          typeof whole
        >,
      ),
    }),
    users: z.strictObject({ total: whole }).nullable().describe('null without users.view'),
    nodes: z.array(nodeLoad).nullable().describe('by name; null without nodes.view'),
  })
  .meta({ id: 'Overview' });
