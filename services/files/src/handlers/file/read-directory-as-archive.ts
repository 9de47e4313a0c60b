import type { FileServiceService } from '@panel/protos/files';
import { type Handler, messageChunks } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { readThroughGateway } from '../../metrics.js';
import { readDirectoryAsArchive } from '../../usecases/files/read-directory-as-archive.js';
import { readGrant } from '../read-grant.js';

export function handleReadDirectoryAsArchive(
  context: FilesContext,
): Handler<FileServiceService['readDirectoryAsArchive']> {
  return async function* ({ grant: token, path }, { signal, permission }) {
    const grant = readGrant(context, token, permission);
    for await (const bytes of readDirectoryAsArchive(context, { grant, signal, path })) {
      context.metrics.bytes.inc(readThroughGateway, bytes.length);
      for (const chunk of messageChunks(bytes)) yield { chunk };
    }
  };
}
