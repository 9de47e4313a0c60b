import { RetainedBackup } from '@panel/protos/servers';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { listQuery } from '../../declaration/list-query.js';
import { resource } from '../../declaration/resource.js';
import { serverBackup } from '../backups/resource.js';

export const retainedBackup = resource(RetainedBackup, 'RetainedBackup', {
  ...is.within('backup', serverBackup),
  server_id: is.uuid('serverId'),
  server_name: is.text('serverName', 'what its server was called'),
  node_id: is.uuid('nodeId'),
  server_deleted_at: is.time('keepTime'),
  expires_at: is.timeOrNull('expireTime', 'when it is removed; null: not by itself'),
});

export const retainedBackupListQuery = listQuery(
  'server_deleted_at',
  'created_at',
  'name',
  'server_name',
  'bytes',
).extend({
  server_id: z.uuid().optional().describe('only those of this server'),
});
