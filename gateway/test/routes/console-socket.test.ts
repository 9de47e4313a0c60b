import { FeatureNotice, Operation, Operation_Kind, PowerState, Resources } from '@panel/protos/servers';
import { expect } from 'chai';
import { toErrorResponse } from '@panel/rpc';
import { serverMessage } from '../../src/routes/servers/console-socket.js';
import { frames } from '../../src/ws/messages.js';

/** For frames below 64 KiB. */
function read(frame: Buffer): unknown {
  const headerLength = frame[1] === 126 ? 4 : 2;
  return JSON.parse(frame.subarray(headerLength).toString('utf8'));
}

describe('console socket declaration', () => {
  it('describes every message the panel sends', () => {
    const said = [
      frames.console({ text: 'a line', time: new Date(), sequence: 1 }),
      frames.console({ text: 'name? ', time: new Date(), sequence: 0, isPartial: true }),
      frames.stats(Resources.create({ state: PowerState.RUNNING, memoryBytes: 5, cpuPercent: 1.5 })),
      frames.status('stopping'),
      frames.install({ text: 'a line', step: '' }),
      frames.install({ text: 'a line', step: 'pull' }),
      frames.operation(undefined),
      frames.operation(Operation.create({ kind: Operation_Kind.INSTALLING, step: 'pull', progressPercent: 5 })),
      frames.error(toErrorResponse(new Error('unknown')), 'r1'),
      frames.accepted(null, 'r2'),
      frames.authenticated(Date.now(), null),
      frames.tokenExpiring(Date.now()),
      frames.feature(FeatureNotice.create({ feature: 'eula', line: 'You need to agree to the EULA' })),
      frames.featureResolved('eula'),
    ].map(read);
    for (const message of said) {
      const result = serverMessage.safeParse(message);
      expect(result.error?.issues ?? [], JSON.stringify(message)).to.deep.equal([]);
    }
    expect(new Set(said.map((message) => (message as { type: string }).type)).size).to.equal(
      serverMessage.options.length,
    );
  });
});
