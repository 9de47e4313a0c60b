import { prioritise } from './measure/process.js';
import { backups } from './rows/backups.js';
import { consoles } from './rows/console.js';
import { consolePage } from './rows/console-page.js';
import { engine } from './rows/engine.js';
import { files } from './rows/files.js';
import { growth } from './rows/growth.js';
import { installation } from './rows/installation.js';
import { renewals } from './rows/renewals.js';
import { metrics } from './rows/metrics.js';
import { noisyNeighbor } from './rows/noisy-neighbor.js';
import { requests } from './rows/requests.js';
import type { Line, Row } from './rows/row.js';
import { schedules } from './rows/schedules.js';
import { sftp } from './rows/sftp.js';
import { soak } from './rows/soak.js';

/* npm run bench [-- row …]: measures, prints ratios. Exits with 1 below a floor. */
const rows: readonly Row[] = [
  requests,
  consoles,
  consolePage,
  files,
  sftp,
  backups,
  installation,
  growth,
  schedules,
  renewals,
  metrics,
  engine,
  noisyNeighbor,
];

/** Half an hour: only on request. */
const all: readonly Row[] = [...rows, soak];

function chosen(names: readonly string[]): readonly Row[] {
  return names.length === 0 ? rows : all.filter(({ name }) => names.includes(name));
}

function print({ name, value, details, target, holds }: Line): void {
  const mark = holds === null ? ' ' : holds ? '✔' : '✘';
  console.log(`${mark} ${name.padEnd(52)} ${value.padStart(16)}   ${target.padEnd(22)} ${details}`);
}

const names = process.argv.slice(2);
const unknown = names.filter((name) => !all.some((row) => row.name === name));
if (unknown.length > 0) {
  const known = all.map(({ name, about }) => `  ${name.padEnd(14)}${about}`).join('\n');
  console.error(`no row ${unknown.join(', ')}; there are:\n${known}`);
  process.exit(2);
}

prioritise();
let failed = 0;
for (const row of chosen(names)) {
  console.log(`\n${row.name}: ${row.about}`);
  for (const line of await row.run()) {
    print(line);
    if (line.holds === false) failed += 1;
  }
}
process.exit(failed === 0 ? 0 : 1);
