import { z } from 'zod';
import type { BackupEntry } from '../storage/backup-storage.js';

/* Output of restic with --json (its manual, "Scripting"). */

export const summarySchema = z.object({ message_type: z.literal('summary'), snapshot_id: z.string() });
export const statusSchema = z.object({
  message_type: z.literal('status'),
  files_done: z.number().default(0),
  bytes_done: z.number().default(0),
});
const nodeSchema = z.object({
  struct_type: z.literal('node'),
  path: z.string(),
  type: z.string(),
  size: z.number().default(0),
  mtime: z.string(),
});

export async function* entriesOf(lines: AsyncIterable<string>): AsyncGenerator<BackupEntry> {
  for await (const line of lines) {
    const parsed = nodeSchema.safeParse(parseLine(line));
    if (!parsed.success) continue;
    const { path: name, type, size, mtime } = parsed.data;
    const kind = type === 'dir' ? 'directory' : type === 'symlink' ? 'symlink' : 'file';
    yield { path: name.replace(/^\//, ''), kind, sizeBytes: size, modifiedAt: new Date(mtime) };
  }
}

/** Null for a line that is not JSON, like a warning. */
export function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
