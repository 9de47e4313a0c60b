import { ensureBusybox, needEngine } from './engine.js';
import { bootStack, type TestStack } from './stack.js';

/** Runtimes for tests that must behave alike. */
export const runtimes = ['process', 'docker'] as const;

export async function bootOn(runtime: (typeof runtimes)[number], context: Mocha.Context): Promise<TestStack> {
  if (runtime === 'docker') {
    await needEngine(context);
    await ensureBusybox();
  }
  return bootStack({ RUNTIME: runtime });
}
