import { messageChunks } from '@panel/rpc';

interface ExportedFile {
  readonly fileName: string;
  readonly chunks: AsyncIterable<Buffer>;
}

/** Its name, then its bytes. */
export async function* fileParts({ fileName, chunks }: ExportedFile) {
  yield { part: { $case: 'fileName' as const, value: fileName } };
  for await (const chunk of chunks)
    for (const value of messageChunks(chunk)) yield { part: { $case: 'chunk' as const, value } };
}
