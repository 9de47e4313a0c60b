import type { FileHandle } from 'node:fs/promises';
import { isAppError } from '@panel/kit/errors';
import type { Logger } from '@panel/kit/process';
import { withoutControlCharacters } from '@panel/kit/text';
import { fromErrno } from '../jail/errno.js';
import { parsePath, type Segments } from '../domain/path.js';
import type { TempNames } from '../jail/temp-names.js';
import type { Owner } from '../jail/owner.js';
import { fileTimeoutMs, maxFileBytes, maxMessageLength, maxWarnings } from './limits.js';
import type { ConfigFile, Warnings } from '../domain/config-file.js';
import { RewriteError } from './rewrite-error.js';
import type { Rewriter } from './rewriter.js';
import { readVolumeFile, writeVolumeFile } from './volume-file.js';

export type Outcome = 'unchanged' | 'written' | 'created' | 'skipped';

export interface FileResult {
  readonly path: string;
  readonly outcome: Outcome;
  /** One line; empty on full success. */
  readonly message: string;
}

/** World-readable, like files of games. */
const newFileMode = 0o644;

export interface RewriteOptions {
  /** Exclusive to this call. */
  readonly rewriter: Rewriter;
  /** Of new files. */
  readonly owner: Owner;
  readonly tempNames: TempNames;
  /** Excludes other writers in this service. */
  readonly lock: <T>(path: Segments, work: () => Promise<T>) => Promise<T>;
  /** For all files. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** In order; skips failing files, and the rest after `timeoutMs`. */
export async function rewriteFiles(
  root: FileHandle,
  files: readonly ConfigFile[],
  options: RewriteOptions,
): Promise<FileResult[]> {
  const until = performance.now() + options.timeoutMs;
  const results: FileResult[] = [];
  for (const file of files) {
    options.signal.throwIfAborted();
    const timeoutMs = Math.min(fileTimeoutMs, Math.floor(until - performance.now()));
    results.push(await rewriteFile(root, file, { ...options, timeoutMs }));
  }
  return results;
}

async function rewriteFile(root: FileHandle, file: ConfigFile, work: RewriteOptions): Promise<FileResult> {
  const { path } = file;
  try {
    if (work.timeoutMs <= 0) throw new RewriteError('the files before took too long');
    const segments = segmentsOf(path);
    const { outcome, warnings } = await work.lock(segments, async () => rewriteAt(root, segments, file, work));
    return { path, outcome, message: messageFrom(warnings) };
  } catch (thrown) {
    const error = fromErrno(thrown);
    if (error instanceof RewriteError || isAppError(error))
      return { path, outcome: 'skipped', message: line(error.message) };
    work.log.error({ err: error, parser: file.parser }, 'a configuration file could not be rewritten');
    return { path, outcome: 'skipped', message: 'it could not be handled' };
  }
}

async function rewriteAt(
  root: FileHandle,
  segments: Segments,
  { parser, isCreated, replacements }: ConfigFile,
  { rewriter, timeoutMs, owner, tempNames }: RewriteOptions,
): Promise<{ outcome: Outcome; warnings: Warnings }> {
  if (!parser) throw new RewriteError('its parser is not known');
  const old = await readVolumeFile(root, segments, maxFileBytes[parser]);
  if (!old && !isCreated) throw new RewriteError('there is no such file');
  // a copy: small buffers share a pool, which would be sent whole
  const job = { parser, replacements, content: new Uint8Array(old?.content ?? []) };
  const { content, warnings } = await rewriter.run(job, timeoutMs);
  const ownership = { volumeOwner: owner, tempNames };
  if (old) {
    if (!content) return { outcome: 'unchanged', warnings };
    await writeVolumeFile(root, old.segments, { ...old, content: Buffer.from(content) }, ownership);
    return { outcome: 'written', warnings };
  }
  // an empty file could block the game's own
  if (!content)
    throw new RewriteError(messageFrom(['there is no such file, and nothing to write into a new one', ...warnings]));
  await writeVolumeFile(root, segments, { content: Buffer.from(content), mode: newFileMode, owner }, ownership);
  return { outcome: 'created', warnings };
}

function segmentsOf(path: string): Segments {
  try {
    return parsePath(path, 'path');
  } catch (error) {
    if (isAppError(error, 'INVALID_FIELDS'))
      throw new RewriteError('this is no path inside the server', { cause: error });
    throw error;
  }
}

function messageFrom(warnings: Warnings): string {
  const told = warnings.slice(0, maxWarnings);
  const more = warnings.length > told.length ? [`and ${warnings.length - told.length} more`] : [];
  return line([...told, ...more].join('; '));
}

/** Egg keys may have terminal control characters. */
function line(text: string): string {
  return withoutControlCharacters(text, ' ').slice(0, maxMessageLength);
}
