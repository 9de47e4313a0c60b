import { FileOperation, FileOperation_Kind, FileOperation_State } from '@panel/protos/files';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { listQuery } from '../../declaration/list-query.js';
import { resource } from '../../declaration/resource.js';
import { filePath, root } from './resource.js';

export const fileOperation = resource(FileOperation, 'FileOperation', {
  id: is.uuid('id'),
  kind: is.word('kind', FileOperation_Kind),
  status: is.word('state', FileOperation_State),
  path: is.text('path', 'what is made, or where to it is extracted; empty until it is known'),
  bytes_done: is.int('bytesDone'),
  bytes_total: is.int('bytesTotal', '0 when unknown'),
  entries_done: is.int('entriesDone'),
  entries_skipped: is.int('entriesSkipped', 'links, devices and protected files that were left out'),
  error: is.failure,
  started_at: is.timeOrNull('startTime'),
  ended_at: is.timeOrNull('endTime'),
});

export const operationListQuery = listQuery('started_at', 'ended_at', 'kind', 'status', 'path');

export const compressBody = z.strictObject({
  root,
  files: z.array(filePath).min(1).max(100),
  name: filePath.optional().meta({
    description:
      'below root; .zip, .tar, .tar.gz, .tgz, .tar.bz2, .tar.xz or .tar.zst; without it archive-<time>.tar.gz',
    examples: ['world.tar.gz'],
  }),
});

export const decompressBody = z.strictObject({
  path: filePath.describe('zip, tar, tar.gz, tar.bz2, tar.xz, tar.zst, 7z or rar, by its content'),
  root: filePath.optional().describe('directory to extract into; without it that of the archive'),
  overwrite: z.boolean().default(false).describe('replace existing files'),
});

export const pullBody = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(2048)
    .meta({ description: 'http or https; private addresses are refused', examples: ['https://example.com/map.zip'] }),
  directory: filePath.default('/'),
  name: z.string().min(1).max(255).optional().describe('without it the last part of the URL'),
});

const modeText = z
  .string()
  .regex(/^[0-7]{3}$/, 'must be three octal digits, like 644')
  .meta({ description: 'octal', examples: ['644'] });

export const chmodBody = z.strictObject({
  root,
  files: z
    .array(z.strictObject({ file: filePath, mode: modeText }))
    .min(1)
    .max(100),
});

const maxResults = 500;

export const searchQuery = listQuery('path', 'name', 'size', 'modified_at').extend({
  directory: filePath.default('/').describe('where to search, with everything below'),
  name: z.string().max(200).default('').describe('part of the name, or a pattern with * and ?; case-insensitive'),
  content: z.string().max(200).default('').describe('literal text in files up to 4 MiB; case-insensitive'),
  limit: z
    .string()
    .regex(/^\d{1,3}$/, `must be 1 to ${maxResults}`)
    .transform(Number)
    .refine((value) => value >= 1 && value <= maxResults, `must be 1 to ${maxResults}`)
    .prefault('100')
    .meta({ description: 'matches at most', type: 'integer', minimum: 1, maximum: maxResults, pattern: undefined }),
});
