import { setImmediate as nextTurn } from 'node:timers/promises';
import Mocha from 'mocha';

/**
 * Fails the current or the next test at an unhandled rejection, which mocha ignores. The returned function ends this.
 */
export function failUnhandledRejections(): () => void {
  const reasons: unknown[] = [];
  const note = (reason: unknown) => void reasons.push(reason);
  process.on('unhandledRejection', note);
  // oxlint-disable-next-line typescript/unbound-method -- called on each test
  const { run } = Mocha.Test.prototype;
  Mocha.Test.prototype.run = function (this: Mocha.Test, done) {
    const end = async (error: unknown) => {
      // reported at the end of a turn
      await nextTurn();
      const [reason] = reasons.splice(0);
      done(error ?? (reason === undefined ? undefined : new UnhandledRejection(reason)));
    };
    run.call(this, (error?: unknown) => void end(error));
  };
  return () => {
    Mocha.Test.prototype.run = run;
    process.off('unhandledRejection', note);
  };
}

class UnhandledRejection extends Error {
  constructor(cause: unknown) {
    super(`nobody waited for a promise that was rejected: ${String(cause)}`, { cause });
    if (cause instanceof Error && cause.stack !== undefined) this.stack = `${this.message}\n${cause.stack}`;
  }
}
