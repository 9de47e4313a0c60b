import { Backup, Backup_State, Backup_Storage, BackupFile } from '@panel/protos/files';
import { CreateBackupRequest, ServerBackup, ServerBackup_State } from '@panel/protos/servers';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { listQuery } from '../../declaration/list-query.js';
import { always } from '../../declaration/refine.js';
import { resource } from '../../declaration/resource.js';
import { singleLine } from '../../declaration/text.js';
import { filePath } from '../files/resource.js';

const status = is.word('state', Backup_State);
const storage = is.word('storage', Backup_Storage);

/** From the files service. */
export const backup = resource(Backup, 'Backup', {
  id: is.uuid('id'),
  name: is.text('name'),
  status,
  is_locked: is.flag('isLocked', 'neither deleted nor rotated away'),
  storage,
  bytes: is.int('sizeBytes', 'what it takes in its storage; of restic the length of its files'),
  content_bytes: is.int('contentBytes', 'length of the files in it'),
  checksum: is.textOrNull('checksum', 'sha256: and hex digits; null until completed'),
  ignored_files: is.texts('ignoredFiles'),
  error: is.failure,
  created_at: is.time('createTime'),
  completed_at: is.timeOrNull('completeTime'),
  restored_at: is.timeOrNull('restoreTime', 'last restore, successful or not'),
  restore_error: is.failureOrNull('restoreError', 'why the last restore failed'),
  databases: is.texts('databases', 'names of the databases whose dumps are in it'),
  warning: is.textOrNull('warning', 'what to look at, like a backup much smaller than the one before; else null'),
});

/** From the servers service. */
export const serverBackup = resource(ServerBackup, '', {
  ...backup.fields,
  status: is.word('state', ServerBackup_State),
  storage: is.oneOf('storage', storage.shown.schema.options),
});

export const backupListQuery = listQuery('created_at', 'name', 'status', 'bytes').extend({
  status: status.shown.schema.optional().describe('only backups in this status'),
});

export const creation = resource(CreateBackupRequest, '', {
  name: is.given('name', singleLine(191).optional().describe('without one it is named by its time')),
  ignored_files: is.given(
    'ignoredFiles',
    z
      .array(z.string().max(255))
      .max(200)
      .default([])
      .describe('patterns as in .gitignore; without any those of the file .panelignore, else .pteroignore'),
  ),
  databases: is.given(
    'databases',
    z.boolean().default(false).describe('with a dump of each database; needs database.view_password, too'),
  ),
  rotate: is.given(
    'rotate',
    z.boolean().default(false).describe('replace the oldest unlocked backup when the limit is reached'),
  ),
});

const restoreFields = z.strictObject({
  databases: z
    .boolean()
    .default(false)
    .describe('import its dumps of databases; needs database.update and database.view_password, too'),
  truncate: z.boolean().default(false).describe('remove everything that is not in the backup'),
  paths: z.array(filePath).max(100).default([]).describe('only these files and directories; without any everything'),
});

export const restoreBackupBody = restoreFields.refine(
  ({ truncate, paths }) => !truncate || !Array.isArray(paths) || paths.length === 0,
  {
    path: ['truncate'],
    message: 'must be false together with paths',
    params: { reason: 'conflicting' },
    when: always,
  },
);

export const restoredBackup = z.strictObject({ operation_id: z.uuid() });

export const lockBackupBody = z.strictObject({
  is_locked: z.boolean().optional().describe('without it the lock is turned'),
});

export const backupFilesQuery = listQuery('name', 'size', 'modified_at').extend({
  path: filePath.default('/').describe('directory inside the backup'),
});

export const backupFile = resource(BackupFile, 'BackupFile', {
  name: is.text('name'),
  path: is.text('path'),
  is_file: is.flag('isFile'),
  is_symlink: is.flag('isSymlink'),
  size: is.int('sizeBytes'),
  modified_at: is.timeOrNull('modifyTime'),
});

export const backupFilesExtraMeta = z.object({ truncated: z.boolean().describe('there are more than 10,000') });
