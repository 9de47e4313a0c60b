import { FileVersion, TrashEntry } from '@panel/protos/files';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { listQuery } from '../../declaration/list-query.js';
import { resource } from '../../declaration/resource.js';
import { filePath } from './resource.js';

export const trashEntry = resource(TrashEntry, 'TrashEntry', {
  id: is.uuid('id'),
  path: is.text('path', 'where it was'),
  is_directory: is.flag('isDirectory'),
  size: is.int('sizeBytes', 'bytes on the disk'),
  deleted_at: is.timeOrNull('deleteTime'),
  expires_at: is.timeOrNull('expireTime'),
});

export const trashQuery = listQuery('deleted_at', 'expires_at', 'path', 'size');

export const restoreTrashBody = z.strictObject({
  to: filePath.optional().describe('without it where it was'),
});

export const restoredTrash = z.strictObject({ path: z.string() });

export const versionsQuery = listQuery('saved_at', 'size').extend({
  path: filePath.default('/').describe('absolute path inside the server'),
});

export const fileVersion = resource(FileVersion, 'FileVersion', {
  id: is.uuid('id'),
  path: is.text('path'),
  size: is.int('sizeBytes'),
  sha256: is.text('sha256'),
  saved_at: is.timeOrNull('saveTime', 'when it was replaced'),
});
