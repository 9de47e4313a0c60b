import { z } from 'zod';
import { listQuery } from '../../declaration/list-query.js';
import { time } from '../../declaration/present.js';
import { backup } from '../backups/schema.js';

export const keptBackup = z
  .strictObject({
    ...backup.shape,
    server_id: z.uuid(),
    server_name: z.string().describe('what its server was called'),
    node_id: z.uuid(),
    server_deleted_at: time,
    expires_at: time.nullable().describe('when it is removed; null: not by itself'),
  })
  .meta({ id: 'KeptBackup' });

export const keptBackupListQuery = listQuery('server_deleted_at', 'created_at', 'name', 'server_name', 'bytes').extend({
  server_id: z.uuid().optional().describe('only those of this server'),
});
