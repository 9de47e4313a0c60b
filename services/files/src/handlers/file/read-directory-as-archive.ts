import type { FileServiceService } from '@panel/protos/files';
import { type Handler, messageChunks } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireGrant } from '../../domain/grant.js';
import { readThroughGateway } from '../../metrics.js';
import { readDirectoryAsArchive as read } from '../../usecases/files/read-directory-as-archive.js';

/** A directory as a tar.gz. */
export function readDirectoryAsArchive(context: FilesContext): Handler<FileServiceService['readDirectoryAsArchive']> {
  return async function* ({ grant: token, path }, { signal, permission }) {
    const grant = requireGrant(context.grants.verify(token), permission);
    for await (const bytes of read(context, { grant, signal, path })) {
      context.metrics.bytes.inc(readThroughGateway, bytes.length);
      for (const chunk of messageChunks(bytes)) yield { chunk };
    }
  };
}
