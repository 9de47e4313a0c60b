import { type FieldMessages, invalidFields } from '@panel/kit/errors';
import { type Handler, messageChunks } from '@panel/rpc';
import type { FileServiceService, ReadFileRequest } from '@panel/protos/files';
import type { FilesContext } from '../../context.js';
import { requireGrant } from '../../domain/grant.js';
import { readThroughGateway } from '../../metrics.js';
import { presentEntry } from '../../present/file-entry.js';
import { openFile, readChunks } from '../../usecases/files/read-file.js';

/** A file of a server: first its entry, then its bytes, as many as it had when it was opened. */
export function readFile(context: FilesContext): Handler<FileServiceService['readFile']> {
  return async function* (request, { signal, permission }) {
    checkRange(request);
    const grant = requireGrant(context.grants.verify(request.grant), permission);
    const { file, entry } = await openFile(context, { grant, signal, path: request.path });
    try {
      yield { part: { $case: 'entry', value: presentEntry(entry) } };
      const remaining = Math.max(0, entry.sizeBytes - request.offsetBytes);
      const length = request.limitBytes === 0 ? remaining : Math.min(remaining, request.limitBytes);
      for await (const bytes of readChunks(file, request.offsetBytes, length)) {
        context.metrics.bytes.inc(readThroughGateway, bytes.length);
        for (const value of messageChunks(bytes)) yield { part: { $case: 'chunk', value } };
      }
    } finally {
      await file.close();
    }
  };
}

function checkRange(request: ReadFileRequest): void {
  const fields: FieldMessages = {};
  for (const [name, value] of [
    ['offset_bytes', request.offsetBytes],
    ['limit_bytes', request.limitBytes],
  ] as const) {
    if (!Number.isSafeInteger(value) || value < 0) fields[name] = ['must be 0 or more'];
  }
  if (Object.keys(fields).length > 0) throw invalidFields(fields);
}
