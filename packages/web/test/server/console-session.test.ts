import { expect } from 'chai';
import { ApiError, type PanelClient } from '@panel/client';
import { ConsoleSession } from '../../src/server/console-session/console-session.js';
import type { Network, SocketListeners } from '../../src/server/console-session/network.js';

function open(older: () => Promise<unknown> = async () => ({ lines: [], has_more: false }), lines?: number) {
  const sockets: SocketListeners[] = [];
  const sent: string[] = [];
  const asked: unknown[] = [];
  let isClosed = false;
  const network: Network = {
    isOnline: () => true,
    onOnline: () => () => undefined,
    refusalOf: async () => null,
    open: (_path, _protocols, listeners) => {
      sockets.push(listeners);
      return { send: (text) => void sent.push(text), close: () => void (isClosed = true) };
    },
  };
  const get = async (_: string, { query }: { readonly query: unknown }) => {
    asked.push(query);
    return { data: await older() };
  };
  let powerChanges = 0;
  const session = new ConsoleSession({
    api: {
      session: { token: 'token', renew: async () => 'token' },
      call: async (use) => use({ get } as unknown as PanelClient),
    },
    serverId: 'server',
    network,
    onPowerChange: () => (powerChanges += 1),
    lines,
  });
  const receive = (...messages: readonly object[]): void => sockets.at(-1)?.onMessages(messages);
  const texts = (): string[] =>
    Array.from({ length: session.ring.next - session.ring.first }, (_, index) =>
      session.ring.rawAt(session.ring.first + index),
    );
  return {
    session,
    socket: () => sockets.at(-1),
    receive,
    sent,
    asked,
    texts,
    isClosed: () => isClosed,
    powerChanges: () => powerChanges,
  };
}

const at = (second: number): string => new Date(second * 1_000).toISOString();
const line = (seq: number | null, message: string) => ({ type: 'console_output', seq, message, at: at(seq ?? 0) });
const status = (value: string) => ({ type: 'status', status: value });
const operation = (kind: string | null) => ({ type: 'operation', kind, step: null, progress: null });
const stats = (second: number) => ({
  type: 'stats',
  cpu: second,
  memory_bytes: 1,
  network: { rx_bytes: 2, tx_bytes: 3 },
  observed_at: at(second),
});

