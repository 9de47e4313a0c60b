import { invalidFields, fieldProblem } from '@panel/kit/errors';
import { parsePath, type Segments } from '../domain/path.js';

const maxFiles = 100;

/** Throws INVALID_FIELDS unless 1 to 100. */
export function checkCount(files: readonly unknown[]): void {
  if (files.length === 0 || files.length > maxFiles)
    throw invalidFields({ files: [fieldProblem('out_of_range', `must be 1 to ${maxFiles}`)] });
}

/** Empty text: the server's root. */
export function parseRoot(text: string): Segments {
  return text === '' ? [] : parsePath(text, 'root');
}

/** Throws INVALID_FIELDS for `field`, also for the root itself. */
export function parseBelow(root: Segments, text: string, field: string): Segments {
  const own = parsePath(text, field);
  if (own.length === 0) throw invalidFields({ [field]: ['must not be the root'] });
  return [...root, ...own];
}

/** 1 to 100 paths. Throws INVALID_FIELDS. */
export function parseFileList(rootText: string, files: readonly string[]): Segments[] {
  checkCount(files);
  const root = parseRoot(rootText);
  return files.map((file, i) => parseBelow(root, file, `files.${i}`));
}
