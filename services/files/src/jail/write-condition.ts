import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { hasCondition, type WriteCondition } from '../domain/write-condition.js';
import { fail } from '../reasons.js';
import { type Location, requireRegular } from './location.js';
import { openForReading, withHandle } from './node.js';

/** Throws FILE_CHANGED without a file, or for another checksum; LINK_REFUSED, NOT_A_FILE. */
export async function requireCondition(current: Location['found'], condition: WriteCondition): Promise<void> {
  if (!hasCondition(condition)) return;
  if (!current) throw fail('FILE_CHANGED', 'the file was removed');
  requireRegular(current.stats);
  const { ifMatchSha256 } = condition;
  if (ifMatchSha256 === '') return;
  const sha256 = await withHandle(await openForReading(current.node), hashOf);
  if (sha256 !== ifMatchSha256) throw fail('FILE_CHANGED', 'the file was changed', { sha256 });
}

async function hashOf(file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of file.createReadStream({ autoClose: false, start: 0 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
