/**
 * Before the engine's library is loaded, which reads it once. Its dispatcher hands commands to threads of the engine: a
 * second one costs wake-ups and gains nothing.
 */
export function limitDispatchers(env: NodeJS.ProcessEnv = process.env): void {
  env['TOKIO_WORKER_THREADS'] ??= '1';
}
