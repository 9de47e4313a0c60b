import { expect } from 'chai';
import { gatewayFor, signIn } from '../support/gateway.js';
import { openSocket, TestSocket } from '../support/sockets.js';
import { Fixture } from '../support/fixture.js';

describe('console sockets that come back', () => {
  const fixture = new Fixture();
  before(async () => fixture.start());
  after(async () => fixture.stop());

  it('sends each line once to sockets that come back to a gateway that has just started, whatever they have missed', async () => {
    const owner = fixture.createUser();
    const { token } = signIn(fixture, owner);
    const server = fixture.addServer(owner);
    fixture.consoleOf(server.id).print(...Array.from({ length: 400 }, (_, at) => `line ${at + 1}`));
    const gateway = await gatewayFor(fixture);
    const headers = { authorization: `Bearer ${token}` };
    const resume = async (after: string) => {
      const url = `${gateway.url}/api/v1/servers/${server.id}/ws?after=${after}`;
      const socket = await new TestSocket(url, [], { headers }).open();
      await socket.until('the last line', () => socket.lines().includes('line 400'));
      return socket;
    };
    const first = await resume('100');
    const second = await resume('250');
    const ahead = await resume('99999');
    const fresh = await openSocket(gateway.url, server.id, token).open();
    await fresh.until('the last line', () => fresh.lines().includes('line 400'));
    const numbers = (socket: TestSocket) => socket.of('console_output').map(({ seq }) => seq);
    const from = (start: number) => Array.from({ length: 401 - start }, (_, at) => start + at);
    expect(numbers(first)).to.deep.equal(from(101));
    expect(numbers(second)).to.deep.equal(from(251));
    expect(numbers(ahead)).to.deep.equal(from(251));
    expect(numbers(fresh)).to.deep.equal(from(251));
    expect(first.of('status')).to.have.length(1);
    await gateway.running.stop();
  });
});
