import { createLogger } from '@panel/kit';
import { FeatureNotice, PowerState, Resources, type WatchEvent } from '@panel/protos/servers';
import { expect } from 'chai';
import { Channel } from '../../src/ws/channel.js';

type Event = NonNullable<WatchEvent['event']>;

const power = (state: PowerState): Event => ({ $case: 'powerState', value: { state } });
const stats = (uptimeMs: number): Event => ({ $case: 'stats', value: Resources.create({ uptimeMs }) });
const historyEnd: Event = { $case: 'historyEnd', value: {} };

/** What a socket is sent that joins after these events. */
async function snapshotAfter(events: readonly Event[]): Promise<string> {
  let isRead: () => void = () => undefined;
  const read = new Promise<void>((resolve) => (isRead = resolve));
  async function* watchServer(_: unknown, { signal }: { signal: AbortSignal }) {
    yield { events: events.map((event) => ({ event })) };
    isRead();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  }
  const log = createLogger({ service: 'test', level: 'silent' });
  const console = { watchServer } as never;
  const channel = new Channel({ serverId: 's', console, historyLines: 10, log, beforeResume: async () => undefined });
  const running = channel.run();
  await read;
  let sent = '';
  const write = (bytes: Buffer) => void (sent += bytes.toString('utf8'));
  channel.join({ maySeeInstall: false, after: null, isBehind: () => false, write, close: () => undefined });
  channel.stop();
  await running;
  return sent;
}

describe('console channel', () => {
  it('sends a joining socket the usage of the current run, never that of the run before', async () => {
    const before = [power(PowerState.RUNNING), stats(60_000), historyEnd, power(PowerState.STOPPING)];
    expect(await snapshotAfter(before)).to.include('60000');
    expect(await snapshotAfter([...before, power(PowerState.STARTING)])).not.to.include('60000');
    expect(await snapshotAfter([...before, power(PowerState.STARTING), stats(50)])).to.match(/"uptime[^,]*50\b/);
  });

  it('does not ask a joining socket for what is done', async () => {
    const eula = FeatureNotice.create({ feature: 'eula', line: 'agree' });
    const asked: Event = { $case: 'feature', value: eula };
    expect(await snapshotAfter([asked, historyEnd])).to.include('"eula"');
    const done: Event = { $case: 'feature', value: { ...eula, isResolved: true } };
    expect(await snapshotAfter([asked, historyEnd, done])).not.to.include('"eula"');
  });
});
