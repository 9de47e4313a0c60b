import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProcessRuntime } from '../src/process/process-runtime.js';
import { runtimeConformance } from './conformance.js';

describe('process runtime', function () {
  this.timeout(180_000);
  // Longer than a socket's path may be: data directories are where operators want them.
  const base = mkdtempSync(join(tmpdir(), 'panel-run-'));
  const runDir = join(base, 'a'.repeat(60), 'b'.repeat(60));
  after(() => rmSync(base, { recursive: true, force: true }));

  runtimeConformance({ open: () => createProcessRuntime({ runDir }), image: 'ignored:1' });
});
