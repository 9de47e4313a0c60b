import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/** Searched in `searchPath` (a PATH) unless a path already. */
export function findProgram(name: string, searchPath: string): string | undefined {
  const candidates = name.includes(path.sep)
    ? [path.resolve(name)]
    : searchPath.split(path.delimiter).flatMap((directory) => (directory === '' ? [] : [path.join(directory, name)]));
  return candidates.find(isExecutableFile);
}

function isExecutableFile(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Missing or not executable: try the next directory.
    return false;
  }
}
