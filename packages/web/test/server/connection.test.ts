import { expect } from 'chai';
import { ApiError } from '@panel/client';
import { ConsoleConnection, type ConnectionState } from '../../src/server/console-session/connection.js';
import type { Network, SocketListeners } from '../../src/server/console-session/network.js';

class FakeNetwork implements Network {
  readonly opened: { readonly path: string; readonly listeners: SocketListeners; isClosed: boolean }[] = [];
  online: () => void = () => undefined;
  isOnline = (): boolean => true;
  onOnline = (listener: () => void): (() => void) => {
    this.online = listener;
    return () => undefined;
  };
  refusalOf = async (path: string, token: string): Promise<ApiError | null> => this.refuse(path, token);
  constructor(private readonly refuse: (path: string, token: string) => Promise<ApiError | null>) {}
  open = (path: string, _protocols: readonly string[], listeners: SocketListeners) => {
    const socket = { path, listeners, isClosed: false };
    this.opened.push(socket);
    return { send: () => undefined, close: () => void (socket.isClosed = true) };
  };
  at(index: number) {
    const socket = this.opened[index];
    if (!socket) throw new Error(`socket ${index} was not opened`);
    return socket;
  }
  line(index: number, seq: number): void {
    const data = { type: 'console_output', seq, message: `line ${seq}`, at: new Date(0).toISOString() };
    this.at(index).listeners.onMessages([data]);
  }
}

function watch(refuse: (path: string, token: string) => Promise<ApiError | null> = async () => null) {
  const network = new FakeNetwork(refuse);
  const lines: (number | null)[] = [];
  const states: ConnectionState[] = [];
  const session = { token: 'token', renew: async () => 'token' };
  const connection = new ConsoleConnection({
    api: { session },
    serverId: 'server',
    onMessage: (message) => void (message.type === 'console_output' && lines.push(message.seq)),
    onState: (state) => states.push(state),
    network,
  });
  return { network, lines, states, connection };
}

const nextTurn = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the connection of a console', () => {
  it('asks for the lines after the last one when it connects again', () => {
    const { network, connection } = watch();
    network.at(0).listeners.onOpen();
    network.line(0, 7);
    network.at(0).listeners.onClose(1006);
    network.online();
    expect(network.opened.map(({ path }) => path)).to.deep.equal([
      '/api/v1/servers/server/ws',
      '/api/v1/servers/server/ws?after=7',
    ]);
    connection.close();
  });

  it('keeps one socket when the browser comes online while a refusal is being asked about', async () => {
    let answer: (refusal: null) => void = () => undefined;
    const { network, lines, states, connection } = watch(
      async () => new Promise<null>((resolve) => (answer = resolve)),
    );
    network.at(0).listeners.onClose(1006);
    network.online();
    network.at(1).listeners.onOpen();
    answer(null);
    await nextTurn();
    expect(states.at(-1)).to.deep.equal({ kind: 'open' });
    network.line(1, 1);
    expect(network.opened.length).to.equal(2);
    expect(lines).to.deep.equal([1]);
    connection.close();
  });

  it('takes no line from a socket that was replaced', () => {
    const { network, lines, connection } = watch();
    network.at(0).listeners.onClose(1006);
    network.online();
    network.at(1).listeners.onOpen();
    network.line(0, 1);
    network.line(1, 1);
    expect(lines).to.deep.equal([1]);
    connection.close();
    expect(network.at(1).isClosed).to.equal(true);
  });

  it('stops with the reason when the panel refuses the server', async () => {
    const refusal = new ApiError(404, 'not_found', 'no such server', {}, null, 0);
    const { network, states, connection } = watch(async () => refusal);
    network.at(0).listeners.onClose(1006);
    await nextTurn();
    expect(states.at(-1)).to.deep.equal({ kind: 'stopped', error: refusal, code: 1006 });
    connection.close();
  });

  it('says why and goes on trying while too many consoles are open', async () => {
    const details = { reason: 'rate_limit_exceeded', limit: 'user_consoles', max: 20 };
    const refusal = new ApiError(429, 'rate_limit_exceeded', 'too many open consoles', details, null, 30);
    const asked: string[] = [];
    const { network, states, connection } = watch(async (path, token) => {
      asked.push(`${path} ${token}`);
      return refusal;
    });
    network.at(0).listeners.onClose(1006);
    await nextTurn();
    expect(asked).to.deep.equal(['/api/v1/servers/server/ws token']);
    expect(states.at(-1)).to.include({ kind: 'waiting', refusal });
    network.online();
    network.at(1).listeners.onOpen();
    expect(states.at(-1)).to.deep.equal({ kind: 'open' });
    connection.close();
  });

  for (const [code, what] of [
    [4403, 'the permission is taken away'],
    [4404, 'the server is deleted'],
    [4409, 'the server is suspended'],
  ] as const) {
    it(`stops for good when ${what}`, async () => {
      const { network, states, connection } = watch();
      network.at(0).listeners.onOpen();
      network.at(0).listeners.onClose(code);
      await nextTurn();
      expect(states.at(-1)).to.deep.equal({ kind: 'stopped', error: null, code });
      expect(network.opened.length).to.equal(1);
      connection.close();
    });
  }
});
