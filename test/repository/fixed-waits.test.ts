import { expect } from 'chai';
import { filesBelow, readText, workspaces } from './files.js';

/*
 * A test waits for an event (`waitUntil`) or moves a clock (`ManualClock`). What has to wait for the time of the machine does so
 * with `realTime` of @panel/kit/testing and a reason, in the files listed here. `pause` with a computed time is for fakes
 * that are slow on purpose.
 */

/** Why these files wait for real time. */
const waitingFiles: Readonly<Record<string, string>> = {
  'packages/client/test/client.test.ts': 'time-outs of the platform, in a package without the kit',
  'packages/rpc/test/grpc.test.ts': 'buffers of TCP',
  'packages/rpc/test/restarting-service.test.ts': 'tries over TCP',
  'packages/runtime/test/beats.ts': 'processes of games',
  'packages/runtime/test/conformance-observation.ts': 'the processor time of a game, which an engine samples',
  'services/files/test/backups/restic/link-tree.test.ts': 'system calls',
  'services/files/test/sftp/malicious-clients.test.ts': 'buffers of TCP',
  'services/files/test/sftp/rights.test.ts': 'file times of the kernel',
  'services/servers/test/integration/console.test.ts': 'the flood of a game',
  'services/servers/test/integration/contention.test.ts': 'the measurement of an idle service',
  'services/servers/test/integration/transfer-slots.test.ts': 'leases by the clock of the database',
  'test/e2e/durability.test.ts': 'a database that restarts',
  'test/e2e/gateway-limits.test.ts': 'rate limits of a running installation',
  'test/e2e/shared/billing-crashes.test.ts': 'services that restart',
};
/** No test: a program whose faults come at the times of its seed. */
const faults = 'test/faults/';

const ways: readonly [RegExp, string][] = [
  [/import \{[^}]*\bsetTimeout\b[^}]*\} from 'node:timers\/promises'/, 'imports setTimeout of node:timers/promises'],
  [/new Promise\b(?:<\w*>)?\(\(?\w+\)? =>\s*(?:\{\s*)?(?:void )?setTimeout\(\w+, /, 'makes a promise of setTimeout'],
  [/(?<![.\w])(?:wait|sleep|pause|delay)\(\s*\d[\d_]*\s*\)/, 'waits for a fixed time'],
  [/\brealTime\(/, 'waits for real time'],
];

function problemsIn(text: string): string[] {
  const code = text.replaceAll(/'[^'\n]*'/g, (quoted) => (quoted === "'node:timers/promises'" ? quoted : "''"));
  return ways.filter(([way]) => way.test(code)).map(([, problem]) => problem);
}

describe('fixed waits in tests', () => {
  const folders = [...workspaces().map((name) => `${name}/test`), 'test'];
  const files = folders
    .flatMap((folder) => ['.ts', '.tsx'].flatMap((ending) => filesBelow(folder, ending)))
    .filter((file) => !file.startsWith(faults) && !file.endsWith('fixed-waits.test.ts'));
  const waiting = new Map(files.map((file) => [file, problemsIn(readText(file))]));

  it('waits for real time only in the files that have a reason', () => {
    expect(files).to.have.length.of.at.least(400);
    const problems = [...waiting]
      .filter(([file]) => !Object.hasOwn(waitingFiles, file))
      .flatMap(([file, found]) => found.map((problem) => `${file} ${problem}`));
    expect(problems).to.deep.equal([]);
  });

  it('lists no file that does not wait for real time', () => {
    expect(Object.keys(waitingFiles).filter((file) => !waiting.get(file)?.length)).to.deep.equal([]);
  });

  for (const [planted, problem] of [
    ["import { setTimeout as wait } from 'node:timers/promises';", 'imports setTimeout of node:timers/promises'],
    ['await new Promise((resolve) => setTimeout(resolve, graceMs));', 'makes a promise of setTimeout'],
    ['await new Promise<void>((done) => {\n  setTimeout(done, 20);\n});', 'makes a promise of setTimeout'],
    ['await pause(1_500);', 'waits for a fixed time'],
    ['await sleep(5);', 'waits for a fixed time'],
    ["await realTime(100, 'the kernel');", 'waits for real time'],
  ] as const) {
    it(`refuses "${planted}"`, () => expect(problemsIn(planted)).to.deep.equal([problem]));
  }

  for (const allowed of [
    "import { setImmediate } from 'node:timers/promises';",
    'clock.pause(2_000);',
    'await pause(this.captureDelayMs);',
    "const injected = '$where=sleep(5000)';",
    'const timer = setTimeout(() => reject(new Error(late)), 60_000);',
  ]) {
    it(`allows "${allowed}"`, () => expect(problemsIn(allowed)).to.deep.equal([]));
  }
});
