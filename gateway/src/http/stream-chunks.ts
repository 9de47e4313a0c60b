import { AppError } from '@panel/kit/errors';

/** One first part, then chunks. */
export interface DownloadMessage<P extends { readonly $case: string }> {
  readonly part?: P | undefined;
}

type ValueOf<P, C> = P extends { readonly $case: C; readonly value: infer V } ? V : never;

/** Its first part, which is of the case; ending `chunks` ends the call. Throws INTERNAL for another first part. */
export async function openDownload<P extends { readonly $case: string }, C extends P['$case']>(
  messages: AsyncIterable<DownloadMessage<P>>,
  firstCase: C,
): Promise<{ readonly first: ValueOf<P, C>; readonly chunks: AsyncGenerator<Buffer> }> {
  const parts = messages[Symbol.asyncIterator]();
  const next = await parts.next();
  const part = next.done ? undefined : next.value.part;
  if (part?.$case !== firstCase)
    throw new AppError('internal', 'INTERNAL', `a service did not begin a download with its ${firstCase}`);
  return { first: (part as unknown as { readonly value: ValueOf<P, C> }).value, chunks: chunksOf(parts) };
}

async function* chunksOf(
  parts: AsyncIterator<DownloadMessage<{ readonly $case: string; readonly value?: unknown }>>,
): AsyncGenerator<Buffer> {
  try {
    for (;;) {
      const next = await parts.next();
      if (next.done) return;
      if (next.value.part?.$case === 'chunk') yield next.value.part.value as Buffer;
    }
  } finally {
    await parts.return?.();
  }
}
