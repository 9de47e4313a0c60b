import { abortableIterable } from '@panel/kit/async';
import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { FileServiceService, WriteFileRequest, WriteFileStart } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentEntry } from '../../present/file-entry.js';
import { type UploadPart, writeFile } from '../../usecases/files/write-file.js';
import { readGrant } from '../read-grant.js';
import { readWriteCondition } from '../read-write-condition.js';

export function handleWriteFile(context: FilesContext): Handler<FileServiceService['writeFile']> {
  return async (request, { signal, permission }) => {
    const locked = new AbortController();
    const messages = abortableIterable(request, AbortSignal.any([signal, locked.signal]));
    try {
      const start = requireStart((await messages.next()).value);
      const { entry, sha256 } = await writeFile(context, {
        grant: readGrant(context, start.grant, permission),
        signal,
        path: start.path,
        announcedBytes: start.sizeBytes,
        condition: readWriteCondition(start),
        parts: partsOf(messages),
        onAbort: (reason) => locked.abort(reason),
      });
      return { entry: presentEntry(entry), sha256 };
    } finally {
      await messages.return(undefined);
    }
  };
}

function requireStart(request: WriteFileRequest | undefined): WriteFileStart {
  if (request?.part?.$case !== 'start') throw invalidFields({ part: ['must be the start in the first message'] });
  const start = request.part.value;
  if (start.sizeBytes < 0) throw invalidFields({ size_bytes: [fieldProblem('out_of_range', 'must be 0 or more')] });
  return start;
}

async function* partsOf(messages: AsyncIterable<WriteFileRequest>): AsyncGenerator<UploadPart> {
  for await (const { part } of messages) {
    if (part?.$case === 'chunk') yield { kind: 'chunk', bytes: part.value };
    else if (part?.$case === 'finish') yield { kind: 'finish', sizeBytes: part.value.sizeBytes };
    else throw invalidFields({ part: ['must be chunks, and then the finish, after the start'] });
  }
}
