import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/** Absolute path of a program: looked up in `searchPath` (as the PATH variable) unless it is a path already. */
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
    // Not there or not ours to run: the next directory of the path is tried.
    return false;
  }
}
