import { AppError } from '@panel/kit/errors';
import { createAddressGuard } from '@panel/kit/net';
import { expect } from 'chai';
import { NodeFiles } from '../../src/node-clients/files.js';

const away = '127.0.0.1:7104';
const other = '127.0.0.1:7204';
const node = { filesAddress: away } as never;

/** By address; undefined: unavailable. */
function nodeFiles(answers: Record<string, { usedBytes: number; recorded: boolean } | undefined>): NodeFiles {
  const connectTo = (address: string) => ({
    client: () => ({
      getVolumeUsage: async () => {
        const answer = answers[address];
        if (!answer) throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'is away');
        return answer;
      },
    }),
  });
  return new NodeFiles(connectTo as never, away, {} as never, createAddressGuard('allow'), async () => other);
}

describe('known disk usage', () => {
  it('takes what the records of another node have while the files service of the node is away', async () => {
    const files = nodeFiles({ [other]: { usedBytes: 5, recorded: true } });
    expect(await files.usage(node, 'a')).to.equal(5);
    expect(files.recentUsage(node, 'a')).to.equal(5);
  });

  it('acts upon measurements only', async () => {
    const recorded = { usedBytes: 5, recorded: true };
    expect(await nodeFiles({ [other]: recorded }).measuredUsage(node, 'a')).to.equal(0);
    expect(await nodeFiles({ [away]: recorded }).measuredUsage(node, 'a')).to.equal(0);
    expect(await nodeFiles({ [away]: { usedBytes: 6, recorded: false } }).measuredUsage(node, 'a')).to.equal(6);
  });

  it('knows nothing where nobody does', async () => {
    const files = nodeFiles({});
    expect(await files.usage(node, 'a')).to.equal(0);
    expect(files.recentUsage(node, 'a')).to.equal(null);
  });
});
