import { invalidFields } from '@panel/kit/errors';
import type { ImportDatabaseRequest, ImportDatabaseStart } from '@panel/protos/servers';
import { fail } from '../../reasons.js';

/** Throws INVALID_FIELDS. */
export function readImportStart(request: ImportDatabaseRequest | undefined): ImportDatabaseStart {
  if (request?.part?.$case === 'start') return request.part.value;
  throw invalidFields({ part: ['must be the start in the first message'] });
}

/** Requires the end message: a dead sender also ends its stream. */
export async function* readImportBytes(messages: AsyncIterable<ImportDatabaseRequest>): AsyncGenerator<Buffer> {
  let sizeBytes = 0;
  for await (const { part } of messages) {
    if (part?.$case === 'chunk') {
      sizeBytes += part.value.length;
      yield part.value;
    } else if (part?.$case === 'finish' && part.value.sizeBytes === sizeBytes) return;
    else throw invalidFields({ part: ['must be chunks, and then the finish, after the start'] });
  }
  throw fail('DATABASE_DUMP_FAILED', 'the upload of the dump ended early', { output: 'the upload ended early' });
}
