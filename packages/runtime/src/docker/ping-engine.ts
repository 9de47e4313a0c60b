import { Engine, type EngineOptions } from './engine.js';

/** Throws NODE_UNREACHABLE with a cause, TypeError for an invalid url. */
export async function pingEngine(options: Pick<EngineOptions, 'url' | 'tls' | 'timeoutMs'>): Promise<void> {
  const engine = new Engine(options);
  try {
    await engine.ping();
  } finally {
    engine.close();
  }
}
