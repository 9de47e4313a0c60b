import { createAddressGuard } from '@panel/kit/net';
import { expect } from 'chai';
import { NodeFiles } from '../../src/node-clients/files.js';
import { otherFilesAddress } from '../../src/node-clients/other-files-address.js';

const ownAddress = '127.0.0.1:7104';

function nodeFiles(connected: string[] = []): NodeFiles {
  const connectTo = (address: string, { guard }: { guard?: unknown }) => {
    connected.push(guard === undefined ? address : `guarded ${address}`);
    return { client: () => ({}) };
  };
  return new NodeFiles(
    connectTo as never,
    ownAddress,
    {} as never,
    createAddressGuard('deny'),
    {} as never,
    async () => null,
  );
}

async function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'allowed',
    (error: { readonly reason?: string }) => error.reason,
  );
}

describe('addresses of files services', () => {
  /** Stored under another configuration: an internal name, and schemes that hide the host. */
  const forbidden = ['169.254.169.254:80', 'localhost:80', 'ipv4:169.254.169.254:80', 'unix:engine.sock:1'];

  for (const filesAddress of forbidden) {
    it(`neither connects to ${filesAddress} nor tells others to`, async () => {
      const connected: string[] = [];
      const files = nodeFiles(connected);
      expect(await reasonOf(files.content({ filesAddress } as never))).to.equal('FILES_ADDRESS_FORBIDDEN');
      expect(await reasonOf(files.checkedAddressOf({ filesAddress }))).to.equal('FILES_ADDRESS_FORBIDDEN');
      expect(connected).to.deep.equal([]);
    });
  }

  it('trusts the configured address', async () => {
    expect(await nodeFiles().checkedAddressOf({ filesAddress: '' })).to.equal(ownAddress);
    expect(await nodeFiles().checkedAddressOf({ filesAddress: '10.0.0.4:7104' })).to.equal('10.0.0.4:7104');
  });

  it('guards every connection to an address that an operator has named', async () => {
    const connected: string[] = [];
    const files = nodeFiles(connected);
    for (const filesAddress of ['', '10.0.0.4:7104']) await files.content({ filesAddress } as never);
    expect(connected).to.deep.equal([ownAddress, 'guarded 10.0.0.4:7104']);
  });

  it('passes over forbidden ones where another is wanted', async () => {
    const all = forbidden.map((filesAddress) => ({ filesAddress, health: { isReachable: true } }));
    const stores = { nodes: { all: async () => all } };
    expect(await otherFilesAddress({ stores, files: nodeFiles() } as never, '10.0.0.4:7104')).to.equal(ownAddress);
  });
});
