import { setFlagsFromString } from 'node:v8';

const percent = 120;

/**
 * For processes that stream large files; call once at the start. V8 counts buffers as heap growth, so a small heap runs
 * ten costly full collections a second during a transfer. Allows growth to 2.2 times; short collections free sent
 * buffers. At half of that, 32 MiB of buffers trigger full collections again.
 */
export function allowHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}
