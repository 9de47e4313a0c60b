import { expect } from 'chai';
import { Fixture, type TestUser } from '../support/fixture.js';
import { gatewayFor, signIn, type TestGateway } from '../support/gateway.js';
import { openSocket } from '../support/sockets.js';

describe('answers on the console socket', () => {
  const fixture = new Fixture();
  let gateway: TestGateway;
  let owner: TestUser;

  before(async () => {
    await fixture.start();
    gateway = await gatewayFor(fixture);
    owner = fixture.createUser();
  });
  after(async () => {
    await gateway.running.stop();
    await fixture.stop();
  });

  const connectTo = async () => {
    const server = fixture.addServer(owner);
    return openSocket(gateway.url, server.id, signIn(fixture, owner).token).open();
  };

  it('answers an accepted message that has a ref, and none without', async () => {
    const socket = await connectTo();
    socket.send({ type: 'command', command: 'say nothing' });
    socket.send({ type: 'command', command: 'say hi', ref: 'a' });
    socket.send({ type: 'power', action: 'start', ref: 'b' });
    await socket.until('both answers', () => socket.of('accepted').length === 2);
    expect(socket.of('accepted')).to.deep.equal([
      { type: 'accepted', operation_id: null, ref: 'a' },
      { type: 'accepted', operation_id: 'op-1', ref: 'b' },
    ]);
  });

  it('lists the known types in answer to another one, with a reason', async () => {
    const socket = await connectTo();
    for (const message of [{ type: 'fly' }, {}]) socket.send(message);
    await socket.until('both errors', () => socket.of('error').length === 2);
    for (const error of socket.of('error')) {
      expect(error['details']).to.deep.equal({ type: ['must be command, power or auth'] });
      expect(error['reasons']).to.deep.equal({ type: ['not_allowed'] });
    }
  });
});
