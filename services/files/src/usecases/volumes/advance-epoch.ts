import { fieldProblem, invalidFields } from '@panel/kit/errors';
import type { FilesContext } from '../../context.js';
import { mapFsErrors } from '../../jail/errno.js';
import { fail } from '../../reasons.js';

/** Throws INVALID_FIELDS, DATA_ROOT_GONE. */
export async function advanceEpoch(
  { volumes, identity }: Pick<FilesContext, 'volumes' | 'identity'>,
  { epoch, dataRootId }: { readonly epoch: number; readonly dataRootId: string },
): Promise<void> {
  if (!Number.isSafeInteger(epoch) || epoch < 1) {
    throw invalidFields({ epoch: [fieldProblem('out_of_range', 'must be 1 or more')] });
  }
  if (dataRootId !== identity.id) throw fail('DATA_ROOT_GONE', 'the data root is another one');
  await mapFsErrors(async () => {
    // Else the directory under an unmounted disk would get it.
    await volumes.space();
    await identity.advance(epoch);
  });
}
