import type { ExportVolumeResponse, ExportVolumeResponse_Part } from '@panel/protos/files';
import type { Step } from './export-steps.js';
import { chunkBytes } from './read-tree.js';

/** Approximate overhead. */
const partBytes = 64;

/** A message costs as much as a small file. After `keepAliveMs` sends the available parts, or none, as a keep-alive. */
export async function* batchSteps(
  steps: AsyncIterable<Step>,
  options: { readonly keepAliveMs: number; readonly now?: () => number },
): AsyncGenerator<ExportVolumeResponse, undefined> {
  const now = options.now ?? (() => performance.now());
  let parts: ExportVolumeResponse_Part[] = [];
  let bytes = 0;
  let sentAt = now();
  const take = () => {
    const message = { parts };
    parts = [];
    bytes = 0;
    sentAt = now();
    return message;
  };
  for await (const step of steps) {
    const size = step ? sizeOf(step) : 0;
    if (parts.length > 0 && bytes + size > chunkBytes) yield take();
    if (step) parts.push({ part: step });
    bytes += size;
    if (step?.$case === 'start' || now() - sentAt >= options.keepAliveMs) yield take();
  }
  if (parts.length > 0) yield take();
  return undefined;
}

function sizeOf(step: NonNullable<Step>): number {
  if (step.$case === 'chunk') return step.value.length;
  if (step.$case === 'entry') return partBytes + step.value.path.length + step.value.linkTarget.length;
  return partBytes;
}
