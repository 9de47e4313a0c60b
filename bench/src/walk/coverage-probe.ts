/*
 * Loaded into every process of `npm run walk` (`--import`). SIGUSR2 atomically writes the functions run since the last
 * one to WALK_DIR/<name>.json.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import path from 'node:path';

/** Compiled sources of this repository. */
const ours = /^file:.*\/(gateway|(services|packages)\/[^/]+)\/dist\/src\//;

const { WALK_DIR: directory = '', WALK_NAME: name = '' } = process.env;
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
process.on('SIGUSR2', () => {
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    const calls = error ? [] : result.filter(({ url }) => ours.test(url)).map(callsOf);
    const file = path.join(directory, name);
    writeFileSync(`${file}.part`, JSON.stringify(calls));
    renameSync(`${file}.part`, `${file}.json`);
  });
});

/** By `name@offset`. The module's own function, at 0, ran at import. */
function callsOf({ url, functions }: Profiler.ScriptCoverage) {
  const counts = functions.flatMap(({ functionName, ranges: [whole] }) =>
    whole && whole.startOffset > 0 && whole.count > 0 ? [[`${functionName}@${whole.startOffset}`, whole.count]] : [],
  );
  return { url, functions: Object.fromEntries(counts) as Record<string, number> };
}
