import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import Mocha from 'mocha';
import { failUnhandledRejections } from '../src/unhandled-rejections.js';

describe('promises that nobody waits for', () => {
  async function failures(
    tests: Readonly<Record<string, () => Promise<void> | void>>,
  ): Promise<Record<string, string>> {
    const mocha = new Mocha({ reporter: 'min', retries: 0 });
    for (const [title, run] of Object.entries(tests)) mocha.suite.addTest(new Mocha.Test(title, run));
    const runner = new Mocha.Runner(mocha.suite, {});
    const failed: Record<string, string> = {};
    runner.on('fail', ({ title }, { message }) => (failed[title] = message));
    const stop = failUnhandledRejections();
    await new Promise((resolve) => runner.run(resolve)).finally(stop);
    return failed;
  }

  it('fails the test in which one is rejected, at its end or before', async () => {
    const failed = await failures({
      before: async () => {
        void Promise.reject(new Error('early'));
        await setImmediate();
      },
      end: () => void Promise.reject(new Error('late')),
      sound: async () => {
        const failing = Promise.reject(new Error('awaited'));
        await failing.catch(() => undefined);
      },
    });
    expect(failed).to.deep.equal({
      before: 'nobody waited for a promise that was rejected: Error: early',
      end: 'nobody waited for a promise that was rejected: Error: late',
    });
  });

  it('fails a test with its own error first', async () => {
    const failed = await failures({
      both: () => {
        void Promise.reject(new Error('unawaited'));
        throw new Error('its own');
      },
    });
    expect(failed).to.deep.equal({ both: 'its own' });
  });
});
