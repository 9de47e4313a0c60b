import { type FieldMessages, fieldProblem, requireValid } from '@panel/kit/errors';
import { type Handler, messageChunks } from '@panel/rpc';
import type { FileServiceService, ReadFileRequest } from '@panel/protos/files';
import type { FilesContext } from '../../context.js';
import { readThroughGateway } from '../../metrics.js';
import { presentEntry } from '../../present/file-entry.js';
import { openFile, readRange } from '../../usecases/files/read-file.js';
import { readGrant } from '../read-grant.js';

/** Entry first, then as many bytes as at opening. */
export function handleReadFile(context: FilesContext): Handler<FileServiceService['readFile']> {
  return async function* (request, { signal, permission }) {
    checkRange(request);
    const grant = readGrant(context, request.grant, permission);
    const opened = await openFile(context, { grant, signal, path: request.path });
    try {
      yield { part: { $case: 'entry', value: presentEntry(opened.entry) } };
      for await (const bytes of readRange(opened, request)) {
        context.metrics.bytes.inc(readThroughGateway, bytes.length);
        for (const value of messageChunks(bytes)) yield { part: { $case: 'chunk', value } };
      }
    } finally {
      await opened.file.close();
    }
  };
}

function checkRange(request: ReadFileRequest): void {
  const fields: FieldMessages = {};
  for (const [name, value] of [
    ['offset_bytes', request.offsetBytes],
    ['limit_bytes', request.limitBytes],
  ] as const) {
    if (!Number.isSafeInteger(value) || value < 0) fields[name] = [fieldProblem('out_of_range', 'must be 0 or more')];
  }
  requireValid(fields);
}
