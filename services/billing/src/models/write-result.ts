import { duplicateIndex } from '@panel/kit';

/** Whether a write was made; false when a unique index says that the document is there already. */
export async function insertedOnce(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (duplicateIndex(error) === null) throw error;
    return false;
  }
}
