import { z } from 'zod';
import { time } from '../../http/present.js';

const filePath = z.string().min(1).max(4096);

export const fileEntry = z.strictObject({
  name: z.string(),
  mode: z.string().describe('as in ls -l'),
  mode_bits: z.string().describe('octal'),
  size: z.int().describe('bytes'),
  is_file: z.boolean(),
  is_symlink: z.boolean(),
  mimetype: z.string(),
  created_at: time.nullable(),
  modified_at: time.nullable(),
});

const count = (max: number) =>
  z
    .string()
    .regex(/^\d{1,7}$/, `must be a whole number from 1 to ${max}`)
    .transform(Number)
    .refine((value) => value >= 1 && value <= max, `must be a whole number from 1 to ${max}`);

export const listFilesQuery = z.object({
  directory: filePath.default('/').describe('absolute path inside the server'),
  page: count(1_000_000).optional().describe('only with per_page'),
  per_page: count(100).optional().describe('without it the whole directory is one page'),
});

export const fileContentsQuery = z.object({ path: filePath.describe('absolute path inside the server') });

export const fileContents = z.strictObject({
  path: z.string(),
  content: z.string(),
  encoding: z.enum(['utf-8', 'base64']),
  size: z.int(),
  modified_at: time.nullable(),
  sha256: z.string(),
});
