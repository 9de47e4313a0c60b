import { expect } from 'chai';
import { instanceSpec } from '../../src/games/instance-spec.js';
import { aServer } from '../support/server-fixture.js';

describe('outgoing address of a server', () => {
  const outgoingIp = (ip: string, forceOutgoingIp?: boolean) => {
    const server = aServer();
    const egg = { ...server.egg, ...(forceOutgoingIp !== undefined && { forceOutgoingIp }) };
    const primary = {
      id: server.allocationId,
      nodeId: server.nodeId,
      ip,
      alias: '',
      port: 25_565,
      notes: '',
      createdAt: new Date(0),
      serverId: server.id,
    };
    const other = { ...primary, id: 'another', ip: '203.0.113.9' };
    const volume = { path: '/srv/volume', uid: 988, gid: 988 };
    const around = { volume, allocations: [other, primary], timezone: 'UTC' };
    return instanceSpec({ ...server, egg }, around, 30_000).outgoingIp;
  };

  it('sends from the primary allocation when the egg requires it', () => {
    expect(outgoingIp('203.0.113.7', true)).to.equal('203.0.113.7');
    expect(outgoingIp('203.0.113.7', false)).to.equal(undefined);
    expect(outgoingIp('203.0.113.7'), 'made before eggs could').to.equal(undefined);
  });

  it('sets no outgoing address that is not public', () => {
    for (const ip of ['0.0.0.0', '127.0.0.1', '2001:db8::7', '']) expect(outgoingIp(ip, true), ip).to.equal(undefined);
  });
});
