import { ensureBusybox, needEngine } from './engine.js';
import { bootStack, type TestStack } from './stack.js';

/** What a story that has to be the same for all games is told on. */
export const runtimes = ['process', 'docker'] as const;

/** For a `before` hook: a panel whose games are on this runtime. Docker needs an engine, which CI must have. */
export async function bootOn(runtime: (typeof runtimes)[number], context: Mocha.Context): Promise<TestStack> {
  if (runtime === 'docker') {
    await needEngine(context);
    await ensureBusybox();
  }
  return bootStack({ RUNTIME: runtime });
}
