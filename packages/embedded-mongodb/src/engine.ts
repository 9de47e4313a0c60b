import { createRequire } from 'node:module';
import { prepareNativeLibrary } from './native-library.js';

interface RoundTrip {
  readonly response: Buffer;
}

/** At most one per process. */
export interface Engine {
  roundTrip(message: Buffer): Promise<RoundTrip>;
  close(): Promise<void>;
}

interface NativeModule {
  readonly Engine: { open(path: string): Promise<Engine> };
}

/** Creates a missing `dataDir`. Throws when the library cannot be loaded or another process has the directory open. */
export async function openEngine(dataDir: string): Promise<Engine> {
  const library = prepareNativeLibrary();
  const native: NativeModule = createRequire(import.meta.url)(library);
  return native.Engine.open(dataDir);
}
