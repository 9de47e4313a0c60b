import { Database, Database_State, DatabaseEngine } from '@panel/protos/servers';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { resource } from '../../declaration/resource.js';

export const engine = is.word('engine', DatabaseEngine, { about: 'mysql is MariaDB and MySQL', unspecified: 'mysql' });
const engineWord = engine.shown.schema;

export const database = resource(Database, 'Database', {
  id: is.uuid('id'),
  name: is.text('name', 's<short id of the server>_<given name>'),
  engine,
  host: is.group(resource(Database, '', { address: is.text('address'), port: is.int('port') })),
  username: is.text('username'),
  password: is.computed(
    z
      .string()
      .nullable()
      .optional()
      .describe('only in the answers to creation and rotation; null without database.view_password'),
    () => undefined,
  ),
  remote: is.text('remote', 'addresses the user may connect from'),
  max_connections: is.int('maxConnections', 'sessions at a time; 0 not limited'),
  size_bytes: is.int('sizeBytes'),
  status: is.word('state', Database_State, {
    about: 'creating: an interrupted creation is being completed; deleting: dropped as soon as its host answers',
    unspecified: 'creating',
  }),
  created_at: is.time('createTime'),
});

/** Empty `password`: the caller may not see it. */
export function presentNewDatabase(message: Database | undefined, password: string) {
  return { ...database.present(message), password: password === '' ? null : password };
}

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
  engine: engineWord.optional().describe('mysql where there is such a host unless given'),
});
