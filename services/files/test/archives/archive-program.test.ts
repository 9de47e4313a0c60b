import { expect } from 'chai';
import { startArchiveProgram } from '../../src/archives/archive-program.js';

describe('programs for archives', () => {
  const run = async (script: string) => {
    const program = await startArchiveProgram(['sh', '-c', script], {});
    program.stdin?.end();
    let output = '';
    for await (const chunk of program.stdout) output += String(chunk);
    const failure = await program.finished.then(
      () => null,
      (error: unknown) => error,
    );
    return { output, failure };
  };

  it('take no number of warnings for a failure', async () => {
    const { output, failure } = await run('yes "warning: strange date" | head -n 10000 >&2; echo done');
    expect(output).to.equal('done\n');
    expect(failure).to.equal(null);
  });

  it('end when they ask for a passphrase, and report their last words when they fail', async () => {
    const asked = await run('while true; do echo "Enter passphrase: " >&2; done');
    expect(asked.failure).to.include({ reason: 'ARCHIVE_INVALID' });
    const failed = await run('yes noise | head -n 10000 >&2; echo "broken" >&2; exit 3');
    expect(failed.failure).to.have.nested.property('metadata.detail').that.includes('broken');
  });
});
