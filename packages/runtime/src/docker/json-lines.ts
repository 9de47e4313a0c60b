import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';

const maxLineLength = 1024 * 1024;

/** One JSON object per line. Skips other lines. */
export async function* readJsonLines<T extends object>(stream: Readable): AsyncGenerator<T> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxLineLength) throw new Error('the engine sent a line without end');
    for (const line of lines) {
      const value = parse(line);
      if (value !== null) yield value as T;
    }
  }
  const value = parse(rest);
  if (value !== null) yield value as T;
}

function parse(line: string): object | null {
  if (line.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
