import { z } from 'zod';
import { listQuery } from '../../declaration/list-query.js';
import { time } from '../../declaration/present.js';
import { singleLine } from '../../declaration/text.js';
import { filePath } from '../files/schema.js';

export const backupStatuses = ['pending', 'completed', 'failed'] as const;

export const backup = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    status: z.enum(backupStatuses),
    is_locked: z.boolean().describe('neither deleted nor rotated away'),
    storage: z.enum(['node', 's3', 'restic']),
    bytes: z.int().describe('what it takes in its storage; of restic the length of its files'),
    content_bytes: z.int().describe('length of the files in it'),
    checksum: z.string().nullable().describe('sha256: and hex digits; null until completed'),
    ignored_files: z.array(z.string()),
    error: z.strictObject({ reason: z.string(), message: z.string() }).nullable(),
    created_at: time,
    completed_at: time.nullable(),
    restored_at: time.nullable().describe('last restore, successful or not'),
    restore_error: z.string().nullable().describe('why the last restore failed'),
    databases: z.array(z.string()).describe('names of the databases whose dumps are in it'),
  })
  .meta({ id: 'Backup' });

export const backupSortNames = ['created_at', 'name', 'status', 'bytes'] as const;

export const backupListQuery = listQuery(...backupSortNames).extend({
  status: z.enum(backupStatuses).optional().describe('only backups in this status'),
});

export const createBackupBody = z.strictObject({
  name: singleLine(191).optional().describe('without one it is named by its time'),
  ignored_files: z
    .array(z.string().max(255))
    .max(200)
    .default([])
    .describe('patterns as in .gitignore; without any those of the file .panelignore'),
  databases: z.boolean().default(false).describe('with a dump of each database; needs database.view_password, too'),
  rotate: z.boolean().default(false).describe('replace the oldest unlocked backup when the limit is reached'),
});

export const restoreBackupBody = z.strictObject({
  databases: z
    .boolean()
    .default(false)
    .describe('import its dumps of databases; needs database.update and database.view_password, too'),
  truncate: z.boolean().default(false).describe('remove everything that is not in the backup'),
  paths: z.array(filePath).max(100).default([]).describe('only these files and directories; without any everything'),
});

export const restoredBackup = z.strictObject({ operation_id: z.uuid() });

export const lockBackupBody = z.strictObject({
  is_locked: z.boolean().optional().describe('without it the lock is turned'),
});

export const backupFilesQuery = listQuery('name', 'size', 'modified_at').extend({
  path: filePath.default('/').describe('directory inside the backup'),
});

export const backupFile = z
  .strictObject({
    name: z.string(),
    path: z.string(),
    is_file: z.boolean(),
    is_symlink: z.boolean(),
    size: z.int(),
    modified_at: time.nullable(),
  })
  .meta({ id: 'BackupFile' });

export const backupFilesExtraMeta = z.object({ truncated: z.boolean().describe('there are more than 10,000') });
