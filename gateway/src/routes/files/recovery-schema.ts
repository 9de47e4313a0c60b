import { z } from 'zod';
import { listQuery } from '../../declaration/list-query.js';
import { time } from '../../declaration/present.js';
import { filePath } from './schema.js';

export const trashEntry = z
  .strictObject({
    id: z.uuid(),
    path: z.string().describe('where it was'),
    is_directory: z.boolean(),
    size: z.int().describe('bytes on the disk'),
    deleted_at: time.nullable(),
    expires_at: time.nullable(),
  })
  .meta({ id: 'TrashEntry' });

export const trashQuery = listQuery('deleted_at', 'expires_at', 'path', 'size');

export const restoreTrashBody = z.strictObject({
  to: filePath.optional().describe('without it where it was'),
});

export const restoredTrash = z.strictObject({ path: z.string() });

export const versionsQuery = listQuery('saved_at', 'size').extend({
  path: filePath.default('/').describe('absolute path inside the server'),
});

export const fileVersion = z
  .strictObject({
    id: z.uuid(),
    path: z.string(),
    size: z.int(),
    sha256: z.string(),
    saved_at: time.nullable().describe('when it was replaced'),
  })
  .meta({ id: 'FileVersion' });
