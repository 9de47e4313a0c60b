import type { ServedService } from '@panel/rpc';
import type { FilesContext } from '../context.js';
import { createBackupService } from './backup/index.js';
import { createFileService } from './file/index.js';
import { createVolumeService } from './volume/index.js';

export function createHandlers(context: FilesContext): ServedService[] {
  return [createBackupService(context), createFileService(context), createVolumeService(context)];
}
