import { expect } from 'chai';
import { filesBelow, readText } from './files.js';

/*
 * A process has its time from `clock` of `ServiceBase` or of the context, which the test clock of the installation moves, or
 * from `systemClock` where something else counts in real time. Files that read the time of the machine themselves stand here;
 * engines and games (packages/runtime) always have it.
 */

/** Why these files read real time. */
const machineTime: Readonly<Record<string, string>> = {
  'gateway/src/http/refuse-connection.ts': 'windows of rate limits, which Redis counts',
  'gateway/src/limits/counters.ts': 'windows of rate limits',
  'gateway/src/limits/limiter.ts': 'windows of rate limits',
  'gateway/src/limits/redis-counters.ts': 'windows of rate limits, which Redis counts',
  'gateway/src/middleware/error-envelope.ts': 'windows of rate limits',
  'gateway/src/routes/account/resource.ts': 'an early refusal; identity compares with its clock',
  'gateway/src/routes/files/entity-tag.ts': 'the age of a file',
  'gateway/src/ws/messages.ts': 'messages of an engine without a time',
  'packages/kit/src/process/test-clock.ts': 'the clock itself',
  'packages/rpc/src/auth/access-token.ts': 'the default of an argument',
  'packages/rpc/src/auth/actor.ts': 'actors of a minute, signed and verified by processes',
  'packages/rpc/src/auth/verify-jwt.ts': 'actors and grants, signed and verified by processes',
  'packages/rpc/src/call-execution.ts': 'deadlines of calls',
  'packages/rpc/src/call-options.ts': 'deadlines of calls',
  'packages/rpc/src/client.ts': 'deadlines of calls',
  'packages/rpc/src/multiplex/client-stream.ts': 'deadlines of calls',
  'packages/rpc/src/multiplex/session.ts': 'deadlines of calls',
  'packages/rpc/src/native-handler.ts': 'deadlines of calls',
  'packages/rpc/src/native.ts': 'deadlines of calls',
  'services/billing/src/models/journal.ts': 'when an entry was written',
  'services/billing/src/models/migrations/0004-journal.ts': 'when an entry was written',
  'services/billing/src/reconciliation/compare-journal.ts': 'when an entry was written',
  'services/files/src/direct/download.ts': 'the age of a file',
  'services/files/src/usecases/volumes/read-data-root.ts':
    'the time of the machine, which servers compares with its own',
  'services/files/src/volumes/usage.ts': 'the times of files',
  'services/servers/src/console/command-limiter.ts': 'windows of rate limits, which Redis counts',
  'services/servers/src/console/console-events.ts': 'samples of an engine',
  'services/servers/src/console/output-reader.ts': 'lines of a running game',
  'services/servers/src/console/server-console.ts': 'lines of a running game',
  'services/servers/src/models/fields.ts': 'claims of a minute, as `clock` of servers',
  'services/servers/src/models/servers/server.ts': 'the default of an argument',
  'services/servers/src/models/stores.ts': 'the default of an argument',
  'services/servers/src/node-clients/data-roots.ts': 'the time of another machine',
  'services/servers/src/nodes/node-watcher.ts': 'the time of another machine',
  'services/servers/src/usecases/power/send-command.ts': 'windows of rate limits, which Redis counts',
};
const reads = /\bDate\.now\b|\bnew Date\(\)|\bDate\(\)/;

function readsMachineTime(text: string): boolean {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  return reads.test(code);
}

describe('clocks of processes', () => {
  const folders = ['activity', 'kit', 'outbox', 'rpc'].map((name) => `packages/${name}/src`);
  const services = ['admin', 'billing', 'files', 'identity', 'servers'].map((name) => `services/${name}/src`);
  const files = [...folders, ...services, 'gateway/src']
    .flatMap((folder) => filesBelow(folder, '.ts'))
    .filter((file) => !file.includes('/src/testing/'));
  const reading = files.filter((file) => readsMachineTime(readText(file)));

  it('reads the time of the machine only in the files that have a reason', () => {
    expect(files).to.have.length.of.at.least(1_000);
    expect(reading.filter((file) => !Object.hasOwn(machineTime, file))).to.deep.equal([]);
  });

  it('lists no file that reads no time', () => {
    expect(Object.keys(machineTime).filter((file) => !reading.includes(file))).to.deep.equal([]);
  });

  for (const planted of [
    'const at = Date.now();',
    'const clock = () => new Date();',
    'clock: () => number = Date.now,',
  ]) {
    it(`refuses "${planted}"`, () => expect(readsMachineTime(planted)).to.equal(true));
  }

  for (const allowed of ['const at = clock();', 'new Date(ms)', '// like Date.now()', 'performance.now()']) {
    it(`allows "${allowed}"`, () => expect(readsMachineTime(allowed)).to.equal(false));
  }
});
