import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { connectionLimits } from '../../src/sftp/connection-limits.js';
import { failureOf, generateUsableKeys, type SftpFixture, startSftpFixture } from './fixture.js';

describe('unknown keys offered to SFTP', () => {
  let fixture: SftpFixture;
  before(async () => {
    fixture = await startSftpFixture();
  });
  after(async () => fixture.stop());

  it('counts a connection that offered unknown keys only as a failure of its address', async () => {
    const privateKey = generateUsableKeys().private;
    for (let i = 0; i < connectionLimits.failuresPerAddress; i += 1) {
      // as one with an agent that has another key first
      if (i % 10 === 0) await fixture.connect();
      expect(await failureOf(fixture.connect({ privateKey }))).to.include('authentication methods failed');
    }
    await waitUntil('the address to be refused', async () => {
      // few at a time: the number of connections is limited, too
      fixture.disconnect();
      return (await failureOf(fixture.connect())) !== 'none';
    });
  });
});
