import { spawnSync } from 'node:child_process';

/** In a `before` hook: pending without `redis-server`, in CI it fails. */
export function needRedis(context: Mocha.Context): void {
  if (spawnSync('redis-server', ['--version'], { timeout: 10_000 }).status === 0) return;
  if (process.env.CI) throw new Error('CI needs a redis-server on the PATH');
  context.skip();
}
