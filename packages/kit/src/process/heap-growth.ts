import { setFlagsFromString } from 'node:v8';

const percent = 120;

/**
 * For a process that passes large files on; call it once, at its start. V8 counts the bytes of buffers since its last full
 * collection as growth of the heap, and for a small heap begins the next one after a few megabytes: ten a second while a file
 * is sent, which takes more processor time than to send it. Here a heap may grow to 2.2 times its size in between; buffers
 * that are sent are freed by the short collections meanwhile. With half of that, 32 MiB of them begin a full collection again.
 */
export function allowHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}
