import { Engine, type EngineOptions } from './engine.js';

/**
 * Ask an engine once whether it answers, as a runtime of the same options would reach it. Throws NODE_UNREACHABLE, whose cause
 * says why, and TypeError for a url of another form.
 */
export async function pingEngine(options: Pick<EngineOptions, 'url' | 'tls' | 'timeoutMs'>): Promise<void> {
  const engine = new Engine(options);
  try {
    await engine.ping();
  } finally {
    engine.close();
  }
}
