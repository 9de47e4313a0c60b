import { createRequire } from 'node:module';
import { prepareNativeLibrary } from './native-library.js';

/** One reply of the engine: a BSON document. */
interface RoundTrip {
  readonly response: Buffer;
}

/** The part of the native engine that is used here. Only one may be open per process. */
export interface Engine {
  roundTrip(message: Buffer): Promise<RoundTrip>;
  close(): Promise<void>;
}

interface NativeModule {
  readonly Engine: { open(path: string): Promise<Engine> };
}

/**
 * Loads the native library and opens `dataDir`, making it when missing. Throws when this machine cannot load the library,
 * or when another process has the directory open.
 */
export async function openEngine(dataDir: string): Promise<Engine> {
  const library = prepareNativeLibrary();
  const native: NativeModule = createRequire(import.meta.url)(library);
  return native.Engine.open(dataDir);
}
