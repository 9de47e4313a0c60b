import { duplicateIndex } from '@panel/kit/mongo';

/** False: duplicate key. */
export async function ignoreDuplicate(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (duplicateIndex(error) === null) throw error;
    return false;
  }
}

/** Resolves when all documents exist. */
export async function ignoreDuplicates(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    const failed: unknown = error instanceof Error && 'writeErrors' in error ? error.writeErrors : null;
    const isThere = Array.isArray(failed) ? failed.every(isDuplicate) : isDuplicate(error);
    if (!isThere) throw error;
  }
}

function isDuplicate(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 11_000;
}
