/** One first part, already read, then chunks. */
interface DownloadPart {
  readonly part?: { readonly $case: string; readonly value: unknown } | undefined;
}

/** Ending it early ends the call. */
export async function* chunksOf(parts: AsyncIterator<DownloadPart>): AsyncGenerator<Buffer> {
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
