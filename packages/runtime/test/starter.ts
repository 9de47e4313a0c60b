import { createProcessRuntime } from '../src/process/process-runtime.js';
import type { InstanceSpec } from '../src/runtime.js';

/** `node starter.js <run directory> <spec as JSON>` starts a game and reports it. */
const [runDir = '', json = '{}'] = process.argv.slice(2);
const spec = JSON.parse(json) as InstanceSpec;
const runtime = createProcessRuntime({ runDir });
await runtime.create(spec);
await runtime.start(spec.serverId);
process.stdout.write('started\n');
setInterval(() => undefined, 1000);
