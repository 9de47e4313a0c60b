import { z } from 'zod';
import { time } from '../../declaration/present.js';

export const engine = z.enum(['mysql', 'postgresql']).describe('mysql is MariaDB and MySQL');

export const database = z
  .strictObject({
    id: z.uuid(),
    name: z.string().describe('s<short id of the server>_<given name>'),
    engine,
    host: z.strictObject({ address: z.string(), port: z.int() }),
    username: z.string(),
    password: z
      .string()
      .nullable()
      .optional()
      .describe('only in the answers to creation and rotation; null without database.view_password'),
    remote: z.string().describe('addresses the user may connect from'),
    max_connections: z.int().describe('sessions at a time; 0 not limited'),
    size_bytes: z.int(),
    status: z
      .enum(['creating', 'active', 'deleting'])
      .describe('creating: an interrupted creation is being completed; deleting: dropped as soon as its host answers'),
    created_at: time,
  })
  .meta({ id: 'Database' });

export const createDatabaseBody = z.strictObject({
  name: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9_-]{0,47}$/,
      'must have 1 to 48 letters, digits, _ and -, and begin with a letter or digit',
    ),
  remote: z
    .string()
    .min(1)
    .max(60)
    .default('%')
    .describe('%, an address, 10.0.0.%, 10.0.0.0/255.255.255.0 or a host name'),
  engine: engine.optional().describe('mysql where there is such a host unless given'),
});
