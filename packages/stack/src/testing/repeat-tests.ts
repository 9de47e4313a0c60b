import Mocha from 'mocha';

/** What a test fails with whose first run has passed. */
export class RepeatedOnPurpose extends Error {
  constructor() {
    super('repeated on purpose');
  }
}

/**
 * From here on every test fails once after it has passed, so that what counts is its repetition: a test that cannot pass a
 * second time turns one bad moment of the machine into a failed run. The returned function ends this.
 */
export function repeatTests(): () => void {
  // oxlint-disable-next-line typescript/unbound-method -- called on each test
  const { run } = Mocha.Test.prototype;
  Mocha.Test.prototype.run = function (this: Mocha.Test & { currentRetry(): number }, done) {
    // No third attempt: it would hide that the second has failed.
    if (this.currentRetry() === 0) this.retries(1);
    run.call(this, (error?: unknown) => {
      const isFirst = this.currentRetry() === 0 && !this.isPending();
      done(isFirst && !error ? new RepeatedOnPurpose() : error);
    });
  };
  return () => {
    Mocha.Test.prototype.run = run;
  };
}
