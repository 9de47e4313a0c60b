import { createLogger } from '@panel/kit/process';
import { FeatureNotice, PowerState, Resources, type WatchEvent } from '@panel/protos/servers';
import { expect } from 'chai';
import { Channel } from '../../src/ws/channel.js';

type Event = NonNullable<WatchEvent['event']>;

const power = (state: PowerState): Event => ({ $case: 'powerState', value: { state } });
const stats = (uptimeMs: number): Event => ({ $case: 'stats', value: Resources.create({ uptimeMs }) });
const historyEnd: Event = { $case: 'historyEnd', value: {} };

/** Output for a socket that joins after these events. */
const snapshotAfter = async (events: readonly Event[]): Promise<string> => sentTo('late', [events]);

/** Output for a socket that joins before these streams, of which all but the last break. */
const sentDuring = async (...streams: readonly (readonly Event[])[]): Promise<string> => sentTo('early', streams);

async function sentTo(joins: 'early' | 'late', streams: readonly (readonly Event[])[]): Promise<string> {
  let isRead: () => void = () => undefined;
  const read = new Promise<void>((resolve) => (isRead = resolve));
  const left = [...streams];
  async function* watchServer(_: unknown, { signal }: { signal: AbortSignal }) {
    yield { events: (left.shift() ?? []).map((event) => ({ event })) };
    if (left.length > 0) return;
    isRead();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  }
  const log = createLogger({ service: 'test', level: 'silent' });
  const console = { watchServer } as never;
  const channel = new Channel({ serverId: 's', console, historyLines: 10, log, beforeResume: async () => undefined });
  const sent: string[] = [];
  const join = (to: string[]) => {
    const write = (bytes: Buffer) => void to.push(bytes.toString('utf8'));
    channel.join({ maySeeInstall: false, after: null, isBehind: () => false, write, close: () => undefined });
  };
  if (joins === 'early') join(sent);
  const running = channel.run();
  await read;
  // Pending output is sent before another socket joins.
  join(joins === 'late' ? sent : []);
  channel.stop();
  await running;
  return sent.join('');
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

  it('tells sockets that were asked once what is done', async () => {
    const notice = FeatureNotice.create({ feature: 'eula', line: 'agree' });
    const asked: Event = { $case: 'feature', value: notice };
    const done: Event = { $case: 'feature', value: { ...notice, isResolved: true } };
    const sent = await sentDuring([asked, historyEnd, done, done]);
    expect(sent.match(/"type":"feature_resolved","feature":"eula"/g)).to.have.length(1);
  });

  it('tells sockets that were asked what was done while its stream was broken, and nothing else', async () => {
    const ask = (feature: string): Event => ({ $case: 'feature', value: FeatureNotice.create({ feature }) });
    const sent = await sentDuring([ask('eula'), ask('pid_limit'), historyEnd], [ask('pid_limit'), historyEnd]);
    expect(sent.match(/"type":"feature_resolved","feature":"eula"/g)).to.have.length(1);
    expect(sent).not.to.include('"type":"feature_resolved","feature":"pid_limit"');
  });
});
