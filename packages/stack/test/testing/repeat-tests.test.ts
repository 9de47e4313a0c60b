import { expect } from 'chai';
import Mocha from 'mocha';
import { repeatTests } from '../../src/testing/repeat-tests.js';

describe('tests that are repeated', () => {
  /** What mocha counts of a suite in which one test can pass once only, and one always. */
  async function outcomes(): Promise<{ passed: string[]; failed: string[]; runs: number }> {
    const mocha = new Mocha({ reporter: 'min', retries: 2 });
    const seen = { passed: [] as string[], failed: [] as string[], runs: 0 };
    mocha.suite.addTest(new Mocha.Test('once', () => expect((seen.runs += 1)).to.equal(1)));
    mocha.suite.addTest(new Mocha.Test('always', () => undefined));
    const runner = new Mocha.Runner(mocha.suite, {});
    runner.on('pass', ({ title }) => seen.passed.push(title)).on('fail', ({ title }) => seen.failed.push(title));
    await new Promise((resolve) => runner.run(resolve));
    return seen;
  }

  it('fails a test that passes once only', async () => {
    const stop = repeatTests();
    const repeated = await outcomes().finally(stop);
    expect(repeated).to.deep.equal({ passed: ['always'], failed: ['once'], runs: 2 });
  });

  it('runs a test once when nothing is repeated', async () => {
    // What this test is part of may repeat its tests itself.
    expect((await outcomes()).passed).to.include('always');
  });
});
