// npm run test:faults: random faults on an installation of separate processes. See test/faults.
import './stop-with-npm.mjs';
import { prepare } from './prepare.mjs';

await prepare({ isChecked: true });
await import('../test/faults/dist/main.js');