describe('the session of a console', () => {
  it('counts no change for the state that is said on connecting, and one for each that follows', () => {
    const { session, receive, powerChanges } = open();
    receive(status('running'), status('running'));
    expect([session.snapshot.changes, powerChanges()]).to.deep.equal([0, 0]);
    receive(status('stopping'), status('offline'));
    expect([session.snapshot.status, session.snapshot.changes, powerChanges()]).to.deep.equal(['offline', 2, 2]);
    session.close();
  });

  it('shows an operation until it has ended, which is a change', () => {
    const { session, receive, powerChanges } = open();
    receive(operation('restoring'));
    expect(session.snapshot.operation?.kind).to.equal('restoring');
    expect(powerChanges()).to.equal(0);
    receive(operation(null));
    expect([session.snapshot.operation, session.snapshot.changes, powerChanges()]).to.deep.equal([null, 1, 1]);
    session.close();
  });

  it('tells listeners of lines and of the snapshot apart', () => {
    const { session, receive } = open();
    const calls: string[] = [];
    const stop = session.subscribe(() => calls.push('snapshot'));
    session.onLines(() => calls.push('lines'));
    receive(line(1, 'one'));
    receive(status('running'));
    stop();
    receive(status('offline'));
    expect(calls).to.deep.equal(['lines', 'snapshot']);
    session.close();
  });

  it('puts lines that are read later before those it has, in their order', async () => {
    const page = [
      { seq: 3, message: 'three', at: at(3) },
      { seq: 4, message: 'four', at: at(4) },
    ];
    const { session, receive, asked, texts } = open(async () => ({ lines: page, has_more: true }));
    receive(line(5, 'five'));
    expect(await session.readOlder()).to.equal(true);
    expect(texts()).to.deep.equal(['three', 'four', 'five']);
    await session.readOlder();
    expect(asked).to.deep.equal([
      { before: 5, limit: 500 },
      { before: 3, limit: 500 },
    ]);
    session.close();
  });

  it('moves a progress bar in one line, in whose place its end and the line after it come', () => {
    const { session, receive, texts } = open();
    const redrawn = (message: string) => ({ ...line(null, message), redrawn: true });
    receive(line(1, 'begin'), redrawn('get 1 %'), redrawn('get 50 %'));
    expect(texts()).to.deep.equal(['begin', 'get 50 %']);
    expect(session.ring.kindAt(1)).to.equal('game');
    receive(line(null, '[Panel] a notice'), redrawn('get 80 %'));
    expect(texts()).to.deep.equal(['begin', 'get 80 %', '[Panel] a notice']);
    receive(line(2, 'get 100 %'), line(3, 'end'));
    expect(texts()).to.deep.equal(['begin', 'get 100 %', '[Panel] a notice', 'end']);
    receive(redrawn('put 1 %'), { ...line(null, 'sure? '), partial: true }, line(4, 'yes'));
    expect(texts().slice(4)).to.deep.equal(['sure? ', 'yes']);
    session.close();
  });

  it('reads a line that the panel has cut whole by its number', async () => {
    const { session, receive, asked } = open(async () => ({ lines: [{ seq: 7, message: 'all of it', at: at(7) }] }));
    receive(line(7, 'a … [cut]'));
    expect(await session.readWhole(session.ring.first)).to.equal('all of it');
    expect(asked).to.deep.equal([{ before: 8, limit: 1, whole: 'true' }]);
    session.close();
  });

  it('reads older lines once for callers at the same time, and again after an error', async () => {
    const error = ApiError.from(new Response(null, { status: 503 }), {});
    const answers: (() => unknown)[] = [
      () => {
        throw error;
      },
      () => ({ lines: [{ seq: 1, message: 'one', at: at(1) }], has_more: false }),
    ];
    const { session, receive, asked } = open(async () => answers.shift()?.());
    receive(line(2, 'two'));
    const results = await Promise.allSettled([session.readOlder(), session.readOlder()]);
    expect(results).to.deep.equal([
      { status: 'rejected', reason: error },
      { status: 'rejected', reason: error },
    ]);
    expect(asked).to.have.length(1);
    expect(await session.readOlder()).to.equal(true);
    session.close();
  });

  it('asks for no older lines before there is one, after the last, and when it is full', async () => {
    const { session, receive, asked } = open(undefined, 2);
    expect(await session.readOlder()).to.equal(false);
    receive(line(1, 'one'));
    expect(await session.readOlder()).to.equal(false);
    expect(await session.readOlder()).to.equal(false);
    expect(asked).to.have.length(1);
    session.close();
    const full = open(undefined, 2);
    full.receive(line(7, 'seven'), line(8, 'eight'));
    expect(await full.session.readOlder()).to.equal(false);
    expect(full.asked).to.deep.equal([]);
    full.session.close();
  });

  it('keeps samples in the order of their times, without those that come twice', () => {
    const { session, receive } = open();
    receive(stats(1), stats(3), stats(2), stats(3), stats(4));
    expect(session.samples.map(({ cpu }) => cpu)).to.deep.equal([1, 3, 4]);
    expect(session.snapshot.stats?.cpu).to.equal(4);
    session.close();
  });

  it('sends commands only while it is connected', () => {
    const { session, socket, sent } = open();
    expect(session.send('say hi')).to.equal(false);
    socket()?.onOpen();
    expect(session.send('say hi')).to.equal(true);
    expect(sent).to.deep.equal(['{"type":"command","command":"say hi","ref":"2"}']);
    session.close();
  });

  it('gives a command back that its connection ended before the panel had answered', () => {
    const { session, socket, receive } = open();
    for (const answer of [
      { type: 'accepted', operation_id: null, ref: '1' },
      { type: 'error', code: 'server_offline', message: 'offline', ref: '2' },
    ]) {
      socket()?.onOpen();
      session.send('say hi');
      receive(answer);
      socket()?.onClose(1006);
      expect(session.snapshot.unanswered).to.equal(null);
      session.restart();
    }
    socket()?.onOpen();
    session.send('say hi');
    socket()?.onClose(1006);
    expect(session.snapshot.unanswered).to.deep.equal({ command: 'say hi' });
    session.forgetUnanswered();
    expect(session.snapshot.unanswered).to.equal(null);
    session.close();
  });

  it('shows that it waits for the panel, and the error of a command', () => {
    const { session, socket, receive } = open();
    socket()?.onOpen();
    receive({ type: 'error', code: 'server_offline', message: 'offline' });
    expect(session.snapshot.error?.code).to.equal('server_offline');
    socket()?.onClose(4404);
    expect(session.snapshot.connection).to.deep.equal({ kind: 'stopped', error: null, code: 4404 });
    session.close();
  });

  it('ends its socket and the commands that wait when it is closed', () => {
    const { session, socket, sent, isClosed } = open();
    socket()?.onOpen();
    session.commands.add(['one', 'two']);
    expect(session.snapshot.waitingCommands).to.equal(1);
    session.close();
    expect([sent.length, session.snapshot.waitingCommands, isClosed()]).to.deep.equal([1, 0, true]);
  });
});
