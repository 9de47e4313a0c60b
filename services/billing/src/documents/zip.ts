import { ZipFile } from 'yazl';

interface ZippedFile {
  readonly name: string;
  readonly modifiedAt: Date;
  readonly content: Buffer;
}

/** Stored, since PDFs are compressed already. Holds a few files at a time. */
export async function* zipOf(files: AsyncIterable<ZippedFile>): AsyncGenerator<Buffer> {
  const zip = new ZipFile();
  const output = zip.outputStream;
  for await (const { name, modifiedAt, content } of files) {
    zip.addBuffer(content, name, { mtime: modifiedAt, compress: false });
    for (let chunk: unknown = output.read(); Buffer.isBuffer(chunk); chunk = output.read()) yield chunk;
  }
  zip.end();
  for await (const chunk of output) yield chunk as Buffer;
}
